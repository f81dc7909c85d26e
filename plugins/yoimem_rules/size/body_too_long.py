from collections.abc import Iterable
from dataclasses import dataclass

from yoimem import Context, Finding, Record, RecordRule, RuleMeta, Severity
from yoimem_rules.places import first_body_line


class BodyTooLong(RecordRule):
    """The body is longer than its kind allows."""

    meta = RuleMeta(code="SZ001", name="body-too-long", severity=Severity.ERROR, since="0.1")

    @dataclass(frozen=True)
    class Options:
        """The longest body of each kind, in characters; other kinds bring their own limit."""

        summary: int = 20_000
        decision: int = 8_000
        request: int = 8_000
        knowledge: int = 8_000

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        if record.kind is None:
            return
        limit = getattr(ctx.options, record.kind.name, record.kind.body_limit)
        length = len(record.body)
        if limit is not None and length > limit:
            yield Finding(
                f"the body has {length:,} characters, {length - limit:,} over the limit of"
                f" {limit:,} for the kind {record.kind.name}",
                span=first_body_line(record),
                help="shorten it, or move a part that stands by itself into a record of its own",
            )
