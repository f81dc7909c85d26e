from collections.abc import Iterable

from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity
from yoimem.records.slug import RESERVED, slug_fault, suggest_slug
from yoimem_rules.wording import shorten

_LONGEST_FAULT = 200


class InvalidSlug(RecordRule):
    """The name of a record's file is no slug."""

    meta = RuleMeta(code="ID001", name="invalid-slug", severity=Severity.ERROR, since="0.1")

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if record.kind is None or record.path in record.kind.places:
            return
        fault = slug_fault(record.slug)
        if fault:
            yield Finding(
                f"the file name `{shorten(record.slug)}` is no slug:"
                f" {shorten(fault, _LONGEST_FAULT)}",
                help=_help(record.slug),
            )


def _help(slug: str) -> str:
    suggestion = suggest_slug(slug)
    if not suggestion or suggestion in RESERVED:
        return "rename the file to what it is about, in words of a-z and 0-9 joined by `-`"
    return f"rename the file to `{suggestion}.md`"
