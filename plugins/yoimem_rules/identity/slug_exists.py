from collections.abc import Iterable

from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity
from yoimem_rules.wording import shorten


class SlugExists(RecordRule):
    """A record is created where one is already."""

    meta = RuleMeta(
        code="ID004",
        name="slug-exists",
        severity=Severity.ERROR,
        since="0.1",
        operations=("create",),
    )

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if ctx.before is not None:
            yield Finding(
                f"the record `{shorten(record.path)}` exists already",
                help="read it and edit it, or write it whole with the mode `update`; for another"
                " subject choose another slug",
            )
