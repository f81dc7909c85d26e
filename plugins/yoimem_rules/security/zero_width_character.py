import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from yoimem import Context, Edit, Finding, Fix, NoOptions, Record, RecordRule, RuleMeta, Severity
from yoimem.records.characters import ZERO_WIDTH, describe
from yoimem.records.frame import BOM
from yoimem.records.text import Span

_ZERO_WIDTH = re.compile(f"[{ZERO_WIDTH}]")

_PICTOGRAPHS = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001fbff"
)
_PICTOGRAPH = re.compile(f"[{_PICTOGRAPHS}]")
# What may stand between a pictograph and the joiner: a variation selector, a keycap, a tag.
_END_OF_PICTOGRAPH = re.compile(f"[{_PICTOGRAPHS}\ufe0f\u20e3\U000e007f]")

_MONGOLIAN = re.compile("[\u1800-\u18aa]")
# Arabic, Syriac, N'Ko, Mandaic and the scripts of South and South East Asia: joiners choose the
# form of a letter.
_JOINING = re.compile(
    "[\u0600-\u07ff\u0840-\u109f\u1700-\u18aa\u1900-\u1aaf\u1b00-\u1c4f\ua800-\ua8ff\ua980-\uaaff"
    "\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010fff\U00011000-\U00011fff"
    "\U0001e900-\U0001e95f]"
)
# Scripts that write no blank between words: Thai, Lao, Tibetan, Myanmar, Khmer and their kin.
_UNSPACED = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u1b00-\u1b7f\ua980-\ua9ff\uaa00-\uaadf]"
)


class ZeroWidthCharacter(RecordRule):
    """A character without a width hides where no script needs it."""

    meta = RuleMeta(
        code="SC003", name="zero-width-character", severity=Severity.WARNING, since="0.1"
    )

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if record.text.isascii() or _ZERO_WIDTH.search(record.text) is None:
            return
        if any(problem.name == "not-utf8" for problem in record.problems):
            return  # its bytes are no characters
        lines: dict[int, list[int]] = defaultdict(list)
        for at in _out_of_place(record):
            lines[record.lines.place(at).line].append(at)
        for found in lines.values():
            yield _finding(record, found)


def _out_of_place(record: Record) -> Iterator[int]:
    """Yield the offsets of zero-width characters that nothing needs and no other rule reports."""
    reported = {
        problem.span.start for problem in record.problems if problem.name == "invisible-character"
    }
    text = record.text
    start = len(BOM) if text.startswith(BOM) else 0
    for match in _ZERO_WIDTH.finditer(text, start):
        at = match.start()
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if at not in reported and not _is_needed(match.group(), before, after):
            yield at


def _is_needed(char: str, before: str, after: str) -> bool:
    """Tell whether a zero-width `char` has a purpose between its neighbours."""
    if char == "\u200d" and _END_OF_PICTOGRAPH.match(before) and _PICTOGRAPH.match(after):
        return True
    scripts = {
        "\u200b": _UNSPACED,
        "\u200c": _JOINING,
        "\u200d": _JOINING,
        "\u180e": _MONGOLIAN,
    }.get(char)
    return scripts is not None and bool(scripts.match(before) or scripts.match(after))


def _finding(record: Record, found: list[int]) -> Finding:
    text = record.text
    names = ", ".join(dict.fromkeys(describe(text[at]) for at in found))
    message = (
        f"the character {names} shows nothing"
        if len(found) == 1
        else f"{len(found)} characters in this line show nothing: {names}"
    )
    return Finding(
        message,
        span=Span(found[0], found[0] + 1),
        subject=names,
        help="delete it: a word that holds one is not found when it is searched for",
        fix=Fix(
            "delete what shows nothing",
            tuple(Edit(Span(at, at + 1), "") for at in found),
            safe=found[0] >= record.body_span.start,
        ),
    )
