"""A line of a record with a mark under what is wrong in it."""

from collections.abc import Iterable
from dataclasses import dataclass

from yoimem.formatters.visible import visible_character, width
from yoimem.lint.report import Diagnostic

_MAX_WIDTH = 120
_WIDTH_FROM_START = 80
_TAB = " " * 4
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line as a terminal shows it; `carets` go under it after `indent` blanks."""

    line: str
    indent: int
    carets: str


def excerpt(diagnostic: Diagnostic) -> Excerpt:
    """Return the first line of `diagnostic`, cut around its span when it is long."""
    source = diagnostic.source
    start = min(diagnostic.start.column - 1, len(source))
    # Slices before any work on characters: a line may be a megabyte long.
    rest = _pieces(source[start : start + _MAX_WIDTH])
    reversed_head = _pieces(reversed(source[max(0, start - _MAX_WIDTH) : start]))

    room_before = _MAX_WIDTH - min(_width(rest), _WIDTH_FROM_START)
    before = _fitting(reversed_head, room_before)[::-1]
    after = _fitting(rest, _MAX_WIDTH - _width(before))

    left_cut = _CUT if len(before) < start else ""
    right_cut = _CUT if len(after) < len(source) - start else ""
    marked = after[: _marked_length(diagnostic)]
    return Excerpt(
        line="".join([left_cut, *before, *after, right_cut]),
        indent=len(left_cut) + _width(before),
        carets="^" * max(1, _width(marked)),
    )


def _marked_length(diagnostic: Diagnostic) -> int:
    if diagnostic.end.line > diagnostic.start.line:
        return len(diagnostic.source)
    return max(0, diagnostic.end.column - diagnostic.start.column)


def _pieces(characters: Iterable[str]) -> list[str]:
    return [_TAB if char == "\t" else visible_character(char) for char in characters]


def _fitting(pieces: list[str], columns: int) -> list[str]:
    """Return as many of `pieces`, from the first, as `columns` hold."""
    used = 0
    for count, piece in enumerate(pieces):
        used += width(piece)
        if used > columns:
            return pieces[:count]
    return pieces


def _width(pieces: list[str]) -> int:
    return sum(map(width, pieces))
