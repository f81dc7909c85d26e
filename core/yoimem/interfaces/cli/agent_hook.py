"""`yoimem agent-hook`: answers the hooks of an agent's host."""

import os
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path

import click

from yoimem.interfaces.agent_hook import BLOCK, Answer, answer, refused
from yoimem.interfaces.cli.output import fail


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
    cannot be judged, or a denial that cannot be handed over, exits with 2. PostToolUse tells what
    is wrong with records that were changed past the tools, and notes a record that was read.

    SessionStart gives the resident block, and UserPromptSubmit the records that the prompt names.
    Stop starts `yoimem extract --after-turn` in the background, and PreCompact finishes an extract
    that is due. Any other event is let through.
    """
    with redirect_stdout(sys.stderr):  # a plugin may print, and the host reads JSON
        answered = _read_and_answer(root)
    if answered.note:
        fail(answered.note)
    if not _is_written(answered.output) and answered.denial:
        fail(answered.denial)
        return BLOCK
    return answered.exit_code


def _read_and_answer(root: Path | None) -> Answer:
    try:
        raw = sys.stdin.buffer.read()
    except BaseException as error:  # what was not read may be a write
        return refused(f"standard input cannot be read: {type(error).__name__}: {error}")
    return answer(raw, root)


def _is_written(output: str) -> bool:
    """Write `output` to standard output, and tell whether it took it."""
    if sys.__stdout__ is None:  # it was closed before the start, and nothing reads what is there
        return False
    try:
        sys.stdout.write(output)
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):  # what is buffered would raise again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True
