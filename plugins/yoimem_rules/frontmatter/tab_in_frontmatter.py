from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.frontmatter.field_lines import field_at, shown_line
from yoimem_rules.problem_rule import ProblemRule


class TabInFrontmatter(ProblemRule):
    """A tab stands in the frontmatter; one finding a line."""

    meta = RuleMeta(code="FM008", name="tab-in-frontmatter", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        return Finding(
            f"a tab stands in the frontmatter: `{shown_line(record, problem.span.start)}`",
            span=problem.span,
            help="put spaces in the place of every tab of the line",
            subject=field_at(record, problem.span.start),
        )
