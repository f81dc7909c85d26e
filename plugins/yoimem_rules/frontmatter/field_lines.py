"""Lines of a frontmatter as text, for rules that speak of one that does not compose."""

import re

from yoimem import Record, Span
from yoimem.records.composer import compose
from yoimem.records.fields import Text
from yoimem.records.scalars import quoted
from yoimem_rules.wording import shorten

_KEY = re.compile(r"(\w[\w-]*)[ \t]*:")
_FIELD = re.compile(r"(?P<lead> *(?:- +)*['\"]?(?P<key>[\w.-]+)['\"]? *: +)(?P<value>\S.*)")
_GLUED = re.compile(r"(?P<key> *(?:- +)*[\w-]+):(?!//)(?P<value>\S.*)")

# One record may have thousands of such findings: none of them looks at all of the text.
_SHOWN = 200
_LINES_ABOVE = 50


def line_at(record: Record, offset: int) -> Span:
    """Return the span of the line that `offset` stands on."""
    return record.lines.span(record.lines.place(offset).line)


def shown_line(record: Record, offset: int) -> str:
    """Return the line that `offset` stands on, as a message shows it."""
    line = line_at(record, offset)
    return shorten(record.text[line.start : min(line.end, line.start + _SHOWN)])


def field_at(record: Record, offset: int) -> str:
    """Return the name of the top-level field that `offset` stands in.

    Empty where it is not found within a few lines above.
    """
    number = record.lines.place(offset).line
    for above in range(number, max(number - _LINES_ABOVE, 0), -1):
        match = _KEY.match(record.lines.text(above))
        if match is not None:
            return match[1]
    return ""


def takes_text(record: Record, field: str) -> bool:
    """Tell whether a text may stand in `field`; an unknown field may hold anything."""
    known = record.kind.fields.get(field) if record.kind else None
    return known is None or isinstance(known, Text)


def quoted_line(record: Record, offset: int) -> str:
    """Return the line at `offset` with its value in quotes; empty where that would not mend it."""
    line = line_at(record, offset)
    match = _FIELD.fullmatch(record.text[line.start : line.end])
    if match is None or not takes_text(record, match["key"]):
        return ""
    mended = match["lead"] + quoted(_bare(match["value"].rstrip(" ")))
    return mended if _composes(record, line, mended, line.end) else ""


def spaced_line(record: Record, offset: int) -> str:
    """Return the line at `offset`, or the one above, with the space that its `:` lacks.

    Empty where that would not mend it.
    """
    until = line_at(record, offset).end
    number = record.lines.place(offset).line
    for line in (record.lines.span(number), record.lines.span(number - 1)):
        match = _GLUED.fullmatch(record.text[line.start : line.end])
        if match is None:
            continue
        mended = f"{match['key']}: {match['value']}"
        if _composes(record, line, mended, until):
            return mended
    return ""


def _bare(value: str) -> str:
    """Return `value` without the quotes that were meant to stand around the whole of it."""
    mark = value[0]
    inner = value[1:].removesuffix(mark)
    if mark not in "'\"" or not inner:
        return value
    marks_inside = inner.count(mark)
    is_whole = not marks_inside or (value.endswith(mark) and marks_inside % 2 == 1)
    return inner if is_whole else value


def _composes(record: Record, line: Span, mended: str, until: int) -> bool:
    """Tell whether the frontmatter down to `until` reads with `line` mended."""
    if record.frame is None:
        return False
    text = record.text[: line.start] + mended + record.text[line.end : until]
    yaml = Span(record.frame.yaml.start, len(text))
    return compose(text, yaml, record.max_depth).root is not None
