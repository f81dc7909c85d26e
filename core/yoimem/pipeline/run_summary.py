"""What a run of the consolidator changed, and for which reasons: read from the audit log."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from yoimem.tools.catalogue import REASONS
from yoimem.workspace.audit import AuditLine

What = Literal["created", "updated", "deleted"]


@dataclass(frozen=True, slots=True)
class Changed:
    """One record that a run changed: its path, what became of it, and the reasons that it gave."""

    path: str
    what: What
    reasons: tuple[str, ...]


def changes_of(run: str, lines: Iterable[AuditLine]) -> tuple[Changed, ...]:
    """Return what the run called `run` changed by the `lines` of the audit log, by path.

    Several changes of one record are one: what it was before the first, and after the last.
    """
    by_path: dict[str, list[AuditLine]] = {}
    for line in lines:
        if line.run == run and line.stage == "done":
            by_path.setdefault(line.path, []).append(line)
    changed = (_changed(path, found) for path, found in sorted(by_path.items()))
    return tuple(change for change in changed if change is not None)


def by_reason(changes: Iterable[Changed]) -> Mapping[str, tuple[Changed, ...]]:
    """Return `changes` under each of their reasons, in the reasons' own order."""
    changes = tuple(changes)
    grouped = {reason: tuple(c for c in changes if reason in c.reasons) for reason in REASONS}
    return {reason: found for reason, found in grouped.items() if found}


def made_by(run: str, lines: Iterable[AuditLine]) -> frozenset[str]:
    """Return the paths of the records that the run called `run` made itself."""
    return frozenset(
        line.path
        for line in lines
        if line.run == run and line.stage == "done" and line.before is None
    )


def _changed(path: str, lines: list[AuditLine]) -> Changed | None:
    """Return what `lines`, the changes of one record, come to; None for what came and went."""
    before, after = lines[0].before, lines[-1].after
    if before == after:
        return None
    what: What = "created" if before is None else "deleted" if after is None else "updated"
    given = {reason for line in lines for reason in line.reasons}
    return Changed(path, what, tuple(reason for reason in REASONS if reason in given))
