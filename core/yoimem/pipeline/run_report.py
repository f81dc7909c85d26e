"""What came of a run, in words."""

from yoimem.pipeline.run import RunResult
from yoimem.pipeline.run_summary import by_reason
from yoimem.tools.results import sendable


def report_text(result: RunResult) -> str:
    """Return what a run changed and for which reasons, what it offered, and how it ended."""
    lines = [_head(result)]
    for reason, changes in by_reason(result.changes).items():
        lines += [f"{reason}:", *(f"  {change.what} {change.path}" for change in changes)]
    lines += [f"offered: `{offer.slug}`, offer {offer.id}" for offer in result.offers]
    return sendable("\n".join([*lines, *result.faults]))


def _head(result: RunResult) -> str:
    changed = _count(len(result.changes), "record")
    if result.failure:
        return (
            f"run {result.run} failed, with {changed} changed and nothing consumed:"
            f" {result.failure}"
        )
    consumed = _count(len(result.consumed), "staged entry", "staged entries")
    return f"run {result.run}: {changed} changed, {consumed} consumed"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
