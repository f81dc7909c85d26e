"""Records that no line of the audit log explains: what was changed past the tools (section 10).

This detects and does not prevent: who can write a record can write the log as well.
"""

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from yoimem.workspace.audit import AuditLine, AuditLog, sha256
from yoimem.workspace.store import Store, UnreadableError

Why = Literal["changed", "unlogged", "gone", "unreadable"]


class Unexplained(NamedTuple):
    """A record that the log does not explain, by its root-relative path.

    `changed`: its bytes are not those that the tools left. `unlogged`: the tools left none there.
    `gone`: it is not there, and the tools did not delete it. `unreadable`: its bytes are unknown.
    """

    path: str
    why: Why


def unexplained_records(root: Path, folders: frozenset[str]) -> tuple[Unexplained, ...]:
    """Return the records below the top `folders` of `root` that no audit line explains, by path.

    Raises:
        LinkError: the way to the log is a link.
        OSError: the log cannot be read.
    """
    store, log = Store(root), AuditLog(root)
    found = find_unexplained(_hashes(store, folders), log.lines())
    if not found:
        return ()
    # A tool at work changes record and log one after the other: only what is found twice counts.
    suspects = {record.path for record in found}
    again = find_unexplained(_hashes(store, folders, suspects), log.lines())
    return tuple(record for record in again if record.path in suspects)


def find_unexplained(
    hashes: Mapping[str, str | None], lines: Iterable[AuditLine]
) -> tuple[Unexplained, ...]:
    """Return the records that `lines` do not explain, by path.

    `hashes` holds the records that are there, with None for one that cannot be read.
    """
    left = _left_by_tools(lines)
    there = (
        Unexplained(path, why)
        for path, found in hashes.items()
        if (why := _why(found, left.get(path, ())))
    )
    gone = (
        Unexplained(path, "gone")
        for path, possible in left.items()
        if path not in hashes and None not in possible
    )
    return tuple(sorted((*there, *gone)))


def _why(found: str | None, possible: tuple[str | None, ...]) -> Why | None:
    if found is None:
        return "unreadable"
    if found in possible:
        return None
    return "changed" if any(possible) else "unlogged"


def _left_by_tools(lines: Iterable[AuditLine]) -> dict[str, tuple[str | None, ...]]:
    """Return the hashes that the tools may have left at each path, None for no record.

    There are two while an intent has no end: what was there before, and what is to be.
    """
    left: dict[str, tuple[str | None, ...]] = {}
    for line in lines:
        for path, after in _outcome(line).items():
            before = left.get(path, (None,))[:1]
            if line.stage == "intent":
                left[path] = (*before, after)
            else:
                left[path] = (after,) if line.stage == "done" else before
    return left


def _outcome(line: AuditLine) -> dict[str, str | None]:
    """Return what the change of `line` leaves where."""
    if line.moved_to is None:
        return {line.path: line.after}
    return {line.path: None, line.moved_to: line.after}


def _hashes(
    store: Store, folders: frozenset[str], only: Container[str] | None = None
) -> dict[str, str | None]:
    """Hash the records that are there, all or those in `only`."""
    found: dict[str, str | None] = {}
    for path, fault in store.walk(folders):
        if fault or (only is not None and path not in only):
            continue
        try:
            data = store.read(path)
        except UnreadableError:
            found[path] = None
            continue
        if data is not None:
            found[path] = sha256(data)
    return found
