"""Characters that are not what they look like, found before YAML sees them (design, section 4).

One pass finds everything that is no plain text in a frontmatter. Where a blank in its place leaves
the frontmatter readable, the rest of it is still judged: one answer holds every fault.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator

from yoimem.records.composer import Composition, Scalar, compose, scalars
from yoimem.records.problem import Problem
from yoimem.records.text import LineIndex, Span

LINE_BREAKS = "\u2028\u2029\u0085\u000b\u000c"
"""What some readers of YAML take for the end of a line, and others do not."""

WIDE_BLANKS = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
"""Blanks that are no blank to YAML, as the inside of a character class."""

ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u180e"
"""Characters without a width."""

OTHER_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u200e\u200f\u2061-\u2064\u206a-\u206f\u3164\uffa0"
)
"""More that shows nothing, as the inside of a character class; harmless in a text."""

CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
"""Characters that no YAML and no plain text holds, as the inside of a character class."""

_INVISIBLE = f"{WIDE_BLANKS}{ZERO_WIDTH}{OTHER_INVISIBLE}"
_STRANGE = re.compile(f"[\t{LINE_BREAKS}{CONTROLS}{_INVISIBLE}]")
_ASCII_TEXT = bytes(range(0x20, 0x7F)) + b"\r\n"
_CONTROL = re.compile(f"[{CONTROLS}]")
_WIDE_BLANK = re.compile(f"[{WIDE_BLANKS}]")
_INVISIBLE_CHARACTER = re.compile(f"[{_INVISIBLE}]")
# Every repetition below is possessive, and a run is tried at its first character alone: time stays
# linear in a file that is made to take long.
_RUN = f"(?<![{_INVISIBLE}])[{_INVISIBLE}]++"
_WORD = rf"(?:(?![{_INVISIBLE}])[\w\"'-])"
_AT_AN_EDGE = re.compile(f"{_RUN}(?=#)|^{_RUN}|(?<=^-){_RUN}|{_RUN}$")
_STRUCTURAL = re.compile(
    rf"^[ \-]*+(?P<indent>{_RUN})"
    rf"|^[ \-]*+{_WORD}*+(?P<key>{_RUN}){_WORD}*+[ ]*+:"
    rf"|^[ \-]*+{_WORD}++[ ]*+(?P<before>{_RUN})[ ]*+:"
    rf"|^[ \-]*+{_WORD}++[ ]*+:[ ]*+(?P<after>{_RUN})"
    rf"|(?P<comment>{_RUN})[#]",
)
_LINE = re.compile(r"[^\r\n]+")
_LINE_END = re.compile(r"[\r\n]")
_COMMENT = re.compile(r"(?:^|\s)#")
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?:[ \t].*)?$")


def is_plain(text: str) -> bool:
    """Tell whether `text` holds nothing but what every reader sees alike."""
    if text.isascii():
        # Many times faster than a search, and nearly every text is ASCII.
        return not text.encode().translate(None, _ASCII_TEXT)
    return _STRANGE.search(text) is None


def describe(char: str) -> str:
    """Name a character by its code point: `U+200B ZERO WIDTH SPACE`."""
    name = unicodedata.name(char, "")
    if not name:
        name = "CONTROL" if unicodedata.category(char) == "Cc" else ""
    return f"U+{ord(char):04X} {name}".rstrip()


def conflict_markers(text: str, within: Span) -> Iterator[Problem]:
    """Yield one problem for each merge conflict that stands at `within`."""
    part = text[within.start : within.end]
    if not any(mark * 7 in part for mark in "<=>|"):
        return
    lines = LineIndex(part)
    open_conflict = False
    for number in range(1, len(lines) + 1):
        line = lines.text(number)
        if not _CONFLICT.match(line):
            continue
        if not open_conflict or line.startswith("<"):
            span = lines.span(number)
            yield Problem(
                "merge-conflict-marker",
                Span(within.start + span.start, within.start + span.end),
                line,
            )
        open_conflict = not line.startswith(">")


class Screening:
    """What a look at the characters of a frontmatter brings.

    `problems` is what was found. `text` is the whole text with blanks in the place of what is no
    YAML, so that every place stays. `readable` tells whether reading it on makes sense.
    """

    def __init__(self, text: str, within: Span, max_depth: int) -> None:
        self.text = text
        self.problems: list[Problem] = []
        self.readable = True
        conflicts = list(conflict_markers(text, within))
        self.problems += conflicts
        if conflicts:
            self.readable = False
        if _STRANGE.search(text, within.start, within.end) is None:
            return
        self._screen(within)
        self._judge_structure(text, within, max_depth)

    def _screen(self, within: Span) -> None:
        """Report what stands nowhere in frontmatter, each character once a line."""
        found = [
            (name, Span(*match.span()))
            for match in _STRANGE.finditer(self.text, within.start, within.end)
            if (name := _fault_of(match.group()))
        ]
        self._report(found)
        self._blank([span.start for _, span in found])

    def _report(self, found: list[tuple[str, Span]]) -> None:
        """Make problems of the characters `found`, by rule and place: each once a line."""
        met: set[str] = set()
        last = 0
        for name, span in found:
            char = self.text[span.start]
            if _LINE_END.search(self.text, last, span.start):
                met.clear()
            last = span.start
            if char not in met:
                self.problems.append(Problem(name, span, char, describe(char)))
            met.add(char)

    def _judge_structure(self, text: str, within: Span, max_depth: int) -> None:
        """Report invisible characters where YAML wants blanks, and blank them if they are some."""
        if _INVISIBLE_CHARACTER.search(self.text, within.start, within.end) is None:
            return
        composition = compose(self.text, within, max_depth)
        spans = sorted(set(_structural(self.text, within, composition)))
        self._report([("invisible-character", span) for span in spans])
        blanks = [span.start for span in spans if _WIDE_BLANK.match(text[span.start])]
        if len(blanks) < len(spans):
            self.readable = False
        self._blank(blanks)

    def _blank(self, offsets: list[int]) -> None:
        if not offsets:
            return
        characters = list(self.text)
        for offset in offsets:
            characters[offset] = " "
        self.text = "".join(characters)


def _fault_of(char: str) -> str:
    """Return the rule that reports `char` wherever it stands in frontmatter; empty for none."""
    if char == "\t":
        return "tab-in-frontmatter"
    if char in LINE_BREAKS:
        return "unicode-line-break"
    return "invisible-character" if _CONTROL.match(char) else ""


def _structural(text: str, within: Span, composition: Composition) -> Iterator[Span]:
    if composition.root is None:
        yield from _structural_by_line(text, within)
        return
    values: list[Span] = []
    for scalar in scalars(composition.root):
        values.append(scalar.span)
        if scalar.plain:
            yield from _edges(text, scalar)
    for at in _outside_comments(text, within):
        before = bisect_right(values, at, key=lambda span: span.start) - 1
        if before < 0 or at >= values[before].end:
            yield Span(at, at + 1)


def _edges(text: str, scalar: Scalar) -> Iterator[Span]:
    """Yield what stands at an end of a plain scalar, or before a `#` that was to be a comment."""
    start = scalar.span.start
    for match in _AT_AN_EDGE.finditer(text[start : scalar.span.end]):
        yield from (Span(start + i, start + i + 1) for i in range(*match.span()))


def _outside_comments(text: str, within: Span) -> Iterator[int]:
    """Yield the offsets of the invisible characters that no ` #` stands before in their line."""
    for line in _LINE.finditer(text, within.start, within.end):
        comment = _COMMENT.search(line.group())
        end = line.start() + comment.end() if comment else line.end()
        for match in _INVISIBLE_CHARACTER.finditer(text, line.start(), end):
            yield match.start()


def _structural_by_line(text: str, within: Span) -> Iterator[Span]:
    """Guess, line by line, for a frontmatter that does not compose."""
    part = text[within.start : within.end]
    lines = LineIndex(part)
    for number in range(1, len(lines) + 1):
        match = _STRUCTURAL.search(lines.text(number))
        if match is None or match.lastgroup is None:
            continue
        start = within.start + lines.span(number).start
        yield from (Span(start + i, start + i + 1) for i in range(*match.span(match.lastgroup)))
