from yoimem import Edit, Finding, Fix, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule


class DelimiterTrailingSpace(ProblemRule):
    """Spaces or tabs stand behind a `---` of the frontmatter."""

    meta = RuleMeta(
        code="FM013", name="delimiter-trailing-space", severity=Severity.WARNING, since="0.1"
    )

    def finding(self, problem: Problem, record: Record) -> Finding:
        return Finding(
            "spaces or tabs stand behind the `---`",
            span=problem.span,
            help="delete them: the line is `---` and nothing else",
            fix=Fix("Delete the trailing spaces", (Edit(problem.span, ""),)),
        )
