"""What a call must fulfil before records are touched, each with the error that says how."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from yoimem.records.kinds import Kinds
from yoimem.records.slug import MAX_LENGTH
from yoimem.tools.errors import ErrorCode, MemoryToolError
from yoimem.workspace.audit import sha256
from yoimem.workspace.folder import LinkError, StoredFile
from yoimem.workspace.layout import is_linted
from yoimem.workspace.writer import BusyError, ChangedError

_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}
_LONGEST_SHOWN = 200
_LONGEST_NAME = 255
"""Bytes of a file name, on the systems that there are."""


def require_place(path: str, kinds: Kinds) -> None:
    """Refuse what is no path, or no place of a record, before anything is opened."""
    parts, shown = path.split("/"), repr(path[:_LONGEST_SHOWN])
    odd = any(part in {"", ".", ".."} for part in parts)
    strange = not path.isprintable() or any(char in path for char in "\\:%")
    if odd or strange or path.startswith("~"):
        raise MemoryToolError(
            "invalid_argument",
            f"{shown} is no path below the root, like memory/decisions/use-sqlite.md",
        )
    if len(parts[-1].encode()) > _LONGEST_NAME:
        raise MemoryToolError(
            "invalid_argument",
            f"{path[:_LONGEST_SHOWN]!r} is too long: a slug has {MAX_LENGTH} characters",
        )
    if kinds.of(path) is None or not is_linted(path, kinds.folders):
        places = ", ".join(place for kind in kinds.all for place in kind.places)
        raise MemoryToolError(
            "denied",
            f"{path[:_LONGEST_SHOWN]!r} is no place of a record; the places are: {places}",
        )


def not_found(path: str, next_step: str) -> MemoryToolError:
    """Make the error of a record that is not there; `next_step` says what to do instead."""
    return MemoryToolError("not_found", f"there is no record {path}; {next_step}")


def require_free(path: str, stored: StoredFile | None) -> None:
    """Refuse to write over a record that is not to be replaced, whatever rules are switched off."""
    if stored is not None:
        raise MemoryToolError(
            "invalid_argument",
            f"the record {path} exists already: edit it, or write it with mode `update`",
        )


def require_expected(path: str, stored: StoredFile | None, expect: str | None) -> None:
    """Refuse a change that was made against other bytes than those that stand there."""
    current = sha256(stored.data if stored else None)
    if expect is None or expect == current:
        return
    there = f"its sha256 is {current}" if current else "it is not there any more"
    raise MemoryToolError(
        "conflict",
        f"{path} has changed since it was read, and nothing was written: {there}; read it again,"
        " and bring your change to what it holds now",
    )


def require_unlocked(path: str, stored: StoredFile) -> None:
    """Refuse to change a record that a person locked."""
    if stored.is_locked:
        raise MemoryToolError(
            "denied", f"{path} has no write bit: a person locked it, and no tool may change it"
        )


@contextmanager
def as_tool_errors() -> Iterator[None]:
    """Turn what the disk and the lock say into the tools' own error."""
    try:
        yield
    except LinkError as error:
        raise MemoryToolError("denied", str(error)) from error
    except ChangedError as error:
        message = f"nothing was written: {error}; read it again, and bring your change to it"
        raise MemoryToolError("conflict", message) from error
    except BusyError as error:
        raise MemoryToolError("busy", f"{error}; try again") from error
    except OSError as error:
        code: ErrorCode = "denied" if error.errno in _NOT_ALLOWED else "internal"
        raise MemoryToolError(code, f"nothing was written: {error}") from error
