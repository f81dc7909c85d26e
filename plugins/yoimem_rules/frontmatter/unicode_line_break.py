from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.frontmatter.field_lines import field_at, shown_line
from yoimem_rules.problem_rule import ProblemRule


class UnicodeLineBreak(ProblemRule):
    """A character that only some readers of YAML take for a line end."""

    meta = RuleMeta(code="FM009", name="unicode-line-break", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        raw = shown_line(record, problem.span.start)
        return Finding(
            f"the character {problem.detail} stands in the frontmatter: `{raw}`",
            span=problem.span,
            help="put a space or an ordinary line end in its place",
            subject=field_at(record, problem.span.start),
        )
