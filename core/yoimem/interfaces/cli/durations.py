"""What `yoimem check --durations` prints."""

from collections.abc import Sequence

import click

from yoimem.interfaces.cli.output import write
from yoimem.lint.durations import Duration


def show_durations(slowest: Sequence[Duration], *, on_stdout: bool) -> None:
    """Print the `slowest` rules; on standard error where standard output is for a program."""
    text = "slowest rules:\n" + "".join(_line(duration) for duration in slowest)
    if on_stdout:
        write(text)
    else:
        click.echo(text, nl=False, err=True)


def _line(duration: Duration) -> str:
    calls = f"{duration.calls:,} call{'' if duration.calls == 1 else 's'}"
    return (
        f"{duration.seconds:9.3f} s  {calls:>14}  {duration.code} {duration.name}"
        f"  {duration.plugin}\n"
    )
