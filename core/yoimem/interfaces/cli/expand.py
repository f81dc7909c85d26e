"""`yoimem expand`: adds the records that a text names."""

import json
import sys
from pathlib import Path

import click

from yoimem.formatters.visible import visible
from yoimem.interfaces.cli.block import write_block
from yoimem.interfaces.cli.failures import tell_failures
from yoimem.interfaces.cli.output import fail, off_stdout, write
from yoimem.recall.references import Expansion
from yoimem.tools.recall import Recall
from yoimem.workspace.layout import find_root

_VERSION = 1


@click.command(name="expand", short_help="Add the records that a text names as `#slug` or `/slug`.")
@click.argument("text", required=False)
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--session-id", metavar="ID", help="The session that reads, for the measured use.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(text: str | None, root: Path | None, session_id: str | None, output_format: str) -> int:
    """Print TEXT, or standard input, with the records below it that it names.

    `#slug` names knowledge; `/slug` at the beginning names a workflow, which comes after what it
    requires. Each record that is brought in counts as read. What is refused, or names nothing, is
    told on standard error, and is no failure: the text stays whole.
    """
    given = _standard_input() if text is None else text
    with off_stdout():
        recall = Recall(find_root(Path.cwd(), given=root), session_id=session_id)
        tell_failures(recall.plugins)
        expansion = recall.expand(given)
    for note in (*expansion.refused, *expansion.unknown):
        fail(visible(f"{note.slug}: {note.why}"))
    if output_format == "json":
        write(_as_json(expansion))
    else:
        write_block(expansion.text)
    return 0


def _standard_input() -> str:
    data = sys.stdin.buffer.read() if sys.stdin else b""
    return data.decode("utf-8", "surrogateescape")


def _as_json(expansion: Expansion) -> str:
    content = {
        "version": _VERSION,
        "text": expansion.text.encode("utf-8", "backslashreplace").decode(),
        "records": [record.path for record in expansion.records],
        "refused": [{"slug": note.slug, "why": note.why} for note in expansion.refused],
        "unknown": [{"slug": note.slug, "why": note.why} for note in expansion.unknown],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
