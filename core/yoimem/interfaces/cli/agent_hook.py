"""`yoimem agent-hook`: answers the hooks of an agent's host."""

import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path

import click

from yoimem.interfaces.agent_hook import answer
from yoimem.interfaces.cli.output import fail, write


@click.command(name="agent-hook", short_help="Answer a hook of an agent's host.")
@click.argument("host", type=click.Choice(["claude-code"]), expose_value=False)
@click.option(
    "--root",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="The memory to guard, where it is not found from the host's folder.",
)
def command(root: Path | None) -> int:
    """Read the hook's JSON of HOST from standard input, and answer.

    PreToolUse denies generic writes to the memory and to what protects its rules; a write that
    cannot be judged exits with 2. PostToolUse tells what is wrong with records that were changed
    past the tools. Any other event is let through.
    """
    raw = sys.stdin.buffer.read()
    with redirect_stdout(sys.stderr):  # a plugin may print, and the host reads JSON
        answered = answer(raw, root)
    if answered.note:
        with suppress(OSError):  # nobody reads it, and the exit code still counts
            fail(answered.note)
    write(answered.output)
    return answered.exit_code
