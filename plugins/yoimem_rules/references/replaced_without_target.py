from collections.abc import Iterable

from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity


class ReplacedWithoutTarget(RecordRule):
    """A decision is replaced and does not say by which."""

    meta = RuleMeta(
        code="RF004",
        name="replaced-without-target",
        severity=Severity.ERROR,
        since="0.1",
        record_kinds=("decision",),
    )

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if record.values.get("status") == "replaced" and "replaced_by" not in record.keys:
            yield Finding(
                "`status` is `replaced`, and `replaced_by` does not say by which decision",
                field=("status",),
                help="add a line `replaced_by: <slug>` with the slug of the decision that took its"
                " place; if none did, set `status` to `open` or `resolved`",
            )
