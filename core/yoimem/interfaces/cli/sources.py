"""`yoimem sources`: shows the entries of session logs that a record came from."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from yoimem.formatters.visible import visible, visible_lines
from yoimem.interfaces.cli.failures import tell_failures
from yoimem.interfaces.cli.named import find_record
from yoimem.interfaces.cli.output import off_stdout, wants_colour, write
from yoimem.lint.config import load_config
from yoimem.lint.host import load_plugins
from yoimem.lint.session_reader import SessionEntry, SessionReader
from yoimem.recall.library import Library
from yoimem.records.fields import Source
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.sessions.log import SessionError, id_in, open_log
from yoimem.sessions.sources import SourceEntries, entries_in, entries_of_each
from yoimem.sessions.transcript import cut
from yoimem.workspace.layout import Root, find_root
from yoimem.workspace.store import Store

_VERSION = 1
_NOTHING = 1
_LONGEST_SHOWN = 2_000


@click.command(name="sources", short_help="Show the session entries that a record came from.")
@click.argument("record", metavar="PATH|SLUG")
@click.option("--index", type=click.IntRange(0), help="Only this source of the record, from 0.")
@click.option(
    "--session-log",
    "log_path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Take the entries from this log, wherever the session's own is.",
)
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(
    record: str, index: int | None, log_path: Path | None, root: Path | None, output_format: str
) -> int:
    """Show, for each source of a record, its session, its range, and the entries that stand there.

    The record is named by its path or its slug. A log that is not there is told, and is no error:
    the sources themselves are shown. Exit code: 0, or 1 when the record has no source.
    """
    place = find_root(Path.cwd(), given=root)
    with off_stdout():
        plugins = load_plugins(place, load_config(place))
        library = Library(Store(place.path), plugins.kinds, Reader(plugins.kinds))
        found = find_record(record, place, library)
        sources = _chosen(found, index)
        shown = _entries(place, sources, plugins.session_readers, log_path)
    tell_failures(plugins)
    write(_as_json(found, shown) if output_format == "json" else _as_text(found, shown))
    return 0 if sources else _NOTHING


def _chosen(record: Record, index: int | None) -> Sequence[Source]:
    sources = _sources_of(record)
    if index is None:
        return sources
    if index >= len(sources):
        raise click.ClickException(
            f"{record.path} has {len(sources)} sources, counted from 0: there is none at {index}"
        )
    return sources[index : index + 1]


def _sources_of(record: Record) -> tuple[Source, ...]:
    rewritten: Source | None = record.values.get("last_rewritten_from_range")
    return (*record.sources, rewritten) if rewritten else record.sources


def _entries(
    root: Root,
    sources: Sequence[Source],
    readers: dict[str, SessionReader],
    log_path: Path | None,
) -> tuple[SourceEntries, ...]:
    if log_path is None:
        return entries_of_each(root, sources, readers)
    try:
        log = open_log(log_path, readers)
        named = id_in(log.reader, log.lines)
    except SessionError as error:
        raise click.ClickException(str(error)) from error
    sessions = {source.session_id for source in sources}
    if len(sessions) > 1:
        raise click.UsageError("the sources are of several sessions: choose one with --index")
    if named is not None and sessions and named not in sessions:
        raise click.ClickException(f"{log_path} is the log of another session, `{visible(named)}`")
    return tuple(entries_in(log, source) for source in sources)


def _as_json(record: Record, found: Sequence[SourceEntries]) -> str:
    content = {
        "version": _VERSION,
        "path": record.path,
        "sources": [_source_object(source) for source in found],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _source_object(found: SourceEntries) -> dict[str, Any]:
    return {
        "session_id": found.source.session_id,
        "range": [found.source.start, found.source.end],
        "log": str(found.path) if found.path else None,
        "missing": found.missing or None,
        "entries": [
            {"index": entry.index, "role": entry.role, "text": entry.text}
            for entry in found.entries
        ],
    }


def _as_text(record: Record, found: Sequence[SourceEntries]) -> str:
    if not found:
        why = "; `yoimem check` names what cannot be read in it" if record.problems else ""
        return f"{record.path} has no source{why}\n"
    return "\n".join(_source_text(source) for source in found)


def _source_text(found: SourceEntries) -> str:
    session_id, start, end = found.source
    lines = [_bold(f"session {visible(session_id)}, entries {start} to {end}")]
    if found.missing:
        lines.append(f"  {visible(found.missing)}")
        if found.path is None:
            lines.append("  help: name the log with --session-log FILE")
    for entry in found.entries:
        lines += _entry_lines(entry)
    return "".join(f"{line}\n" for line in lines)


def _entry_lines(entry: SessionEntry) -> list[str]:
    first, *rest = visible_lines(cut(entry.text, _LONGEST_SHOWN))
    return [f"  {entry.index} {entry.role}: {first}", *(f"    {line}" for line in rest)]


def _bold(text: str) -> str:
    return click.style(text, bold=True) if wants_colour() else text
