"""Staged activity: what was extracted and is not yet consolidated (design, section 13).

Each entry is a file, `memory/_staging/<UUIDv7>.json`, written whole or not at all. What was
consumed leaves a line in `memory/_logs/consumed.jsonl`, so that a session is not extracted twice
even where its own pointer could not be written.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from marshmallow import ValidationError
from uuid6 import uuid7

from yoimem.pipeline.activity import Activity, ActivityError, activity_dict, parse_activity
from yoimem.pipeline.exclusive import exclusive
from yoimem.records.fields import Source, SourceField
from yoimem.records.timestamp import parse_timestamp
from yoimem.sessions.pointer import Pointer
from yoimem.workspace.folder import Folder, LinkError, open_folder
from yoimem.workspace.json_lines import append, raw_lines

STAGING_PATH = "memory/_staging"
CONSUMED_PATH = "memory/_logs/consumed.jsonl"
_FOLDER = ("memory", "_staging")
_LEDGER_FOLDER = ("memory", "_logs")
_LEDGER = "consumed.jsonl"
_SUFFIX = ".json"
_SOURCE = SourceField()


@dataclass(frozen=True, slots=True)
class StagedEntry:
    """One staged file.

    `source` is the stretch of the session that `activity` was extracted from, `pointer` where the
    next extract of that session begins, `size` what the file takes, in bytes.
    """

    id: str
    created_at: str
    source: Source
    pointer: Pointer
    activity: Activity
    size: int


@dataclass(frozen=True, slots=True)
class Staged:
    """What is staged, oldest first; `faults` tells of files that are no staged entries."""

    entries: tuple[StagedEntry, ...]
    faults: tuple[str, ...]


class Staging:
    """The staging folder of the memory at `root`, a resolved path."""

    def __init__(self, root: Path, clock: Callable[[], datetime] | None = None) -> None:
        self._root = root
        self._clock = clock or _utc_now

    def add(self, source: Source, pointer: Pointer, activity: Activity) -> StagedEntry:
        """Stage `activity`; it is safe on disk when this returns.

        Whoever adds entries of a session holds its `in_flight`.

        Raises:
            LinkError: the staging folder is a link.
            OSError: it cannot be written, and nothing was staged.
        """
        entry_id, created_at = str(uuid7()), self._clock().astimezone(UTC)
        content = {
            "id": entry_id,
            "created_at": created_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "source": source_dict(source),
            "pointer": asdict(pointer),
            "activity": activity_dict(activity),
        }
        data = (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()
        temporary = f".{_key(source.session_id)}.tmp"
        with open_folder(self._root, _FOLDER, create=True) as folder:
            folder.put(entry_id + _SUFFIX, data, temporary)
        return StagedEntry(
            entry_id, str(content["created_at"]), source, pointer, activity, len(data)
        )

    def listing(self) -> Staged:
        """Return all that is staged now.

        Raises:
            LinkError: the staging folder is a link.
            OSError: it cannot be read.
        """
        entries: list[StagedEntry] = []
        faults: list[str] = []
        try:
            with open_folder(self._root, _FOLDER) as folder:
                for name in sorted(filter(_is_entry, folder.names())):
                    try:
                        entries += _read(folder, name)
                    except (ActivityError, ValueError, RecursionError, LinkError, OSError) as error:
                        faults.append(f"{STAGING_PATH}/{name} is no staged entry: {error}")
        except FileNotFoundError:
            pass
        return Staged(tuple(entries), tuple(faults))

    def consume(self, entries: Iterable[StagedEntry]) -> None:
        """Note that each of `entries` was consumed, then delete its file; one by one.

        One that is gone already is passed over.

        Raises:
            LinkError: the staging folder or the ledger is a link.
            OSError: a file cannot be written or deleted; those before it are consumed.
        """
        with open_folder(self._root, _FOLDER, create=True) as folder:
            there = set(folder.names())
            for entry in entries:
                if entry.id + _SUFFIX in there:
                    self._note(entry)
                    folder.remove(entry.id + _SUFFIX)
            folder.sync()

    def pointers(self, session_id: str) -> tuple[Pointer, ...]:
        """Return where extracts of a session ended, by what is staged and what was consumed.

        Raises:
            LinkError: the staging folder or the ledger is a link.
            OSError: they cannot be read.
        """
        staged = ((entry.source, entry.pointer) for entry in self.listing().entries)
        ends = (*self._consumed(), *staged)
        return tuple(pointer for source, pointer in ends if source.session_id == session_id)

    @contextmanager
    def in_flight(self, session_id: str, wait: float = 0.0) -> Iterator[bool]:
        """Hold the right to extract a session, and yield whether it was free within `wait` seconds.

        The right is a lock of the operating system: it goes with the process that holds it.

        Raises:
            LinkError: the lock is a link.
            OSError: it cannot be made.
        """
        path = f"{STAGING_PATH}/.{_key(session_id)}.lock"
        with exclusive(self._root, path, wait) as is_held:
            yield is_held

    def _note(self, entry: StagedEntry) -> None:
        content = {
            "id": entry.id,
            "source": source_dict(entry.source),
            "pointer": asdict(entry.pointer),
        }
        append(self._root, _LEDGER_FOLDER, _LEDGER, content)

    def _consumed(self) -> Iterator[tuple[Source, Pointer]]:
        """Yield what the ledger tells; torn and foreign lines are passed over."""
        for raw in raw_lines(self._root, _LEDGER_FOLDER, _LEDGER):
            with suppress(ValueError, RecursionError):
                content = _object(raw)
                yield _source(content), _pointer(content)


def _is_entry(name: str) -> bool:
    return name.endswith(_SUFFIX) and not name.startswith(".")


def _read(folder: Folder, name: str) -> list[StagedEntry]:
    """Return the entry in the file `name`; nothing when it was consumed meanwhile.

    Raises:
        ValueError: it is no staged entry; the message says why.
        ActivityError: its activity is none.
    """
    stored = folder.read(name)
    if stored is None:
        return []
    content = _object(stored.data)
    match content:
        case {"id": str(entry_id), "created_at": str(created_at)} if entry_id + _SUFFIX == name:
            parse_timestamp(created_at)
        case _:
            raise ValueError("its `id` is not its name, or its `created_at` is no text")
    activity = parse_activity(content.get("activity"))
    source, pointer = _source(content), _pointer(content)
    return [StagedEntry(entry_id, created_at, source, pointer, activity, len(stored.data))]


def _object(data: bytes) -> dict[str, Any]:
    content = json.loads(data)
    if not isinstance(content, dict):
        raise ValueError("it holds no JSON object")  # noqa: TRY004 - whatever is wrong is one error
    return content


def _source(content: dict[str, Any]) -> Source:
    try:
        return _SOURCE.read(content.get("source"))
    except ValidationError as error:
        raise ValueError("its `source` is none") from error


def _pointer(content: dict[str, Any]) -> Pointer:
    match content.get("pointer"):
        case {"next": int(index), "line": str(line)} if index >= 0 and not isinstance(index, bool):
            return Pointer(index, line)
    raise ValueError("its `pointer` is none")


def source_dict(source: Source) -> dict[str, Any]:
    """Return `source` as JSON and frontmatter spell it."""
    return {"session_id": source.session_id, "range": [source.start, source.end]}


def _key(session_id: str) -> str:
    """Return what names the files of a session, whatever characters its id has."""
    return hashlib.sha256(session_id.encode(errors="replace")).hexdigest()[:16]


def _utc_now() -> datetime:
    return datetime.now(UTC)
