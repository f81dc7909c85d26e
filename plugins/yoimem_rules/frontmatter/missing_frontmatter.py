import re

from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten

_ALMOST = re.compile(r"\s*[-\u2010-\u2015\u2212]{2,}\s*")


class MissingFrontmatter(ProblemRule):
    """The first line does not open the frontmatter."""

    meta = RuleMeta(code="FM001", name="missing-frontmatter", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        first = f"line 1 is `{shorten(problem.raw)}`" if problem.raw else "line 1 is empty"
        return Finding(
            f"the frontmatter is missing: {first}, and only `---` opens it",
            span=problem.span,
            help=_help(problem, record),
        )


def _help(problem: Problem, record: Record) -> str:
    if _ALMOST.fullmatch(problem.raw):
        return "write three hyphens and nothing else on line 1: `---`"
    if problem.detail:
        return (
            f"a `---` is on line {problem.detail}: if the frontmatter opens there, delete every"
            " line above it"
        )
    fields = record.kind.fields.items() if record.kind else ()
    required = ", ".join(f"`{name}`" for name, field in fields if field.required)
    return f"begin the file with a line `---`, the fields {required}, and a line `---`"
