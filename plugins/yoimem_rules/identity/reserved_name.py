from collections.abc import Iterable

from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity
from yoimem.records.slug import RESERVED


class ReservedName(RecordRule):
    """The slug is a name that Windows keeps for a device."""

    meta = RuleMeta(code="ID003", name="reserved-name", severity=Severity.ERROR, since="0.1")

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if record.kind is not None and record.slug in RESERVED:
            yield Finding(
                f"the slug `{record.slug}` is a name that Windows keeps for a device",
                help=f"rename the file to say what it is about, like `{record.slug}-notes.md`",
            )
