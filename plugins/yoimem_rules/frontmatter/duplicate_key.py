from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule


class DuplicateKey(ProblemRule):
    """A key stands twice in one mapping."""

    meta = RuleMeta(code="FM005", name="duplicate-key", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        first = record.lines.place(int(problem.detail)).line
        return Finding(
            f"the key `{problem.subject}` stands a second time; the first is on line {first}",
            span=problem.span,
            help="keep one of the two: readers of YAML disagree about which one counts",
            subject=problem.subject,
        )
