from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten


class TimestampWithoutTimezone(ProblemRule):
    """A time that does not say in which time zone."""

    meta = RuleMeta(
        code="FM105", name="timestamp-without-timezone", severity=Severity.ERROR, since="0.1"
    )

    def finding(self, problem: Problem, record: Record) -> Finding:
        time = shorten(problem.raw.strip("'\""))
        return Finding(
            f"`{problem.subject}` is `{shorten(problem.raw)}`, without its offset from UTC",
            span=problem.span,
            help=f"add the offset: `{time}Z` for UTC, or one like `{time}+09:00`",
            subject=problem.subject,
        )
