from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule


class IdentityInFrontmatter(ProblemRule):
    """The frontmatter names the record a second time."""

    meta = RuleMeta(
        code="FM107", name="identity-in-frontmatter", severity=Severity.ERROR, since="0.1"
    )

    def finding(self, problem: Problem, record: Record) -> Finding:
        return Finding(
            f"the key `{problem.raw}` names the record a second time",
            span=problem.span,
            help=f"delete the line: the name of the file, `{record.slug}`, is its only identity",
            subject=problem.subject,
        )
