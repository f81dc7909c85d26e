from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule


class UnreadableFile(ProblemRule):
    """The file is there and cannot be read."""

    meta = RuleMeta(code="FM015", name="unreadable-file", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        return Finding(
            f"the file cannot be read: {problem.detail}",
            span=problem.span,
            help="put a regular file that may be read in its place, or delete it",
        )
