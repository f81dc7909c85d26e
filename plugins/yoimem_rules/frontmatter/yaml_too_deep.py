from dataclasses import dataclass

from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem.records.record import MAX_DEPTH
from yoimem_rules.frontmatter.field_lines import field_at, shown_line
from yoimem_rules.problem_rule import ProblemRule

_DEEPEST = 100


class YamlTooDeep(ProblemRule):
    """The frontmatter nests too deep."""

    meta = RuleMeta(code="FM007", name="yaml-too-deep", severity=Severity.ERROR, since="0.1")

    @dataclass(frozen=True)
    class Options:
        """The reader stops below `max_depth` levels; the fields themselves are the first."""

        max_depth: int = MAX_DEPTH

        def __post_init__(self) -> None:
            if not 1 <= self.max_depth <= _DEEPEST:
                raise ValueError(f"`max-depth` must be from 1 to {_DEEPEST}, not {self.max_depth}")

    def finding(self, problem: Problem, record: Record) -> Finding:
        raw = shown_line(record, problem.span.start)
        return Finding(
            f"the frontmatter nests deeper than {problem.detail} levels: `{raw}`",
            span=problem.span,
            help="write the value flat: no field of a record needs more than four levels",
            subject=field_at(record, problem.span.start),
        )
