"""ACME001: a rule that judges one record."""

from collections.abc import Iterable
from dataclasses import dataclass

from yoimem import Context, Finding, Record, RecordRule, RuleMeta, Severity


class RationaleMissing(RecordRule):
    """A decision does not say why."""

    meta = RuleMeta(
        code="ACME001",
        name="rationale-missing",
        severity=Severity.ERROR,
        since="0.1",
        record_kinds=("decision",),
    )

    @dataclass(frozen=True)
    class Options:
        """What a configuration may set."""

        heading: str = "Rationale"

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        """Yield a finding when the heading is not there."""
        heading = ctx.options.heading
        if not record.has_heading(heading):
            yield Finding(
                f"the decision has no `{heading}` heading",
                span=record.body_span,
                help=f"add a line `## {heading}`, and below it why this was decided",
            )
