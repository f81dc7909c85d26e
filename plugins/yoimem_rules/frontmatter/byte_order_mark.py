from yoimem import Edit, Finding, Fix, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.problem_rule import ProblemRule


class ByteOrderMark(ProblemRule):
    """The file begins with a byte order mark."""

    meta = RuleMeta(code="FM012", name="byte-order-mark", severity=Severity.WARNING, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        return Finding(
            "the file begins with a byte order mark, U+FEFF, before the `---`",
            span=problem.span,
            help="save the file as UTF-8 without a byte order mark",
            fix=Fix("Delete the byte order mark", (Edit(problem.span, ""),)),
        )
