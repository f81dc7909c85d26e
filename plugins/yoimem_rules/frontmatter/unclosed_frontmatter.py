import re

from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten

# A line that was meant to close, or that looks like no line of YAML.
_END = re.compile(
    r"^(?:[ \t]*(?P<almost>-{2,}|\.{3})[ \t]*\r?$|(?![\s#]|- |[\w-]+:(?:\s|\Z)|\Z))",
    re.MULTILINE,
)


class UnclosedFrontmatter(ProblemRule):
    """The frontmatter opens and never closes."""

    meta = RuleMeta(code="FM002", name="unclosed-frontmatter", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        return Finding(
            "the frontmatter never closes: after this `---` comes no second line that is `---`",
            span=problem.span,
            help=_help(problem.span.end, record),
        )


def _help(opened: int, record: Record) -> str:
    match = _END.search(record.text, opened + 1)
    if match is None:
        return "add a line `---` below the last field"
    number = record.lines.place(match.start()).line
    line = shorten(record.lines.text(number))
    if match["almost"]:
        return f"write line {number}, `{line}`, as three hyphens and nothing else: `---`"
    return f"add a line `---` above line {number}, `{line}`, or wherever the last field ends"
