from collections.abc import Iterable

from yoimem import Context, Evidence, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity
from yoimem.fields import Source


class KnowledgeWithoutCandidate(RecordRule):
    """The consolidator begins knowledge that comes from nothing in frequent use."""

    meta = RuleMeta(
        code="PL003",
        name="knowledge-without-candidate",
        severity=Severity.ERROR,
        since="0.1",
        record_kinds=("knowledge",),
        operations=("create",),
        depends_on=("record", "sources", "last_sources"),
    )

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if ctx.actor != "consolidator":
            return
        evidence = ctx.evidence
        if evidence and any(_may_become_knowledge(s, evidence) for s in record.sources):
            return
        yield Finding(
            "none of its sources belongs to a record that the candidate report lists, or to"
            " knowledge that it was split or merged from",
            field=("last_sources",),
            help=_advice(evidence),
        )


def _may_become_knowledge(source: Source, evidence: Evidence) -> bool:
    if evidence.cold_start and source in evidence.staged:
        return True
    start = evidence.start
    return any(
        path in evidence.candidates or start.facts[path].kind == "knowledge"
        for path in start.holders_of(source)
    )


def _advice(evidence: Evidence | None) -> str:
    if evidence is None:
        return (
            "no run of the consolidator stands behind this change, so there is no candidate: begin"
            " a run first"
        )
    return (
        "write it down as a decision or a request until it is in frequent use, or add it to"
        " knowledge that is there; for a candidate, copy a source of its record into"
        " `last_sources`"
    )
