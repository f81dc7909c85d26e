"""The log of one session: opened, recognised, read into entries.

A log belongs to its host, which may be writing it meanwhile: what counts is its whole lines. A last
line without its end is whole when it holds a JSON object, since nothing that could follow would
leave it one; else it is torn, and left out.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar, get_args

from yoimem.lint.session_reader import Role, SessionEntry, SessionReader
from yoimem.lint.words import did_you_mean, words
from yoimem.sessions.transcript import object_of
from yoimem.workspace.folder import LinkError, open_folder

_FIRST_LINES = 100
_MOST_BYTES = 1 << 30
_BOM = "\ufeff"

Answer = TypeVar("Answer")


class SessionError(Exception):
    """A session log that cannot be used; the message says which one, why, and the way on."""


@dataclass(frozen=True, slots=True)
class SessionLog:
    """A session log as it stood when it was opened.

    `path` is free of links. `lines` are its whole lines without their ends; the index of a line is
    what a source's range counts. `entries` are those with a text, by index. `spent` holds the input
    tokens of each line that tells some, `is_torn` whether an unfinished line was left out.
    """

    path: Path
    reader: SessionReader
    session_id: str
    lines: tuple[str, ...] = field(repr=False)
    entries: tuple[SessionEntry, ...] = field(repr=False)
    spent: tuple[tuple[int, int], ...] = field(repr=False)
    is_torn: bool

    def since(self, index: int) -> tuple[SessionEntry, ...]:
        """Return the entries from the line `index` on."""
        return tuple(entry for entry in self.entries if entry.index >= index)

    def tokens_since(self, index: int) -> int:
        """Return how many input tokens the model newly read from the line `index` on."""
        return sum(tokens for line, tokens in self.spent if line >= index)


def open_log(
    path: Path,
    readers: Mapping[str, SessionReader],
    session_id: str | None = None,
    *,
    reader_name: str | None = None,
) -> SessionLog:
    """Read the log at `path`, by the reader that recognises its first lines or the one named.

    `session_id` is what the host calls the session; else the log's own id holds, or its name.

    Raises:
        SessionError: there is no log, it cannot be read, or no reader can make anything of it.
    """
    place = _real(path)
    lines, is_torn = _whole_lines(_read(place))
    reader = _named(reader_name, readers) if reader_name else _recognised(place, lines, readers)
    found = _entries(reader, lines, place)
    return SessionLog(
        path=place,
        reader=reader,
        session_id=session_id or id_in(reader, lines) or place.stem,
        lines=lines,
        entries=tuple(entry for entry in found if entry.text),
        spent=tuple((entry.index, entry.input_tokens) for entry in found if entry.input_tokens),
        is_torn=is_torn,
    )


def id_in(reader: SessionReader, lines: Sequence[str]) -> str | None:
    """Return the id that a log with `lines` gives itself; None where it has none.

    Raises:
        SessionError: the reader failed.
    """
    found = ask(reader, partial(reader.session_id, lines))
    return _plain(found) if isinstance(found, str) and found else None


def ask(reader: SessionReader, question: Callable[[], Answer]) -> Answer:
    """Return what `question`, a call of `reader`, returns.

    Raises:
        SessionError: it raised, whatever it was; the message names the reader.
    """
    try:
        return question()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a plugin raises, also to leave the process
        raise SessionError(f"{_label(reader)} failed: {words(error)}") from error


def _real(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:
        raise SessionError(f"{str(path)!r} is no session log: {error}") from error


def _read(place: Path) -> list[bytes]:
    try:
        with open_folder(place.parent, ()) as folder:
            found = folder.read_lines(place.name, _MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        found = None
    except LinkError as error:
        raise SessionError(f"{place} is no session log: {error}") from error
    except OSError as error:
        raise SessionError(f"the session log {place} cannot be read: {words(error)}") from error
    if found is None:
        raise SessionError(f"there is no session log at {place}")
    return found


def _whole_lines(found: list[bytes]) -> tuple[tuple[str, ...], bool]:
    """Return the whole lines without their ends, and whether the last one was left out as torn."""
    lines = [raw.removesuffix(b"\n").removesuffix(b"\r").decode(errors="replace") for raw in found]
    if lines:
        lines[0] = lines[0].removeprefix(_BOM)
    is_torn = bool(found) and not found[-1].endswith(b"\n") and object_of(lines[-1]) is None
    return tuple(lines[:-1] if is_torn else lines), is_torn


def _named(name: str, readers: Mapping[str, SessionReader]) -> SessionReader:
    if name in readers:
        return readers[name]
    hint = did_you_mean(name, readers) or f"; there are: {', '.join(readers)}"
    raise SessionError(f"there is no session reader `{name}`{hint}")


def _recognised(
    place: Path, lines: Sequence[str], readers: Mapping[str, SessionReader]
) -> SessionReader:
    """Return the first reader that knows the log; one that fails keeps no other from it."""
    first, faults = lines[:_FIRST_LINES], []
    for reader in readers.values():
        try:
            if ask(reader, partial(reader.recognises, first)):
                return reader
        except SessionError as error:
            faults.append(f"; {error}")
    what = f"is no log of {', '.join(readers) or 'any session reader'}" if lines else "is empty"
    raise SessionError(f"no session reader recognises {place}: it {what}{''.join(faults)}")


def _entries(reader: SessionReader, lines: Sequence[str], place: Path) -> list[SessionEntry]:
    found = ask(reader, lambda: list(reader.entries(lines)))
    wrong = next((entry for entry in found if not _is_usable(entry, len(lines))), None)
    if wrong is not None:
        raise SessionError(f"{_label(reader)} made no entry of {place}: {wrong!r}")
    entries = (replace(entry, text=_plain(entry.text)) for entry in found)
    return sorted(entries, key=lambda entry: entry.index)


def _is_usable(entry: object, length: int) -> bool:
    return (
        isinstance(entry, SessionEntry)
        and entry.role in get_args(Role)
        and isinstance(entry.text, str)
        and isinstance(entry.input_tokens, int)
        and entry.input_tokens >= 0
        and isinstance(entry.index, int)
        and 0 <= entry.index < length
    )


def _plain(text: str) -> str:
    """Return `text` without lone surrogates, which JSON can spell and no file can hold."""
    return text.encode(errors="replace").decode()


def _label(reader: SessionReader) -> str:
    kind = type(reader)
    return f"the session reader `{reader.name}` ({kind.__module__}.{kind.__qualname__})"
