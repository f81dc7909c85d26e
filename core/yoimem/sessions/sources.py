"""The entries of session logs that a record came from (design, section 10, `memory_sources`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from yoimem.lint.session_reader import SessionEntry, SessionReader
from yoimem.records.fields import Source
from yoimem.sessions.known import find_log
from yoimem.sessions.log import SessionError, SessionLog
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import Root


@dataclass(frozen=True, slots=True)
class SourceEntries:
    """What stands where a source points to.

    `path` is the log, None where there is none. `missing` says what is not there and why, and is
    empty when nothing is amiss. A range that holds no entry, but lines of another kind, is whole.
    """

    source: Source
    path: Path | None
    entries: tuple[SessionEntry, ...]
    missing: str = ""


def entries_of(root: Root, source: Source, readers: Mapping[str, SessionReader]) -> SourceEntries:
    """Return the entries of the session log that `source` points to, both ends included."""
    return entries_of_each(root, [source], readers)[0]


def entries_of_each(
    root: Root, sources: Iterable[Source], readers: Mapping[str, SessionReader]
) -> tuple[SourceEntries, ...]:
    """Return the entries of each of `sources`, in order; the log of a session is read once."""
    logs: dict[str, SessionLog | str] = {}
    found: list[SourceEntries] = []
    for source in sources:
        if source.session_id not in logs:
            logs[source.session_id] = _log_of(root, source.session_id, readers)
        log = logs[source.session_id]
        if isinstance(log, SessionLog):
            found.append(entries_in(log, source))
        else:
            found.append(SourceEntries(source, None, (), missing=log))
    return tuple(found)


def entries_in(log: SessionLog, source: Source) -> SourceEntries:
    """Return the entries of `log` in the range of `source`, both ends included."""
    entries = tuple(e for e in log.since(source.start) if e.index <= source.end)
    missing = "" if source.end < len(log.lines) else _beyond(log, source)
    return SourceEntries(source, log.path, entries, missing)


def _log_of(root: Root, session_id: str, readers: Mapping[str, SessionReader]) -> SessionLog | str:
    """Return the log of a session, or why there is none."""
    try:
        log = find_log(root, session_id, readers)
    except (SessionError, LinkError, OSError) as error:
        return f"no log of the session `{session_id}` can be read: {error}"
    return log or f"no log of the session `{session_id}` is known here"


def _beyond(log: SessionLog, source: Source) -> str:
    count = "1 line" if len(log.lines) == 1 else f"{len(log.lines)} lines"
    return (
        f"{log.path} has {count}, and the range [{source.start}, {source.end}] goes beyond it: the"
        " log shrank, or another one took its place"
    )
