from collections.abc import Iterable
from dataclasses import dataclass

from yoimem import Context, Finding, Record, RecordRule, RuleMeta, Severity
from yoimem_rules.places import first_body_line


class LargeLowImportance(RecordRule):
    """A long record rests on one source alone."""

    meta = RuleMeta(
        code="BL001",
        name="large-low-importance",
        severity=Severity.WARNING,
        since="0.1",
        record_kinds=("decision", "request"),
    )

    @dataclass(frozen=True)
    class Options:
        """The longest body that one source may have, in characters."""

        max_length: int = 1_500

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        limit = ctx.options.max_length
        if len(record.sources) == 1 and len(record.body) > limit:
            yield Finding(
                f"the body has {len(record.body):,} characters and rests on one source; over"
                f" {limit:,} that is much for what came up once",
                span=first_body_line(record),
                help="cut it down to what a later reader needs, or merge it with a record of the"
                " same subject",
            )
