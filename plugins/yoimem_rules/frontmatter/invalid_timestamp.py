import re

from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem.records.timestamp import parse_timestamp
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten

_PARTS = re.compile(
    r"['\"]?(\d{4})[-/](\d\d)[-/](\d\d)(?:[Tt ]+(\d\d:\d\d)(:\d\d)?(?:\.\d+)?)?"
    r" *(Z|[+-]\d\d:\d\d)?['\"]?",
    re.ASCII,
)
_EXAMPLE = "2026-01-10T09:00:00Z"


class InvalidTimestamp(ProblemRule):
    """A time that is no RFC 3339 time."""

    meta = RuleMeta(code="FM104", name="invalid-timestamp", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        meant = _meant(problem.raw)
        return Finding(
            f"`{problem.subject}` is `{shorten(problem.raw)}`: {problem.detail}",
            span=problem.span,
            help=(
                f"write `{problem.subject}: {meant}`, if that is the time"
                if meant
                else f"write an RFC 3339 time with its offset from UTC, like `{_EXAMPLE}`"
            ),
            subject=problem.subject,
        )


def _meant(raw: str) -> str:
    """Return the RFC 3339 time that `raw` likely means; empty where there is no saying."""
    match = _PARTS.fullmatch(raw)
    if match is None:
        return ""
    year, month, day, minutes, seconds, offset = match.groups()
    time = f"{year}-{month}-{day}T{minutes or '00:00'}{seconds or ':00'}{offset or 'Z'}"
    try:
        parse_timestamp(time)
    except ValueError:
        return ""
    return time
