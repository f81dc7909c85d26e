from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.frontmatter.field_lines import spaced_line
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten


class FrontmatterNotAMapping(ProblemRule):
    """The frontmatter is a list or a text, not fields."""

    meta = RuleMeta(
        code="FM004", name="frontmatter-not-a-mapping", severity=Severity.ERROR, since="0.1"
    )

    def finding(self, problem: Problem, record: Record) -> Finding:
        spaced = spaced_line(record, problem.span.start)
        return Finding(
            f"the frontmatter is {problem.detail}, not fields: `{shorten(problem.raw)}`",
            span=problem.span,
            help=(
                f"put a space after the colon: `{spaced}`"
                if spaced
                else "write each field as `key: value` on a line of its own"
            ),
        )
