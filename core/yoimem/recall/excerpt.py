"""The lines of a record around what was found in it, with the matches marked."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from yoimem.recall.matching import Fold
from yoimem.records.text import LineIndex, Span

_LONGEST_LINE = 400
"""What is shown of one line, in characters: a record may be a single line of a megabyte."""
_BEFORE_A_MATCH = 100
_CUT = "…"


class Excerpt(NamedTuple):
    """Some lines of a text: `text` from `first_line` on, and the `matches` as spans of `text`."""

    text: str
    first_line: int
    matches: tuple[Span, ...]


class View(NamedTuple):
    """A text, and what `fold` makes of it: the folded lines stand for those of the text."""

    lines: LineIndex
    folded: LineIndex
    folded_text: str
    fold: Fold

    @classmethod
    def of(cls, text: str, lines: LineIndex, fold: Fold) -> "View":
        """Return the view of `text`, which has `lines`."""
        folded = fold(text)
        return cls(lines, lines if folded == text else LineIndex(folded), folded, fold)


def excerpt_at(view: View, line: int, spans: Sequence[Span], context: int, body: int) -> Excerpt:
    """Return `line` with `context` lines before and after it; `spans` are in the folded text.

    What stands in the body, which begins on the line `body`, is shown without the frontmatter.
    """
    first = max(line - context, body if line >= body else 1)
    last = min(line + context, len(view.lines))
    start, end = view.folded.span(first).start, view.folded.span(last).end
    spans = [span for span in spans if span.start < end and span.end > start]
    shown: list[str] = []
    matches: list[Span] = []
    start = 0
    for number in range(first, last + 1):
        text, inside = _cut(view.lines.text(number), _in_line(view, number, spans))
        matches += [Span(start + span.start, start + span.end) for span in inside]
        shown.append(text)
        start += len(text) + 1
    return Excerpt("\n".join(shown).rstrip("\n"), first, tuple(_merged(matches)))


def _in_line(view: View, number: int, spans: Sequence[Span]) -> list[Span]:
    """Return the parts of `spans` that lie in the line `number`, as spans of that line's text."""
    line = view.folded.span(number)
    inside = [
        Span(max(span.start, line.start) - line.start, min(span.end, line.end) - line.start)
        for span in spans
        if span.start < line.end and span.end > line.start
    ]
    text = view.lines.text(number)
    if not inside or text == view.folded.text(number):
        return inside
    return _unfolded(text, view.fold, inside)


def _unfolded(text: str, fold: Fold, spans: Sequence[Span]) -> list[Span]:
    """Turn `spans` of the folded text into spans of `text`, letters with their marks as one."""
    import regex  # noqa: PLC0415 - few lines are not as they are folded

    starts = [cluster.start() for cluster in regex.finditer(r"\X", text)]
    ends = [*starts[1:], len(text)]
    pieces = (text[start:end] for start, end in zip(starts, ends, strict=True))
    folded = [0, *accumulate(len(fold(piece)) for piece in pieces)]

    def letter(offset: int) -> int:
        return min(bisect_right(folded, offset), len(starts)) - 1

    return [Span(starts[letter(span.start)], ends[letter(span.end - 1)]) for span in spans]


def _cut(line: str, matches: Sequence[Span]) -> tuple[str, list[Span]]:
    """Return what is shown of `line`, around its first match, and the matches in that."""
    if len(line) <= _LONGEST_LINE:
        return line, list(matches)
    start = max(matches[0].start - _BEFORE_A_MATCH, 0) if matches else 0
    end = start + _LONGEST_LINE
    before, after = _CUT if start else "", _CUT if end < len(line) else ""
    moved = len(before) - start
    inside = [
        Span(max(span.start, start) + moved, min(span.end, end) + moved)
        for span in matches
        if span.start < end and span.end > start
    ]
    return f"{before}{line[start:end]}{after}", inside


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Return `spans` in order, those that touch or overlap as one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged
