from collections.abc import Iterable

from yoimem import Context, Evidence, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity
from yoimem_rules.wording import shorten

_SHOWN = 6


class DecisionDeleted(RecordRule):
    """The consolidator deletes a decision whose replacement nobody could have seen yet."""

    meta = RuleMeta(
        code="PL005",
        name="decision-deleted",
        severity=Severity.ERROR,
        since="0.1",
        record_kinds=("decision",),
        operations=("delete",),
        depends_on=("record", "replaced_by"),
    )

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        evidence = ctx.evidence
        if ctx.actor != "consolidator":
            return
        if evidence is None:
            yield Finding(
                "no run of the consolidator stands behind this change, so nobody knows whether the"
                " decision was replaced before",
                help="begin a run first, or leave the decision as it is",
            )
        elif record.values.get("status") == "replaced":
            if not _was_replaced(record.path, evidence):
                yield Finding(
                    "the decision is deleted in the run that replaced it",
                    help="leave it with `status: replaced` and `replaced_by`: a later run may"
                    " delete it",
                )
        elif referring := _referring(record, evidence):
            yield Finding(
                f"the decision is not replaced, and {_listed(referring)} still name it in"
                " `replaced_by`",
                help="leave it; where another decision took its place, set `status: replaced` and"
                " `replaced_by`",
            )


def _was_replaced(path: str, evidence: Evidence) -> bool:
    facts = evidence.start.facts.get(path)
    return facts is not None and facts.status == "replaced"


def _referring(record: Record, evidence: Evidence) -> list[str]:
    """Return the paths of the other records that refer to the decision."""
    edges = evidence.now.edges_to(record.slug)
    paths = (edge.path for edge in edges if "decision" in edge.kinds and edge.path != record.path)
    return sorted(set(paths))


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(f"`{shorten(path)}`" for path in paths[:_SHOWN]) + more
