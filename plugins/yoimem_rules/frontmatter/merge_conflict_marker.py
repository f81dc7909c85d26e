import re
from collections.abc import Iterator
from typing import Any

from yoimem import Context, Finding, Record, RuleMeta, Severity, Span
from yoimem.records.markdown import code_lines
from yoimem.records.problem import Problem
from yoimem.records.text import LineIndex
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten

_OURS = "<<<<<<<"
_MARKER = re.compile(r"(<{7}|={7}|>{7})(?: .*)?")
_FULL_SET = (_OURS, "=======", ">>>>>>>")


class MergeConflictMarker(ProblemRule):
    """A merge conflict was left in the record."""

    meta = RuleMeta(
        code="FM010", name="merge-conflict-marker", severity=Severity.ERROR, since="0.1"
    )

    only_problems = False

    def check(self, record: Record, ctx: Context[Any]) -> list[Finding]:
        if not record.problems and _OURS not in record.text:
            return []
        in_body = [_finding(record, span) for span in _conflicts(record)]
        return [*super().check(record, ctx), *in_body]

    def finding(self, problem: Problem, record: Record) -> Finding:
        return _finding(record, problem.span)


def _finding(record: Record, span: Span) -> Finding:
    return Finding(
        f"a merge conflict was left here: `{shorten(record.text[span.start : span.end])}`",
        span=span,
        help=(
            "keep one side or join the two, then delete the lines that begin with `<<<<<<<`,"
            " `|||||||`, `=======` and `>>>>>>>`"
        ),
    )


def _conflicts(record: Record) -> Iterator[Span]:
    """Yield the first line of each full set of markers in the body, outside code blocks.

    One marker alone is no conflict: a row of `=` underlines a heading.
    """
    if _OURS not in record.body:
        return
    lines = LineIndex(record.body)
    code = code_lines(record.body)
    seen: list[str] = []
    first = 0
    for number in range(1, len(lines) + 1):
        match = _MARKER.fullmatch(lines.text(number))
        if match is None or number in code:
            continue
        if match[1] == _OURS:
            seen, first = [], number
        seen.append(match[1])
        if tuple(seen) == _FULL_SET:
            span = lines.span(first)
            start = record.body_span.start
            yield Span(start + span.start, start + span.end)
