from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.lint.words import nearest
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten

_SAME = {
    "active": "open",
    "draft": "open",
    "in-progress": "open",
    "in_progress": "open",
    "in progress": "open",
    "new": "open",
    "pending": "open",
    "proposed": "open",
    "todo": "open",
    "wip": "open",
    "accepted": "resolved",
    "approved": "resolved",
    "closed": "resolved",
    "complete": "resolved",
    "completed": "resolved",
    "decided": "resolved",
    "done": "resolved",
    "finished": "resolved",
    "fixed": "resolved",
    "rejected": "resolved",
    "deprecated": "replaced",
    "obsolete": "replaced",
    "superseded": "replaced",
}
"""Words of other trackers, and the status that means the same."""


class InvalidStatus(ProblemRule):
    """A status that is none of those there are."""

    meta = RuleMeta(code="FM106", name="invalid-status", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        choices = problem.expected.split(", ")
        listed = ", ".join(f"`{choice}`" for choice in choices)
        meant = _meant(problem.raw, choices)
        return Finding(
            f"the status `{shorten(problem.raw)}` is none of {listed}",
            span=problem.span,
            help=f"did you mean `{meant}`?{_also(meant)}" if meant else f"write one of {listed}",
            subject=problem.subject,
        )


def _meant(raw: str, choices: list[str]) -> str:
    word = raw.strip("'\"").casefold()
    same = _SAME.get(word, "")
    return same if same in choices else nearest(word, choices)


def _also(status: str) -> str:
    return " it also needs `replaced_by: <slug>`" if status == "replaced" else ""
