from collections.abc import Iterable, Iterator

from yoimem import Context, Evidence, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity
from yoimem_rules.places import first_body_line


class ProtectedRecord(RecordRule):
    """The consolidator deletes a record in frequent use, or cuts it down to less than half."""

    meta = RuleMeta(
        code="PL004",
        name="protected-record",
        severity=Severity.ERROR,
        since="0.1",
        operations=("update", "delete"),
    )

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if ctx.actor != "consolidator":
            return
        if ctx.operation == "delete":
            yield from _deleted(record, ctx.evidence)
        elif ctx.evidence is not None:
            yield from _cut_down(record, ctx.before, ctx.evidence)


def _deleted(record: Record, evidence: Evidence | None) -> Iterator[Finding]:
    if evidence is None:
        yield Finding(
            "no run of the consolidator stands behind this change, so nobody knows how often the"
            " record is used",
            help="begin a run first, or leave the record as it is",
        )
    elif record.path not in evidence.start.facts:
        return  # what the run made itself it may take back
    elif evidence.frequencies is None:
        yield Finding(
            "nobody knows how often the record is used, as no session has told how many tokens it"
            " spent: nothing is deleted until then",
            help="keep the record: shorten it, or merge others into it",
        )
    elif _is_protected(record.path, evidence):
        yield Finding(
            f"the record is in frequent use ({_use_of(record.path, evidence)}), and such a record"
            " is not deleted",
            help="keep the record: merge others into it, or shorten it to no less than half",
        )


def _cut_down(record: Record, before: Record | None, evidence: Evidence) -> Iterator[Finding]:
    """Hold the body against the one the run began with, so that small cuts add up."""
    if not _is_protected(record.path, evidence):
        return
    length = evidence.lengths.get(record.path, len(before.body) if before else 0)
    if 2 * len(record.body) < length:
        yield Finding(
            f"the record is in frequent use ({_use_of(record.path, evidence)}), and its body would"
            f" have {len(record.body):,} of the {length:,} characters that it had when the run"
            " began",
            span=first_body_line(record),
            help=f"keep at least half, {(length + 1) // 2:,} characters: say the same in fewer"
            " words, and leave no point out",
        )


def _is_protected(path: str, evidence: Evidence) -> bool:
    """Tell whether the record stood when the run began, and is used often enough."""
    if evidence.frequencies is None or path not in evidence.start.facts:
        return False
    return evidence.frequencies.get(path, 0.0) >= evidence.protect


def _use_of(path: str, evidence: Evidence) -> str:
    frequency = (evidence.frequencies or {}).get(path, 0.0)
    return f"{frequency:.4g} invokes in a million tokens, from {evidence.protect:.4g} it counts"
