from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule

_LINES = {
    "created_at": "`created_at: 2026-01-10T09:00:00Z`, with the time when it was first written",
    "updated_at": "`updated_at: 2026-01-10T09:00:00Z`, with the time when it last changed",
    "sources": "`sources: []`, or the sessions it comes from:"
    " `sources: [{session_id: s1, range: [0, 12]}]`",
    "last_sources": "`last_sources: []`, or the sessions it comes from:"
    " `last_sources: [{session_id: s1, range: [0, 12]}]`",
    "status": "`status: open` (or `resolved`, or `replaced`)",
    "kind": "`kind: convention`, with a word for the sort of knowledge",
    "description": "`description: '…'`, with one sentence on what it says and when it helps",
    "model_invokation": "`model_invokation: false` (`true` shows the description to the model)",
    "user_invocable": "`user_invocable: true` (`false` hides it from people)",
}
"""A line to paste for each field of the built-in kinds."""


class MissingField(ProblemRule):
    """A field that the record kind requires is not there."""

    meta = RuleMeta(code="FM101", name="missing-field", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        field = problem.subject
        line = _LINES.get(field, f"`{field}: …`")
        return Finding(
            f"the field `{field}` is missing{_taking(problem.expected)}",
            span=problem.span,
            help=f"add a line to the frontmatter: {line}",
            subject=field,
        )


def _taking(expected: str) -> str:
    return f": it takes {expected}" if expected else ""
