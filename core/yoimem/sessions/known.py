"""Where the logs of past sessions are: what was remembered, and what the readers find.

`memory/_logs/sessions.jsonl` holds a line for each log that was used. It is in the repository's
folder, where anyone may have written it: a log is opened only where a reader recognises it, it
calls itself what is looked for, and it begins as the one that was remembered.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from yoimem.lint.session_reader import SessionReader
from yoimem.sessions.log import SessionError, SessionLog, ask, id_in, open_log
from yoimem.sessions.transcript import object_of
from yoimem.workspace.json_lines import append, raw_lines
from yoimem.workspace.layout import Root

SESSIONS_PATH = "memory/_logs/sessions.jsonl"
_FOLDER = ("memory", "_logs")
_NAME = "sessions.jsonl"


@dataclass(frozen=True, slots=True)
class _Known:
    """One remembered log; `begins` is the SHA-256 of its first line."""

    session_id: str
    path: str
    reader: str
    begins: str


def remember(root: Path, log: SessionLog) -> None:
    """Note in the memory at `root` where the log of a session is, unless it is noted already.

    Raises:
        LinkError: the way to the note is a link.
        OSError: it cannot be written.
    """
    if not log.lines:
        return
    known = _Known(log.session_id, str(log.path), log.reader.name, _begin(log.lines))
    if known in _remembered(root):
        return
    append(root, _FOLDER, _NAME, asdict(known))


def known_ids(root: Root) -> tuple[str, ...]:
    """Return the ids of the sessions whose logs were noted, the last one first.

    Raises:
        LinkError: the way to the note is a link.
        OSError: it cannot be read.
    """
    return tuple(dict.fromkeys(known.session_id for known in reversed(_remembered(root.path))))


def find_log(
    root: Root, session_id: str, readers: Mapping[str, SessionReader]
) -> SessionLog | None:
    """Return the log of a session: where it was remembered, else where a reader finds it.

    Raises:
        SessionError: there is none, and a reader failed that might have found it.
        LinkError: the way to the note is a link.
        OSError: the note cannot be read.
    """
    faults: list[str] = []
    for path, reader, begins in _places(root, session_id, readers, faults):
        try:
            log = open_log(path, {reader.name: reader}, session_id)
            named = id_in(reader, log.lines)
        except SessionError as error:
            faults.append(str(error))
            continue
        if named in {None, session_id} and begins in {None, _begin(log.lines)}:
            return log
    if faults:
        raise SessionError("; ".join(faults))
    return None


def _places(
    root: Root, session_id: str, readers: Mapping[str, SessionReader], faults: list[str]
) -> Iterator[tuple[Path, SessionReader, str | None]]:
    """Yield where the log may be, its reader, and how it must begin; the last known first."""
    for known in reversed(_remembered(root.path)):
        is_meant = known.session_id == session_id and known.reader in readers
        if is_meant and os.path.isfile(known.path):  # noqa: PTH113 - never raises
            yield Path(known.path), readers[known.reader], known.begins
    for reader in readers.values():
        try:
            path = ask(reader, partial(_found_by, reader, session_id, root.workspace))
        except SessionError as error:
            faults.append(str(error))
            continue
        if path is not None:
            yield path, reader, None


def _found_by(reader: SessionReader, session_id: str, workspace: Path) -> Path | None:
    path = reader.find(session_id, workspace)
    return None if path is None else Path(path)


def _begin(lines: Sequence[str]) -> str:
    return hashlib.sha256(lines[0].encode()).hexdigest() if lines else ""


def _remembered(root: Path) -> list[_Known]:
    raws = raw_lines(root, _FOLDER, _NAME)
    return [known for raw in raws if (known := _parse(raw)) is not None]


def _parse(raw: bytes) -> _Known | None:
    match object_of(raw.decode(errors="replace")):
        case {"session_id": str(session_id), "path": str(path), "reader": str(reader),
              "begins": str(begins)}:  # fmt: skip
            return _Known(session_id, path, reader, begins)
    return None
