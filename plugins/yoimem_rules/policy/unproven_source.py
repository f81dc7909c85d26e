from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from yoimem import Context, Evidence, Finding, Record, RecordRule, RuleMeta, Severity
from yoimem.fields import Source
from yoimem_rules.bloat.sources_overflow import SourcesOverflow
from yoimem_rules.policy.sources import listed, sources_of, written

_KEEPS_SOURCES = {"decision", "request"}


class UnprovenSource(RecordRule):
    """The consolidator names a source that nothing proves, or loses one."""

    meta = RuleMeta(
        code="PL002",
        name="unproven-source",
        severity=Severity.ERROR,
        since="0.1",
        operations=("create", "update"),
        depends_on=("record", "sources", "last_sources"),
    )

    @dataclass(frozen=True)
    class Options:
        """To how many of its sources a record may be trimmed."""

        trimmed_to: int = SourcesOverflow.Options.max_sources

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        if ctx.actor != "consolidator":
            return
        yield from _unproven(record, ctx)
        if record.kind_name not in _KEEPS_SOURCES:
            return
        if ctx.operation == "update":
            yield from _dropped(record, ctx)
        elif not record.sources:
            yield Finding(
                f"the new {record.kind_name} has no source that can be read",
                field=("sources",),
                help="copy the source of each staged entry that it was made from into `sources`",
            )


def _unproven(record: Record, ctx: Context[UnprovenSource.Options]) -> Iterator[Finding]:
    """Speak of sources that neither the memory nor the staging held when the run began."""
    held = {source for _, source in sources_of(ctx.before)} if ctx.before else set()
    for field, source in sources_of(record):
        if source not in held and not _is_proven(source, ctx.evidence):
            yield Finding(
                f"no record held the source `{written(source)}` when the run began, and no staged"
                " entry of the run has it",
                field=field,
                subject=written(source),
                help=_advice(source, ctx.evidence),
            )


def _is_proven(source: Source, evidence: Evidence | None) -> bool:
    if evidence is None:
        return False
    return source in evidence.staged or bool(evidence.start.holders_of(source))


def _advice(source: Source, evidence: Evidence | None) -> str:
    if evidence is None:
        return (
            "no run of the consolidator stands behind this change, so no new source can be proven:"
            " begin a run first, or leave the record as it is"
        )
    of_session = sorted(s for s in evidence.staged if s.session_id == source.session_id)
    near = f"; this session has {listed(of_session)}" if of_session else ""
    return (
        "copy the source of a staged entry, or one that a record holds already, exactly as it"
        f" stands there{near}"
    )


def _dropped(record: Record, ctx: Context[UnprovenSource.Options]) -> Iterator[Finding]:
    """Speak of sources that the record held, and that no record would hold any more."""
    before = ctx.before
    if before is None:
        return
    if _hides_sources(before):
        yield Finding(
            "the sources that the record holds cannot be read, so nobody can tell which of them"
            " this change drops",
            field=("sources",),
            help="leave the record as it is: a person must mend it",
        )
        return
    # Those before the last few may go: that is how BL002 has a list trimmed.
    owed = tuple(dict.fromkeys(before.sources))[-ctx.options.trimmed_to :]
    lost = [
        source
        for source in owed
        if source not in record.sources and not _is_kept(source, record.path, ctx.evidence)
    ]
    if lost:
        yield Finding(
            f"`sources` drops {listed(lost)}, and no other record keeps it",
            field=("sources",),
            help="keep every source that was there, and put new ones behind them; of a list of more"
            f" than {ctx.options.trimmed_to}, the last {ctx.options.trimmed_to} must stay",
        )


def _hides_sources(record: Record) -> bool:
    """Tell whether the record may hold sources that the reader could not make out."""
    return "sources" not in record.values and ("sources" in record.keys or not record.keys)


def _is_kept(source: Source, path: str, evidence: Evidence | None) -> bool:
    """Tell whether a record other than the one at `path` holds `source`."""
    return evidence is not None and any(p != path for p in evidence.now.holders_of(source))
