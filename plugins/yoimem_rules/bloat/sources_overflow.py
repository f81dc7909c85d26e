from collections.abc import Iterable
from dataclasses import dataclass

from yoimem import Context, Edit, Finding, Fix, Record, RecordRule, RuleMeta, Severity, Span
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader


class SourcesOverflow(RecordRule):
    """The list of sources keeps growing."""

    meta = RuleMeta(
        code="BL002",
        name="sources-overflow",
        severity=Severity.WARNING,
        since="0.1",
        record_kinds=("decision", "request", "knowledge"),
    )

    @dataclass(frozen=True)
    class Options:
        """How many sources a record keeps."""

        max_sources: int = 10

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        limit = ctx.options.max_sources
        field = "last_sources" if record.kind_name == "knowledge" else "sources"
        count = len(record.values.get(field, ()))
        if count > limit:
            yield Finding(
                f"`{field}` holds {count} sources, {count - limit} over the limit of {limit}",
                field=(field,),
                help=f"keep the last {limit} of the list: git keeps the rest",
                fix=_keep_last(record, field, limit),
            )


def _keep_last(record: Record, field: str, limit: int) -> Fix | None:
    """Cut the earlier items out; None where the list is laid out so that this is not safe."""
    sources = record.values[field]
    dropped = len(sources) - limit
    if limit < 1:
        return None
    cut = Span(record.span(field, 0).start, record.span(field, dropped).start)
    text = record.text[: cut.start] + record.text[cut.end :]
    wanted = {**record.values, field: sources[dropped:]}
    if Reader(Kinds()).read_text(record.path, text).values != wanted:
        return None
    return Fix(f"keep the last {limit} sources", (Edit(cut, ""),), safe=False)
