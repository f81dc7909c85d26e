"""The block that every session begins with (design, section 12; seed 003, "常駐注入").

It holds the summary, and a line for each record whose description models are to see, so that they
know what they can ask for. With a budget, what does not fit is named, never dropped silently.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from yoimem.recall.library import Library, described
from yoimem.records.record import Record
from yoimem.records.slug import is_slug
from yoimem.records.tokens import estimate_tokens

SUMMARY_PATH = "memory/summary.md"

_HEADING = "# The memory of this project"
_LISTED = (
    "## What can be looked up\n\n"
    "Read one of these when its description fits your task: with knowledge_search and its `slug`,"
    " or with memory_read and its path where there is one."
)
_MOST_FAULTS = 5
"""How many of what cannot be read the block names; the check names them all."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A record in the block: its path, and the `bytes` and estimated `tokens` that it costs."""

    path: str
    bytes: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Resident:
    """The block: its `text`, empty when there is nothing to say, and what it costs in `tokens`.

    `records` are what it shows, each with its cost; `left_out` are the paths that the budget left
    no room for; `faults` say which records cannot be read, so that they are not missed silently.
    """

    text: str
    tokens: int
    records: tuple[Shown, ...]
    left_out: tuple[str, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """What may stand in the block: its `name`, by which it can be looked up, its `text` and cost.

    A slug is the name of knowledge alone: knowledge_search finds nothing else by it.
    """

    name: str
    text: str
    shown: Shown


@dataclass(frozen=True, slots=True)
class _Material:
    """What there is to show: the `summary`, the `lines` in order, and what cannot be read."""

    summary: _Part | None
    lines: Sequence[_Part]
    faults: tuple[str, ...]


def resident(library: Library, budget: int = 0, *, summary: bool = True) -> Resident:
    """Return the resident block, of at most `budget` estimated tokens; 0 is no bound.

    The summary comes first, then a line a record by slug. Lines give way first, the last ones
    before the others, then the names of what was left out. A summary that has no room by itself
    leaves it to lines and names in the same way. The number of what was left out is always told,
    even where there is no room for it.

    Raises:
        ValueError: `budget` is negative.
    """
    if budget < 0:
        raise ValueError(f"`budget` is {budget}, and must be 0 (no bound) or more")
    material = _material(library, summary)
    for block in _blocks(material):
        count = _most_that_fit(block, len(material.lines), budget)
        if count is not None:
            return block(count)
    return _without_lines(material, with_summary=False, names=0)


def _blocks(material: _Material) -> Iterator[Callable[[int], Resident]]:
    """Yield what to give way with, the best first; each makes a block with so many lines or names.

    Whatever is left out is named as long as there is room for all the names.
    """
    for with_summary in dict.fromkeys((material.summary is not None, False)):
        yield partial(_with_lines, material, with_summary)
        yield partial(_without_lines, material, with_summary)


def _most_that_fit(block: Callable[[int], Resident], most: int, budget: int) -> int | None:
    """Return the count, up to `most`, that `budget` has room for; None when it has none at all."""
    if not budget or block(most).tokens <= budget:
        return most
    if block(0).tokens > budget:
        return None
    return bisect_left(range(most + 1), True, key=lambda n: block(n).tokens > budget) - 1


def _with_lines(material: _Material, with_summary: bool, count: int) -> Resident:
    """Make the block with the first `count` lines, and the names of all the others."""
    return _block(material, with_summary, count, names=len(material.lines) + 1)


def _without_lines(material: _Material, with_summary: bool, names: int) -> Resident:
    """Make the block without a line, and the first `names` of what was left out."""
    return _block(material, with_summary, 0, names)


def _block(material: _Material, with_summary: bool, count: int, names: int) -> Resident:
    first = [material.summary] if material.summary else []
    summary, rest = (first, []) if with_summary else ([], first)
    lines, left_out = material.lines[:count], [*rest, *material.lines[count:]]
    blocks = [
        *(part.text for part in summary),
        "\n\n".join([_LISTED, "\n".join(part.text for part in lines)]) if lines else "",
        _note([part.name for part in left_out], names),
        _told(material.faults),
    ]
    said = [block for block in blocks if block]
    text = "\n\n".join([_HEADING, *said]) + "\n" if said else ""
    return Resident(
        text,
        estimate_tokens(text),
        tuple(part.shown for part in (*summary, *lines)),
        tuple(part.shown.path for part in left_out),
        material.faults,
    )


def _note(left_out: Sequence[str], names: int) -> str:
    """Say how many records were left out, and the first `names` of them."""
    if not left_out:
        return ""
    count = "1 record" if len(left_out) == 1 else f"{len(left_out):,} records"
    named = ", ".join(left_out[:names])
    more = " and more" if named and names < len(left_out) else ""
    which = f" that can be looked up: {named}{more}" if named else ""
    return f"Left out, for want of room: {count}{which}."


def _told(faults: Sequence[str]) -> str:
    lines = [f"Not shown: {fault}." for fault in faults[:_MOST_FAULTS]]
    if len(faults) > _MOST_FAULTS:
        lines.append(f"Not shown: {len(faults) - _MOST_FAULTS:,} more; `yoimem check` names them.")
    return "\n".join(lines)


def _material(library: Library, summary: bool) -> _Material:
    first = library.record(SUMMARY_PATH) if summary else None
    listed = list(library.of_kinds("knowledge", "workflow"))
    unread = library.unread_folders("knowledge", "workflow")
    faults = [
        *([_unreadable(first.path)] if first is not None and first.frame is None else []),
        *map(_unreadable, unread),
        *(fault for record in listed if (fault := _fault(record))),
    ]
    lines = [
        _part(record, _line(record))
        for record in listed
        if not _fault(record) and record.invoked_by_model
    ]
    body = first.body.strip() if first else ""
    return _Material(_part(first, body) if first and body else None, lines, tuple(faults))


def _part(record: Record, text: str) -> _Part:
    cost = Shown(record.path, len(text.encode()), estimate_tokens(text))
    name = record.slug if record.kind_name == "knowledge" else record.path
    return _Part(name, text, cost)


def _fault(record: Record) -> str:
    """Say why a record cannot be offered; empty when it can."""
    if record.problems:
        return _unreadable(record.path)
    return "" if is_slug(record.slug) else f"{record.path} has a name that is no slug"


def _unreadable(path: str) -> str:
    return f"{path} cannot be read; `yoimem check` says why"


def _line(record: Record) -> str:
    place = f" ({record.path})" if record.kind_name == "workflow" else ""
    return f"- {record.slug}{place}: {described(record)}"
