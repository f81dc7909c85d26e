from yoimem import Edit, Finding, Fix, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem.records.scalars import quoted, reading
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten


class AmbiguousScalar(ProblemRule):
    """A text without quotes that YAML may read as something else."""

    meta = RuleMeta(code="FM103", name="ambiguous-scalar", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        raw, mended = problem.raw, quoted(problem.raw)
        # Quotes around what a ` #` cut short would hide that it was cut.
        is_cut = any(
            other.name == "value-truncated-by-comment" and other.span.start == problem.span.start
            for other in record.problems
        )
        return Finding(
            f"`{problem.subject}` is `{shorten(raw)}` without quotes, and YAML may read it as"
            f" {reading(raw)}",
            span=problem.span,
            help=f"quote it: `{shorten(mended)}`",
            fix=None if is_cut else Fix("Quote the text", (Edit(problem.span, mended),)),
            subject=problem.subject,
        )
