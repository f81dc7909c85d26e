from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten

_UTF16_MARKS = ("\udcff\udcfe", "\udcfe\udcff")


class NotUtf8(ProblemRule):
    """The file is not UTF-8."""

    meta = RuleMeta(code="FM011", name="not-utf8", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        number = record.lines.place(problem.span.start).line
        seems = "it seems to be UTF-16: " if record.text.startswith(_UTF16_MARKS) else ""
        return Finding(
            f"the file is not UTF-8: {problem.detail}, in `{shorten(record.lines.text(number))}`"
            f" on line {number}",
            span=problem.span,
            help=f"{seems}save the file as UTF-8",
        )
