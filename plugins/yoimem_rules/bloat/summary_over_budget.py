from collections.abc import Iterable
from dataclasses import dataclass

from yoimem import Context, Finding, Record, RecordRule, RuleMeta, Severity
from yoimem.records.tokens import estimate_tokens
from yoimem_rules.places import first_body_line


class SummaryOverBudget(RecordRule):
    """The summary costs every session more tokens than it should."""

    meta = RuleMeta(
        code="BL004",
        name="summary-over-budget",
        severity=Severity.WARNING,
        since="0.1",
        record_kinds=("summary",),
    )

    @dataclass(frozen=True)
    class Options:
        """The most tokens, by estimate."""

        max_tokens: int = 5_000

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        tokens = estimate_tokens(record.body)
        limit = ctx.options.max_tokens
        if tokens > limit:
            yield Finding(
                f"the summary has about {tokens:,} tokens, {tokens - limit:,} over the limit of"
                f" {limit:,}, and every session pays for them",
                span=first_body_line(record),
                help="move details into decisions, requests or knowledge, and keep here what every"
                " session needs",
            )
