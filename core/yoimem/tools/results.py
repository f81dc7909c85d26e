"""What the memory tools return."""

from dataclasses import dataclass


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


ToolResult = ReadResult | WriteResult | EditResult | DeleteResult | ListResult


def as_text(result: ToolResult) -> str:
    """Return `result` as a model reads it."""
    if isinstance(result, ReadResult):
        more = "\n(more lines follow: read on with `offset`)" if result.more else ""
        return f"{result.path}, {result.lines} lines, sha256 {result.sha256}\n{result.text}{more}"
    if isinstance(result, ListResult):
        lines = [_list_line(entry) for entry in result.records]
        return "\n".join(lines) or "there are no records"
    if isinstance(result, DeleteResult):
        return f"deleted {result.path}"
    what = f"edited {result.count} in" if isinstance(result, EditResult) else "wrote"
    head = f"{what} {result.path}, sha256 {result.sha256}"
    return "\n".join([head, *(f"warning {line}" for line in result.warnings)])


def sendable(text: str) -> str:
    """Return `text` as every host can send it on.

    A byte that is no UTF-8, of a record or of a name, stands in a text as half of a pair.
    """
    return text.encode("utf-8", "backslashreplace").decode()


def _list_line(entry: ListEntry) -> str:
    status = f" [{entry.status}]" if entry.status else ""
    return f"{entry.path}{status}: {' '.join(entry.description.split())}"
