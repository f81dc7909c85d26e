"""Progress on a terminal, for runs that are long enough to wonder about."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from yoimem.lint.engine import Progress

_LONG_RUN = 1_000
_STEP = 100


@contextmanager
def progress_for(output_format: str) -> Iterator[Progress | None]:
    """Yield what shows progress on standard error; None where nobody would see it."""
    if output_format != "text" or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.progress import Progress as Bar  # noqa: PLC0415

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("records", visible=False)

        def show(done: int, total: int) -> None:
            if total >= _LONG_RUN and (done % _STEP == 0 or done == total):
                bar.update(task, completed=done, total=total, visible=True)

        yield show
