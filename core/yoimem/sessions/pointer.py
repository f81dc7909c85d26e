"""How far a session was extracted: a pointer that lives as long as the session (section 13).

In yoimem's own log the pointer is a line of the log itself, of the type `extension`. Beside a log
that belongs to another host it is a file, `<name of the log>.yoimem.json`. A line that is appended
moves no other: what `next` means stays.

The line of a pointer is added in one write, as a host adds its own. Where the log ends inside a
line, that line is closed first: it is what a host left that died, and stays a line that is no
entry. A host that writes its lines whole, as it should, is never met halfway.
"""

import hashlib
import json
import secrets
from dataclasses import dataclass
from typing import Any

from yoimem.lint.words import words
from yoimem.sessions.log import SessionError, SessionLog
from yoimem.sessions.transcript import object_of
from yoimem.workspace.folder import Folder, LinkError, open_folder

POINTER_DOMAIN = "memory.extract"
_SIDECAR = ".yoimem.json"


@dataclass(frozen=True, slots=True)
class Pointer:
    """The first line of a log that is not yet extracted.

    `next` is its index; `line` the SHA-256 of the line before it, in hexadecimal, and empty where
    there is none.
    """

    next: int
    line: str

    def fits(self, log: SessionLog) -> bool:
        """Tell whether `log` still holds what was extracted; else it shrank or was replaced."""
        return self.next <= len(log.lines) and pointer_at(log, self.next) == self


def pointer_at(log: SessionLog, next: int) -> Pointer:  # noqa: A002 - the pointer's own word
    """Return the pointer to the line `next` of `log`, from 0 to the number of its lines.

    Raises:
        IndexError: the log has not so many lines.
    """
    if not 0 <= next <= len(log.lines):
        raise IndexError(f"{log.path} has {len(log.lines)} lines, and none is before {next}")
    line = hashlib.sha256(log.lines[next - 1].encode()).hexdigest() if next else ""
    return Pointer(next, line)


def read_pointer(log: SessionLog) -> Pointer | None:
    """Return the pointer that was last written for `log`; None where there is none to be read.

    In a log that keeps its pointer itself it is the one that stood there when it was opened.

    Raises:
        SessionError: the file beside the log cannot be read.
    """
    if keeps_pointer(log):
        spelled = (line for line in reversed(log.lines) if POINTER_DOMAIN in line)
        return next(filter(None, map(_in_line, spelled)), None)
    try:
        with open_folder(log.path.parent, ()) as folder:
            stored = folder.read(log.path.name + _SIDECAR)
    except FileNotFoundError:
        return None
    except (LinkError, OSError) as error:
        raise SessionError(f"the pointer beside {log.path} cannot be read: {error}") from error
    return _parse(object_of(stored.data.decode(errors="replace"))) if stored else None


def write_pointer(log: SessionLog, pointer: Pointer) -> None:
    """Put `pointer` in the place of the last one of `log`, whole or not at all.

    Raises:
        SessionError: it cannot be written; the last one stands.
    """
    write = _append if keeps_pointer(log) else _put_beside
    try:
        with open_folder(log.path.parent, ()) as folder:
            write(folder, log.path.name, {"next": pointer.next, "line": pointer.line})
    except (LinkError, OSError) as error:
        raise SessionError(
            f"the pointer of {log.path} cannot be written: {words(error)}"
        ) from error


def keeps_pointer(log: SessionLog) -> bool:
    """Tell whether the pointer stands in the log itself."""
    return getattr(log.reader, "keeps_pointer", False) is True


def _append(folder: Folder, name: str, payload: dict[str, object]) -> None:
    line = {"type": "extension", "domain": POINTER_DOMAIN, "payload": payload}
    folder.append_line(name, json.dumps(line))


def _put_beside(folder: Folder, name: str, payload: dict[str, object]) -> None:
    data = (json.dumps(payload) + "\n").encode()
    folder.put(name + _SIDECAR, data, f".{name}.{secrets.token_hex(8)}")


def _in_line(line: str) -> Pointer | None:
    value = object_of(line) or {}
    is_ours = value.get("type") == "extension" and value.get("domain") == POINTER_DOMAIN
    return _parse(value.get("payload")) if is_ours else None


def _parse(value: Any) -> Pointer | None:
    match value:
        case {"next": int(index), "line": str(line)} if index >= 0 and not isinstance(index, bool):
            return Pointer(index, line)
    return None
