"""Places in a text: offsets count code points, lines end at LF, CRLF or CR only."""

import re
from bisect import bisect_right
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\n|\r")


class Span(NamedTuple):
    """A stretch of a text, `start` included and `end` excluded, in code points from its start."""

    start: int
    end: int


class Place(NamedTuple):
    """A position in a file as an editor shows it: `line` and `column`, both from 1."""

    line: int
    column: int


class LineIndex:
    """Turns offsets of one text into places, and line numbers into their text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: tuple[int, str] = (0, "")
        ends = list(_LINE_END.finditer(text))
        self._starts = [0, *(end.end() for end in ends)]
        self._stops = [*(end.start() for end in ends), len(text)]

    def __len__(self) -> int:
        """Count the lines; a text that ends in a line end has an empty last line."""
        return len(self._starts)

    def place(self, offset: int) -> Place:
        """Return the place of `offset`; one outside the text is brought to its edge."""
        inside = min(max(offset, 0), len(self._text))
        line = bisect_right(self._starts, inside)
        return Place(line, inside - self._starts[line - 1] + 1)

    def span(self, line: int) -> Span:
        """Return the span of `line` (from 1) without its line end."""
        return Span(self._starts[line - 1], self._stops[line - 1])

    def text(self, line: int) -> str:
        """Return the text of `line` (from 1) without its line end."""
        # Many findings on one long line share one text of it.
        if self._last[0] != line:
            self._last = (line, self._text[self._starts[line - 1] : self._stops[line - 1]])
        return self._last[1]
