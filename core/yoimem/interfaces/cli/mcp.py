"""`yoimem mcp`: serves the memory tools over the Model Context Protocol."""

import os
import signal
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TextIO

import click
from uuid6 import uuid7

from yoimem.interfaces.cli.output import fail
from yoimem.lint.rule import Actor
from yoimem.tools import MemoryTools
from yoimem.workspace.layout import find_root

_INTERRUPTED = 130


@click.command(name="mcp", short_help="Serve the memory tools to an MCP host, over stdio.")
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    help="The workspace or its `.yoi/`; else YOIMEM_ROOT, or the nearest one here or above.",
)
@click.option(
    "--actor",
    type=click.Choice(["agent", "consolidator"]),
    default="agent",
    show_default=True,
    help="Who writes: rules on policy tell them apart.",
)
@click.option(
    "--session-id",
    metavar="ID",
    help="The host's session, for the audit log and the measured use; else each server is one.",
)
def command(root: Path | None, actor: Actor, session_id: str | None) -> int:
    """Serve the memory tools to an MCP host until it closes standard input.

    Nothing but the protocol is written to standard output; messages go to standard error.
    """
    try:
        from yoimem.interfaces.mcp_server import serve  # noqa: PLC0415 - an extra, and slow
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"the MCP SDK is not there ({error}); install it with: pip install 'yoimem[mcp]'"
        ) from error
    place = find_root(Path.cwd(), given=root)
    signal.signal(signal.SIGINT, _end)
    wire = _take_stdout()
    with redirect_stdout(sys.stderr):
        tools = MemoryTools(place, actor=actor, session_id=session_id or str(uuid7()))
    for failure in tools.plugins.failures:
        fail(f"{failure.where}: {failure.message}; no change is let through until it is mended")
    serve(tools, wire)
    return 0


def _take_stdout() -> TextIO:
    """Return the way to the host, and let whatever else writes to standard output end on stderr.

    That goes for the descriptor too: a plugin's C code or child process cannot reach the host.
    """
    out = sys.stdout.fileno()
    wire = os.dup(out)
    log = os.open(os.devnull, os.O_WRONLY) if sys.stderr is None else sys.stderr.fileno()
    os.dup2(log, out)
    return open(wire, "w", encoding="utf-8", newline="\n")  # noqa: PTH123 - a descriptor


def _end(_signal: int, _frame: object) -> None:
    """End at once: a thread that waits for standard input would hold an orderly end up for ever.

    A change that is being written is whole or not there, as when the process is killed.
    """
    os._exit(_INTERRUPTED)
