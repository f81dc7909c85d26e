from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten


class InvalidField(ProblemRule):
    """A field holds what it does not take."""

    meta = RuleMeta(code="FM102", name="invalid-field", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        return Finding(
            f"{_what(problem)}: {problem.detail}",
            span=problem.span,
            help=f"write {problem.expected or f'what the schema of a {record.kind_name} takes'}",
            subject=problem.subject,
        )


def _what(problem: Problem) -> str:
    """Name the field and its raw text; where a value is empty, its key is what stands there."""
    key = problem.subject.rpartition(".")[2]
    if problem.raw in ("", key):
        return f"`{problem.subject}`"
    return f"`{problem.subject}` is `{shorten(problem.raw)}`"
