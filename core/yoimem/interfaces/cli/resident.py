"""`yoimem resident`: shows the block that every session begins with."""

import json
from pathlib import Path

import click

from yoimem.interfaces.cli.block import write_block
from yoimem.interfaces.cli.failures import tell_failures
from yoimem.interfaces.cli.output import fail, off_stdout, write
from yoimem.recall.resident import Resident
from yoimem.tools.recall import Recall
from yoimem.workspace.layout import find_root

_VERSION = 1


@click.command(name="resident", short_help="Show the block that every session begins with.")
@click.option(
    "--budget",
    type=click.IntRange(0),
    help="The most that it may cost, in tokens; 0 for no bound.",
)
@click.option("--session-id", metavar="ID", help="Inject it into this session: its cost is noted.")
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(
    budget: int | None, session_id: str | None, root: Path | None, output_format: str
) -> int:
    """Show the summary, and a line for each record whose description models are to see.

    Tokens are estimated. What a budget leaves out is named in the block and on standard error.
    """
    with off_stdout():
        recall = Recall(find_root(Path.cwd(), given=root), session_id=session_id)
        tell_failures(recall.plugins)
        block = recall.resident(budget) if session_id else recall.preview(budget)
    for path in block.left_out:
        fail(f"left out for the budget: {path}")
    if output_format == "json":
        write(_as_json(block))
    else:
        write_block(block.text)
    return 0


def _as_json(block: Resident) -> str:
    content = {
        "version": _VERSION,
        "text": block.text,
        "tokens": block.tokens,
        "records": [{"path": part.path, "tokens": part.tokens} for part in block.records],
        "left_out": list(block.left_out),
        "unreadable": list(block.faults),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
