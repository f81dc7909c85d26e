import re

from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.lint.words import nearest
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten

_INVOKATION = "model_invokation"
_SAME = {
    "auto_invoke": _INVOKATION,
    "created": "created_at",
    "date": "created_at",
    "last_updated": "updated_at",
    "modified": "updated_at",
    "updated": "updated_at",
    "superseded_by": "replaced_by",
    "depends_on": "requires",
}
"""Keys of other formats, and the field that means the same."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class UnknownKey(ProblemRule):
    """A key that is no field of its record kind."""

    meta = RuleMeta(code="FM108", name="unknown-key", severity=Severity.WARNING, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        fields = problem.expected.split(", ")
        return Finding(
            f"the key `{shorten(problem.raw)}` is no field of the record kind `{record.kind_name}`",
            span=problem.span,
            help=_help(problem.subject, [field for field in fields if field not in record.keys])
            or f"delete it; the fields are {', '.join(f'`{field}`' for field in fields)}",
            subject=problem.subject,
        )


def _help(key: str, free: list[str]) -> str:
    """Say which of the fields that are not there yet was meant; empty when none is near."""
    word = _HUMP.sub("_", key).replace("-", "_").lower()
    same = _SAME.get(word, "")
    meant = same if same in free else nearest(word, free)
    if not meant:
        return ""
    spelling = " The format spells it with `k`." if meant == _INVOKATION else ""
    return f"did you mean `{meant}`?{spelling}"
