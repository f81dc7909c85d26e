from collections.abc import Iterable

from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity


class TargetWithoutReplaced(RecordRule):
    """A decision names what replaced it, and is not replaced."""

    meta = RuleMeta(
        code="RF005",
        name="target-without-replaced",
        severity=Severity.ERROR,
        since="0.1",
        record_kinds=("decision",),
    )

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        status = record.values.get("status", "replaced")
        if status != "replaced" and "replaced_by" in record.values:
            yield Finding(
                f"`replaced_by` names `{record.values['replaced_by']}`, and `status` is `{status}`",
                field=("replaced_by",),
                help="set `status` to `replaced`, or take `replaced_by` out",
            )
