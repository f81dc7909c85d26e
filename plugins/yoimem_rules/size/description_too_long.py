from collections.abc import Iterable
from dataclasses import dataclass

from yoimem import Context, Finding, Record, RecordRule, RuleMeta, Severity


class DescriptionTooLong(RecordRule):
    """A description that is always shown to the model is too long."""

    meta = RuleMeta(
        code="SZ002",
        name="description-too-long",
        severity=Severity.ERROR,
        since="0.1",
        record_kinds=("knowledge", "workflow"),
    )

    @dataclass(frozen=True)
    class Options:
        """The longest description, in characters."""

        max_length: int = 1_024

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        length = len(record.values.get("description", ""))
        limit = ctx.options.max_length
        if record.invoked_by_model and length > limit:
            yield Finding(
                f"the description has {length:,} characters, {length - limit:,} over the limit of"
                f" {limit:,}, and `model_invokation` shows it to every session",
                field=("description",),
                help="say in a sentence or two when the record is of use, and move the rest into"
                " the body; or set `model_invokation` to `false`",
            )
