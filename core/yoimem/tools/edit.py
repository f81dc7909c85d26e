"""Exact edits of a text: what is found is replaced literally, every other byte stays."""

from collections.abc import Iterator

from yoimem.records.text import LineIndex
from yoimem.tools.errors import MemoryToolError

_SHOWN_LINES = 20
_MOST_PLACES = 10_000


def edit_text(text: str, old: str, new: str, *, replace_all: bool) -> tuple[str, int]:
    """Return `text` with `old` replaced by `new`, and in how many places.

    In a text with CRLF line ends an `old` with LF ones is found too, and `new` gets CRLF. Where
    both line ends are in use, an `old` that stands in the text as it is given is taken literally.

    Raises:
        MemoryToolError: `invalid_argument`: `old` is empty, is the same as `new`, is not there, or
            is there several times and `replace_all` is false; with the lines.
    """
    if not old:
        raise MemoryToolError("invalid_argument", "`old_string` is empty: give the text to replace")
    if "\r\n" in text and (old not in text or text.count("\r\n") == text.count("\n")):
        old, new = _with_crlf(old), _with_crlf(new)
    if old == new:
        raise MemoryToolError("invalid_argument", "`old_string` and `new_string` are the same")
    places = list(_places(text, old))
    if not places:
        raise MemoryToolError("invalid_argument", _not_found(text, old))
    if len(places) > 1 and not replace_all:
        raise MemoryToolError(
            "invalid_argument",
            f"`old_string` is there {_times(places)} times, on lines {_lines(text, places)}: add"
            " text around it until it is there once, or set `replace_all`",
        )
    return text.replace(old, new), text.count(old)


def _times(places: list[int]) -> str:
    return f"{len(places)} or more" if len(places) == _MOST_PLACES else str(len(places))


def _places(text: str, part: str) -> Iterator[int]:
    """Yield where `part` begins in `text`, overlapping places too, up to a bound."""
    at = text.find(part)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at
        at = text.find(part, at + 1)


def _lines(text: str, places: list[int]) -> str:
    """Name the lines of `places`, not more of them than anyone reads."""
    index = LineIndex(text)
    lines = list(dict.fromkeys(index.place(place).line for place in places))
    more = f" and {len(lines) - _SHOWN_LINES} more" if len(lines) > _SHOWN_LINES else ""
    return ", ".join(map(str, lines[:_SHOWN_LINES])) + more


def _with_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def _not_found(text: str, old: str) -> str:
    """Say that `old` is not there, and where its first line is, if that is."""
    message = "`old_string` is not in the record: read it again, and copy the text exactly"
    first = next((line.strip() for line in old.splitlines() if line.strip()), "")
    index = LineIndex(text)
    near = [n for n in range(1, len(index) + 1) if first and first in index.text(n)]
    return f"{message}; its first line stands on line {near[0]}" if near else message
