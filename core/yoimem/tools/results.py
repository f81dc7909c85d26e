"""What the memory tools return."""

from dataclasses import dataclass

from yoimem.recall.query import Hit, SearchResult
from yoimem.sessions.sources import SourceEntries


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A record, or a part of it.

    `text` holds its lines with their numbers, `sha256` is the hash of the whole file, which
    `expect` takes. `lines` counts the lines of the whole; `more` tells whether some follow that are
    not shown.
    """

    path: str
    text: str
    sha256: str
    lines: int
    more: bool


@dataclass(frozen=True, slots=True)
class WriteResult:
    """A record that was written: its path, its new hash, and the warnings that came with it."""

    path: str
    sha256: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EditResult:
    """A record that was edited: `count` places were changed."""

    path: str
    sha256: str
    count: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeleteResult:
    """A record that was deleted."""

    path: str


@dataclass(frozen=True, slots=True)
class MoveResult:
    """A record that was given another place."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A record as a list shows it: `description`, or its first heading; `status` of a decision."""

    path: str
    description: str
    status: str | None


@dataclass(frozen=True, slots=True)
class ListResult:
    """The records that are there, by path."""

    records: tuple[ListEntry, ...]


@dataclass(frozen=True, slots=True)
class SourcesResult:
    """The entries of session logs that the record at `path` came from, source by source."""

    path: str
    sources: tuple[SourceEntries, ...]


@dataclass(frozen=True, slots=True)
class OfferResult:
    """An offer that was made: its id, and the slug of the workflow."""

    id: str
    slug: str


ToolResult = (
    ReadResult
    | WriteResult
    | EditResult
    | DeleteResult
    | ListResult
    | SearchResult
    | SourcesResult
    | OfferResult
)


def as_text(result: ToolResult) -> str:
    """Return `result` as a model reads it."""
    match result:
        case ReadResult():
            text = _read(result)
        case ListResult():
            text = "\n".join(map(_list_line, result.records)) or "there are no records"
        case SearchResult():
            text = _found(result)
        case SourcesResult():
            text = "\n\n".join(map(_source, result.sources)) or f"{result.path} names no sources"
        case OfferResult():
            text = f"offered `{result.slug}` to the people of the project, as offer {result.id}"
        case DeleteResult():
            text = f"deleted {result.path}"
        case WriteResult():
            text = _written("wrote", result)
        case EditResult():
            text = _written(f"edited {result.count} in", result)
    return text


def _read(result: ReadResult) -> str:
    more = "\n(more lines follow: read on with `offset`)" if result.more else ""
    return f"{result.path}, {result.lines} lines, sha256 {result.sha256}\n{result.text}{more}"


def _written(what: str, result: WriteResult | EditResult) -> str:
    head = f"{what} {result.path}, sha256 {result.sha256}"
    return "\n".join([head, *(f"warning {line}" for line in result.warnings)])


def _found(result: SearchResult) -> str:
    more = ["(there are more: ask for them with `limit`, or narrow the query)"] * result.is_cut
    hint = f": {result.hint}" if result.hint else ""
    return "\n\n".join([*map(_hit, result.hits), *more]) or f"nothing was found{hint}"


def _hit(hit: Hit) -> str:
    kind = ", ".join(filter(None, [hit.record_kind, hit.kind, hit.status]))
    shown = ", shown to models" if hit.model_invokation else ""
    description = " ".join(hit.description.split())
    return f"{hit.path}:{hit.line} ({kind}{shown}) {description}\n{hit.excerpt}"


def _source(found: SourceEntries) -> str:
    source = found.source
    head = f"session {source.session_id}, entries {source.start} to {source.end}"
    missing = [found.missing] if found.missing else []
    entries = [f"{entry.index} {entry.role}: {entry.text}" for entry in found.entries]
    return "\n".join([head, *missing, *entries])


def sendable(text: str) -> str:
    """Return `text` as every host can send it on.

    A byte that is no UTF-8, of a record or of a name, stands in a text as half of a pair.
    """
    return text.encode("utf-8", "backslashreplace").decode()


def _list_line(entry: ListEntry) -> str:
    status = f" [{entry.status}]" if entry.status else ""
    return f"{entry.path}{status}: {' '.join(entry.description.split())}"
