"""`yoimem show`: shows one record, whole."""

import json
from pathlib import Path

import click

from yoimem.interfaces.cli.block import write_block
from yoimem.interfaces.cli.failures import tell_failures
from yoimem.interfaces.cli.named import NoSuchRecordError, find_record
from yoimem.interfaces.cli.output import fail, off_stdout, write
from yoimem.records.record import Record
from yoimem.tools.recall import Recall
from yoimem.workspace.layout import find_root

_VERSION = 1
_NOTHING = 1


@click.command(name="show", short_help="Show a record by its slug or path.")
@click.argument("record", metavar="SLUG|PATH")
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--session-id", metavar="ID", help="The session that reads, for the measured use.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(record: str, root: Path | None, session_id: str | None, output_format: str) -> int:
    """Show a record as it stands: `use-sqlite`, `#use-sqlite`, or its path.

    A look-up counts as use. Exit code: 0, or 1 when there is no such record.
    """
    place = find_root(Path.cwd(), given=root)
    try:
        with off_stdout():
            recall = Recall(place, session_id=session_id)
            tell_failures(recall.plugins)
            found = find_record(record, place, recall.library)
            recall.note([found])
    except NoSuchRecordError as error:
        fail(error.message)
        return _NOTHING
    if output_format == "json":
        write(_as_json(found))
    else:
        write_block(found.text)
    return 0


def _as_json(record: Record) -> str:
    content = {
        "version": _VERSION,
        "path": record.path,
        "slug": record.slug,
        "record_kind": record.kind_name,
        "text": record.text.encode("utf-8", "backslashreplace").decode(),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
