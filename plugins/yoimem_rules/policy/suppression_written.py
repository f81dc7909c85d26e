import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity, Span
from yoimem_rules.policy.outside_code import outside_code
from yoimem_rules.wording import shorten

_NAME = re.compile("yoimem", re.IGNORECASE)
_SUPPRESSION = re.compile(r"yoimem\s*:\s*ignore", re.IGNORECASE)
_LINE = re.compile(r"[^\r\n]+")


class SuppressionWritten(RecordRule):
    """An agent or the consolidator writes its own pass."""

    meta = RuleMeta(
        code="PL006",
        name="suppression-written",
        severity=Severity.ERROR,
        since="0.1",
        operations=("create", "update"),
    )

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if ctx.actor == "human":
            return
        stood = Counter(s.meaning for s in _suppressions(ctx.before)) if ctx.before else Counter()
        for suppression in _suppressions(record):
            if stood[suppression.meaning] > 0:
                stood[suppression.meaning] -= 1
                continue
            yield Finding(
                f"the {ctx.actor} writes the suppression `{shorten(suppression.text)}`, and people"
                " alone suppress a rule",
                span=_span_of(suppression, record),
                subject=suppression.meaning,
                help="mend what the rule reports, or leave the record as it is and tell a person;"
                " to write about suppressions, put them into backticks",
            )


class _Suppression(NamedTuple):
    """A suppression: its text as it stands, and what two of them must share to mean the same."""

    text: str
    meaning: str


def _suppressions(record: Record) -> Iterator[_Suppression]:
    """Yield the comments that suppress a rule, or that somebody might take for one."""
    if not _NAME.search(record.text):
        return
    frame = record.frame
    yield from _in_frontmatter(record.text[: frame.body.start] if frame else record.text)
    yield from _in_body(record.body if frame else record.text)


def _in_frontmatter(text: str) -> Iterator[_Suppression]:
    """A suppression means what it says at its own field: at another it spares another fault."""
    for line in _LINE.findall(text):
        found = _SUPPRESSION.search(line)
        sign = line.rfind("#", 0, found.start()) if found else -1
        if sign >= 0:
            field = line[:sign].partition(":")[0]
            yield _Suppression(line[sign:], _folded(f"{field} {line[sign:]}"))


def _in_body(body: str) -> Iterator[_Suppression]:
    text = outside_code(body)
    end = 0
    while (start := text.find("<!--", end)) >= 0:
        closer = text.find("-->", start + len("<!--"))
        end = closer + len("-->") if closer >= 0 else len(text)
        if _SUPPRESSION.search(text, start, end):
            yield _Suppression(text[start:end], _folded(text[start:end]))


def _folded(text: str) -> str:
    return " ".join(text.split())


def _span_of(suppression: _Suppression, record: Record) -> Span | None:
    """Return where the suppression stands, None where its text was put together from lines."""
    start = record.text.find(suppression.text)
    return Span(start, start + len(suppression.text)) if start >= 0 else None
