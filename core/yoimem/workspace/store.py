"""All access to the files of a root."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from yoimem.workspace.layout import README, is_reserved

# A pipe that nobody writes to must not hold up the reader.
_TO_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW_FILE = 0o644
_MOST_BYTES = 1 << 26
"""What no record comes near: a larger file is not taken into memory only to be refused."""


class UnreadableError(Exception):
    """A file that is there and cannot be read; the message says why."""


class Entry(NamedTuple):
    """A file that the walk met: its root-relative `path`, or the `fault` of a folder not walked."""

    path: str
    fault: str = ""
    found: os.DirEntry[str] | None = None


class Signature(NamedTuple):
    """What tells that a file is still what it was, without reading it."""

    inode: int
    size: int
    modified: int
    changed: int


@dataclass(frozen=True, slots=True)
class Store:
    """Reads the files of one root; `root` is resolved."""

    root: Path

    def walk(self, folders: frozenset[str]) -> list[Entry]:
        """List the Markdown files below the top `folders`, sorted by path.

        Links to folders are not followed, so that no walk leaves the root or loops. Dot files,
        reserved folders and READMEs are passed over.
        """
        # Paths are met once each, so that nothing behind them is ever compared.
        return sorted(entry for folder in folders for entry in self._top(folder))

    def survey(self, folders: frozenset[str]) -> tuple[list[tuple[str, Signature]], frozenset[str]]:
        """List what `walk` lists with the signatures, and name the folders that it cannot walk."""
        found: list[tuple[str, Signature]] = []
        unread: set[str] = set()
        for path, fault, entry in self.walk(folders):
            if fault or entry is None:
                unread.add(path)
                continue
            try:
                status = entry.stat()
            except OSError:  # it vanished since, or is a link to nowhere
                continue
            found.append(
                (
                    path,
                    Signature(
                        status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
                    ),
                )
            )
        return found, frozenset(unread)

    def files(self, folders: frozenset[str]) -> Iterator[tuple[str, os.stat_result]]:
        """Yield what `walk` lists with its status, in no order: quicker than `survey`."""
        tops = ((folder, self.root / folder) for folder in folders)
        pending = [folder for folder, full in tops if full.is_dir() and not full.is_symlink()]
        while pending:
            current = pending.pop()
            hidden = (".", "_") if is_reserved(f"{current}/_") else (".",)
            with _listed(f"{self.root}{os.sep}{current}") as entries:
                for entry in entries:
                    name = entry.name
                    if name.startswith(hidden):
                        continue
                    # The usual case first: this is asked ten thousand times in each search.
                    if not name.endswith(".md") and name[-3:].lower() != ".md":
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(f"{current}/{name}")
                    elif name != README:
                        try:
                            status = entry.stat()
                        except OSError:  # it vanished since, or is a link to nowhere
                            continue
                        yield f"{current}/{name}", status

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file at the root-relative `path`; None when it is not there.

        Raises:
            UnreadableError: it is there and cannot be read.
        """
        return read_file(f"{self.root}{os.sep}{path}")

    def replace(self, path: str, before: bytes | None, after: bytes) -> bool:
        """Put `after` in the place of `before` at the root-relative `path`, whole or not at all.

        `before` is None for a new file. The new bytes are written beside the file, or beside what a
        link there leads to, and renamed over it; its mode bits are kept. False when the file no
        longer holds `before`.

        Raises:
            OSError: it cannot be written.
        """
        full = (self.root / path).resolve()
        if self.read(path) != before:
            return False
        full.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=full.parent)
        beside = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(after)
                file.flush()
                os.fsync(file.fileno())
            beside.chmod(stat.S_IMODE(full.stat().st_mode) if full.exists() else _NEW_FILE)
            beside.replace(full)
        finally:
            beside.unlink(missing_ok=True)
        return True

    def create(self, path: str, text: str) -> bool:
        """Write `text` to a new file at the root-relative `path`; False when one is there already.

        Raises:
            OSError: it cannot be written.
        """
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        try:
            with full.open("xb") as file:
                file.write(text.encode())
        except FileExistsError:
            return False
        return True

    def _top(self, folder: str) -> Iterator[Entry]:
        full = self.root / folder
        if full.is_symlink():
            yield Entry(folder, "it is a link to a folder, and links are not followed")
        elif full.is_dir():
            yield from self._below(folder)

    def _below(self, folder: str) -> Iterator[Entry]:
        pending = [folder]
        while pending:
            current = pending.pop()
            try:
                with os.scandir(os.path.join(self.root, current)) as found:  # noqa: PTH118
                    entries = list(found)
            except OSError as error:
                yield Entry(current, _reason(error))
                continue
            for entry in entries:
                name = entry.name
                path = f"{current}/{name}"
                if name.startswith(".") or is_reserved(path):
                    continue
                if name[-3:].lower() == ".md":
                    if name != README:
                        yield Entry(path, "", entry)
                elif entry.is_dir(follow_symlinks=False):
                    pending.append(path)


@contextmanager
def _listed(folder: str) -> Iterator[list[os.DirEntry[str]]]:
    """List `folder`, which is held open meanwhile: its files are then found without a way to go."""
    if os.scandir not in os.supports_fd:
        try:
            with os.scandir(folder) as found:
                entries = list(found)
        except OSError:
            entries = []
        yield entries
        return
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        yield []
        return
    try:
        with os.scandir(handle) as found:
            yield list(found)
    finally:
        os.close(handle)


def read_file(path: Path | str) -> bytes | None:
    """Return the bytes of the file at `path`; None when it is not there.

    Raises:
        UnreadableError: it is there and cannot be read.
    """
    full = os.fspath(path)
    try:
        handle = os.open(full, _TO_READ)
    except FileNotFoundError as error:
        if os.path.islink(full):  # noqa: PTH114
            raise UnreadableError("it is a link to a file that is not there") from error
        return None
    except OSError as error:
        raise UnreadableError(_reason(error)) from error
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            is_folder = stat.S_ISDIR(status.st_mode)
            raise UnreadableError("it is a folder" if is_folder else "it is no regular file")
        if status.st_size > _MOST_BYTES:
            raise UnreadableError(f"it has {status.st_size:,} bytes, too many to be a record")
        return _read_all(handle, status.st_size)
    except OSError as error:
        raise UnreadableError(_reason(error)) from error
    finally:
        os.close(handle)


def _read_all(handle: int, size: int) -> bytes:
    """Read an open file to its end; `size` is what it is said to hold, in bytes."""
    data = os.read(handle, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while part := os.read(handle, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
