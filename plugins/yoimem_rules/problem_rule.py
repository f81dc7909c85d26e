"""The shape of a rule that reports what the reader could not use."""

from collections.abc import Iterable
from typing import Any

from yoimem import Context, Finding, Record, RecordRule
from yoimem.records.problem import Problem


class ProblemRule(RecordRule):
    """Turns the problems that bear the rule's own name into findings.

    The reader found them and knows their places (design, section 6); the rule says what they mean
    and how to mend them, and can be switched, documented and tested like any other.
    """

    only_problems = True

    def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
        return [self.finding(p, record) for p in record.problems if p.name == self.meta.name]

    def finding(self, problem: Problem, record: Record) -> Finding:
        """Word one problem."""
        raise NotImplementedError
