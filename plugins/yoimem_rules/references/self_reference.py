from collections.abc import Iterable

from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity


class SelfReference(RecordRule):
    """A decision says that it was replaced by itself."""

    meta = RuleMeta(
        code="RF002",
        name="self-reference",
        severity=Severity.ERROR,
        since="0.1",
        record_kinds=("decision",),
    )

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if record.values.get("replaced_by") == record.slug:
            yield Finding(
                f"`replaced_by` names `{record.slug}`, the record itself",
                field=("replaced_by",),
                help="name the decision that took its place; if none did, take `replaced_by` out"
                " and set `status` to `open` or `resolved`",
            )
