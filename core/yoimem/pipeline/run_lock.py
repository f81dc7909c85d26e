"""One consolidation at a time: a lock, and a note beside it that tells who holds it (section 13).

The lock is the operating system's own: it goes with its process, and it alone decides who works.
The note is for people, and for the run that comes after one that died: it says what that run had
taken in hand, how the memory stood when it began, and whether it was already clearing up.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from yoimem.pipeline.exclusive import exclusive
from yoimem.pipeline.run_start import RunStart, parse_start, start_json
from yoimem.workspace.folder import LinkError, open_folder

LOCK_PATH = "memory/_staging/_run.lock"
NOTE_PATH = "memory/_staging/_run"
_FOLDER = ("memory", "_staging")
_NAME = "_run"
_TEMPORARY = "._run.tmp"

Phase = Literal["working", "cleaning"]


class RunHeldError(Exception):
    """Another process consolidates this memory; the message says which, and since when."""


@dataclass(frozen=True, slots=True)
class RunNote:
    """What a run says of itself.

    `pid` and `process_start` tell its process, `process_start` None where the system does not say.
    `consumed` are the ids of the staged entries that it takes in, `start` is the memory as it found
    it. While `phase` is `cleaning`, all its changes are made, and only its entries are to go.
    """

    run: str
    pid: int
    process_start: str | None
    started: str
    consumed: tuple[str, ...]
    start: RunStart
    phase: Phase = "working"


class RunLock:
    """The lock of one memory while it is held, and its note."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self) -> RunNote | None:
        """Return the note that is there; None where there is none that says anything."""
        return _read(self._root)

    def write(self, note: RunNote) -> None:
        """Put `note` in the place of the one that is there, whole and safe on disk."""
        content = {
            "run": note.run,
            "pid": note.pid,
            "process_start": note.process_start,
            "started": note.started,
            "phase": note.phase,
            "consumed": list(note.consumed),
            "start": start_json(note.start),
        }
        data = (json.dumps(content, indent=1) + "\n").encode()
        with open_folder(self._root, _FOLDER) as folder:
            folder.put(_NAME, data, _TEMPORARY)

    def clear(self) -> None:
        """Take the note away."""
        with open_folder(self._root, _FOLDER) as folder, suppress(FileNotFoundError):
            folder.remove(_NAME)


@contextmanager
def run_lock(root: Path) -> Iterator[RunLock]:
    """Hold the right to consolidate the memory at `root`, a resolved path.

    Raises:
        RunHeldError: another run works.
        LinkError: the lock, or the folder it is in, is a link.
        OSError: it cannot be made.
    """
    with exclusive(root, LOCK_PATH) as is_held:
        if not is_held:
            raise RunHeldError(_held_by(_read(root)))
        yield RunLock(root)


def own_process() -> tuple[int, str | None]:
    """Return the number of this process, and when it started, where the system tells."""
    pid = os.getpid()
    try:
        started = Path(f"/proc/{pid}").stat().st_ctime
    except OSError:
        return pid, None
    return pid, datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds")


def _read(root: Path) -> RunNote | None:
    try:
        with open_folder(root, _FOLDER) as folder:
            stored = folder.read(_NAME)
        return _note(json.loads(stored.data)) if stored else None
    except (ValueError, RecursionError, FileNotFoundError, LinkError):
        return None


def _note(content: Any) -> RunNote:
    match content:
        case {
            "run": str(run),
            "pid": int(pid),
            "process_start": str() | None as process_start,
            "started": str(started),
            "phase": "working" | "cleaning" as phase,
            "consumed": [*consumed],
            "start": dict(start),
        } if all(isinstance(entry, str) for entry in consumed):
            return RunNote(
                run, pid, process_start, started, tuple(consumed), parse_start(start), phase
            )
    raise ValueError("it is no note of a run")


def _held_by(note: RunNote | None) -> str:
    if note is None:
        return "another process consolidates this memory"
    count = len(note.consumed)
    entries = "1 staged entry" if count == 1 else f"{count} staged entries"
    return (
        f"process {note.pid} consolidates this memory since {note.started}: run {note.run}, with"
        f" {entries}"
    )
