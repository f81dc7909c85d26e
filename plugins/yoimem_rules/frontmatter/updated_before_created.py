from collections.abc import Iterable
from datetime import datetime
from typing import Any

from yoimem import Context, Finding, Record, RecordRule, RuleMeta, Severity
from yoimem_rules.wording import shorten


class UpdatedBeforeCreated(RecordRule):
    """The record was updated before it was created."""

    meta = RuleMeta(
        code="FM110", name="updated-before-created", severity=Severity.WARNING, since="0.1"
    )

    def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
        created = record.values.get("created_at")
        updated = record.values.get("updated_at")
        if not isinstance(created, datetime) or not isinstance(updated, datetime):
            return
        if updated < created:
            first, last = shorten(record.raw("created_at")), shorten(record.raw("updated_at"))
            yield Finding(
                f"`updated_at` is `{last}`, before `created_at`, `{first}`",
                field=("updated_at",),
                help=f"set `updated_at` to the time of the last change, `{first}` or later",
            )
