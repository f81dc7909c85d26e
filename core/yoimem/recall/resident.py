"""The block that every session begins with (design, section 12; seed 003, "常駐注入").

It holds the summary, and a line for each record whose description models are to see, so that they
know what they can ask for. With a budget, what does not fit is named, never dropped silently.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from yoimem.recall.library import Library
from yoimem.records.record import Record
from yoimem.records.tokens import estimate_tokens

SUMMARY_PATH = "memory/summary.md"

_HEADING = "# The memory of this project"
_LISTED = (
    "## What can be looked up\n\n"
    "Read one of these with knowledge_search and its `slug` when its description fits your task."
)


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
    path: str
    slug: str
    text: str


@dataclass(frozen=True, slots=True)
class _Material:
    """What there is to show: the `summary`, the `lines` in order, and what cannot be read."""

    summary: _Part | None
    lines: Sequence[_Part]
    faults: tuple[str, ...]


def resident(library: Library, budget: int | None = None, *, summary: bool = True) -> Resident:
    """Return the resident block, of at most `budget` estimated tokens; None is no bound.

    The summary comes first, then a line a record by slug. Lines give way before the summary, the
    last ones first. Where not even that is enough, the note on what was left out stands alone.
    """
    material = _material(library, summary)
    for with_summary in dict.fromkeys((material.summary is not None, False)):
        count = _most_that_fit(material, with_summary, budget)
        if count is not None:
            return _block(material, with_summary, count)
    return _block(material, with_summary=False, count=0)


def _most_that_fit(material: _Material, with_summary: bool, budget: int | None) -> int | None:
    """Return how many lines fit into the budget; None when not even a block without one does."""

    def is_over(count: int) -> bool:
        return budget is not None and _block(material, with_summary, count).tokens > budget

    counts = range(len(material.lines) + 1)
    if is_over(0):
        return None
    if not is_over(counts[-1]):
        return counts[-1]
    return bisect_left(counts, True, key=is_over) - 1


def _block(material: _Material, with_summary: bool, count: int) -> Resident:
    """Put the block together of the summary and the first `count` lines, and name the rest."""
    first = [material.summary] if material.summary else []
    summary = first if with_summary else []
    shown, left_out = material.lines[:count], material.lines[count:]
    parts, rest = [*summary, *shown], [*([] if with_summary else first), *left_out]
    blocks = [
        _HEADING,
        *(part.text for part in summary),
        "\n\n".join([_LISTED, "\n".join(part.text for part in shown)]) if shown else "",
        _note(rest),
        "\n".join(f"Not shown: {fault}." for fault in material.faults),
    ]
    is_empty = not parts and not rest and not material.faults
    text = "" if is_empty else "\n\n".join(block for block in blocks if block) + "\n"
    return Resident(
        text,
        estimate_tokens(text),
        tuple(Shown(p.path, len(p.text.encode()), estimate_tokens(p.text)) for p in parts),
        tuple(part.path for part in rest),
        material.faults,
    )


def _note(left_out: Sequence[_Part]) -> str:
    if not left_out:
        return ""
    count = "1 record" if len(left_out) == 1 else f"{len(left_out)} records"
    names = ", ".join(part.slug for part in left_out)
    return f"Left out, for want of room: {count}. They can be looked up: {names}."


def _material(library: Library, summary: bool) -> _Material:
    first = library.record(SUMMARY_PATH) if summary else None
    listed = list(library.of_kinds("knowledge", "workflow"))
    broken = [record for record in listed if record.problems]
    if first is not None and first.frame is None:
        broken.insert(0, first)
    lines = [
        _Part(record.path, record.slug, _line(record))
        for record in listed
        if not record.problems and record.invoked_by_model
    ]
    has_body = first is not None and first.body.strip()
    head = _Part(first.path, first.slug, first.body.strip()) if first and has_body else None
    faults = (f"{record.path} cannot be read; `yoimem check` says why" for record in broken)
    return _Material(head, lines, tuple(faults))


def _line(record: Record) -> str:
    description = " ".join(str(record.values.get("description", "")).split())
    mark = " (workflow)" if record.kind_name == "workflow" else ""
    return f"- {record.slug}{mark}: {description}"
