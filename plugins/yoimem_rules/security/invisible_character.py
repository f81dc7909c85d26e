import re
import unicodedata
from collections.abc import Iterable, Iterator

from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity, Span
from yoimem.records.characters import describe, is_plain
from yoimem.records.composer import scalars
from yoimem_rules.wording import shorten

_CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_BIDI = "\u202a-\u202e\u2066-\u2069"
_TAGS = "\U000e0000-\U000e007f"
_FIRST_TAG = 0xE0000
# The flag of a part of a country: a black flag, its code in tag characters, the closing tag.
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"

_HIDDEN_IN_ASCII = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_TAG = re.compile(f"[{_TAGS}]")
_HIDDEN = re.compile(f"[{_CONTROLS}{_BIDI}{_TAGS}]")
_FLAG_OR_HIDDEN = re.compile(f"{_FLAG}|(?P<hidden>[{_CONTROLS}{_BIDI}{_TAGS}])")


class InvisibleCharacter(RecordRule):
    """A character that shows nothing changes what is read."""

    meta = RuleMeta(code="SC002", name="invisible-character", severity=Severity.ERROR, since="0.1")

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if not record.problems and _is_clean(record.text) and not _has_escapes(record):
            return ()
        return self._judge(record)

    def _judge(self, record: Record) -> Iterator[Finding]:
        if any(problem.name == "not-utf8" for problem in record.problems):
            return  # its bytes are no characters
        met = [problem for problem in record.problems if problem.name == self.meta.name]
        yield from (_finding(problem.raw, problem.span) for problem in met)
        if not _is_clean(record.text):
            lines = record.lines
            yield from _hidden(record, {(lines.place(p.span.start).line, p.raw) for p in met})
        yield from _escaped(record)


def _is_clean(text: str) -> bool:
    if text.isascii():
        return is_plain(text) or _HIDDEN_IN_ASCII.search(text) is None
    return _HIDDEN.search(text) is None


def _hidden(record: Record, met: set[tuple[int, str]]) -> Iterator[Finding]:
    """Yield each hidden character once a line, without those `met` in that line already."""
    places: dict[tuple[int, str], list[int]] = {}
    for char, at in _hidden_in(record.text):
        line = record.lines.place(at).line
        if (line, char) not in met:
            alike = "" if _TAG.match(char) else char
            places.setdefault((line, alike), []).append(at)
    for (_, char), found in places.items():
        span = Span(found[0], found[0] + 1)
        yield _finding(char, span, len(found)) if char else _tags(record.text, span, found)


def _hidden_in(text: str) -> Iterator[tuple[str, int]]:
    """Yield the hidden characters of `text` with their offsets; those of flags are fine."""
    for match in _FLAG_OR_HIDDEN.finditer(text):
        if match["hidden"]:
            yield match["hidden"], match.start()


def _finding(char: str, span: Span, count: int = 1) -> Finding:
    times = f", {count} times in this line" if count > 1 else ""
    return Finding(
        f"the invisible character {describe(char)} stands here{times}",
        span=span,
        subject=describe(char),
        help=_advice(char),
    )


def _advice(char: str) -> str:
    if unicodedata.category(char) == "Zs":
        return "put a plain blank in its place"
    return f"delete it; to speak of it, write its name, U+{ord(char):04X}"


def _tags(text: str, span: Span, found: list[int]) -> Finding:
    """Word the tag characters of one line: each stands for an ASCII character that models read."""
    words = "".join(chr(ord(text[at]) - _FIRST_TAG) for at in found)
    return Finding(
        f"invisible tag characters stand here, {len(found)} in this line; they spell"
        f" `{shorten(words)}`",
        span=span,
        subject="tags",
        help="delete them: a model may read what no person sees",
    )


def _has_escapes(record: Record) -> bool:
    """Tell whether the frontmatter holds a backslash."""
    frame = record.frame
    return frame is not None and record.text.find("\\", frame.yaml.start, frame.yaml.end) >= 0


def _escaped(record: Record) -> Iterator[Finding]:
    """Yield the hidden characters that a value in double quotes holds as an escape."""
    if not _has_escapes(record):
        return
    root = record.composition.root
    for scalar in scalars(root) if root else ():
        raw = record.text[scalar.span.start : scalar.span.end]
        for char in dict.fromkeys(char for char, _ in _hidden_in(scalar.text) if char not in raw):
            yield Finding(
                f"an escape in `{shorten(raw)}` stands for the invisible {describe(char)}",
                span=scalar.span,
                subject=describe(char),
                help="take the escape out: nobody who is shown the value sees the character",
            )
