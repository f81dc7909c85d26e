"""All access to the files of a root."""

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from yoimem.workspace.folder import MOST_BYTES
from yoimem.workspace.layout import README, is_reserved

# A pipe that nobody writes to must not hold up the reader.
_TO_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NEW_FILE = 0o644
_A_LINK = "it is a link, and links are not followed"


class UnreadableError(Exception):
    """A file that is there and cannot be read; the message says why."""


class Entry(NamedTuple):
    """A file that the walk met: its root-relative `path`, or the `fault` of a folder not walked."""

    path: str
    fault: str = ""


Signature = tuple[int, int, int, int]
"""What tells that a file is still what it was, without reading it: its inode, its size in bytes,
and when its contents and its entry changed, in nanoseconds since 1970."""


class _Listing(NamedTuple):
    """The Markdown `files` of a root-relative `folder`, or the `fault` why it cannot be walked."""

    folder: str
    files: Sequence[os.DirEntry[str]]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """Reads the files of one root; `root` is resolved."""

    root: Path

    def walk(self, folders: frozenset[str]) -> list[Entry]:
        """List the Markdown files below the top `folders`, sorted by path.

        Links to folders are not followed, so that no walk leaves the root or loops; one that leads
        to Markdown is a fault. Dot files, reserved folders and READMEs are passed over.
        """
        entries: list[Entry] = []
        for folder, files, fault in self._listings(folders):
            if fault:
                entries.append(Entry(folder, fault))
            entries += [Entry(f"{folder}/{file.name}") for file in files]
        return sorted(entries)

    def survey(self, folders: frozenset[str]) -> tuple[dict[str, Signature], frozenset[str]]:
        """Return the signatures of the files that `walk` lists, and the folders it cannot walk.

        The files are in no order.
        """
        signatures: dict[str, Signature] = {}
        unread: set[str] = set()
        for folder, files, fault in self._listings(folders):
            if fault:
                unread.add(folder)
            for file in files:
                try:
                    status = file.stat()
                except OSError:  # it vanished since, or is a link to nowhere
                    continue
                signatures[f"{folder}/{file.name}"] = (
                    status.st_ino,
                    status.st_size,
                    status.st_mtime_ns,
                    status.st_ctime_ns,
                )
        return signatures, frozenset(unread)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file at the root-relative `path`; None when it is not there.

        Raises:
            UnreadableError: it is there and cannot be read, or is a link.
        """
        return read_file(f"{self.root}{os.sep}{path}", follow_links=False)

    def replace(self, path: str, before: bytes | None, after: bytes) -> bool:
        """Put `after` in the place of `before` at the root-relative `path`, whole or not at all.

        `before` is None for a new file. The new bytes are written beside the file, or beside what a
        link there leads to, and renamed over it; its mode bits are kept. False when the file no
        longer holds `before`.

        Raises:
            OSError: it cannot be written.
        """
        full = (self.root / path).resolve()
        if read_file(full) != before:
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

    def _listings(self, folders: frozenset[str]) -> Iterator[_Listing]:
        """List the folders one by one; while one is used it is held open, to be quick about it."""
        pending: list[str] = []
        for folder in folders:
            full = self.root / folder
            if full.is_symlink():
                yield _Listing(folder, (), _A_LINK)
            elif full.is_dir():
                pending.append(folder)
        while pending:
            folder = pending.pop()
            try:
                with _open_listing(f"{self.root}{os.sep}{folder}") as entries:
                    files, inner, links = _sorted_out(folder, entries)
                    pending += inner
                    for link in links:
                        if _holds_markdown(self.root / link):
                            yield _Listing(link, (), _A_LINK)
                    yield _Listing(folder, files)
            except OSError as error:
                yield _Listing(folder, (), _reason(error))


def _sorted_out(
    folder: str, entries: Iterable[os.DirEntry[str]]
) -> tuple[list[os.DirEntry[str]], list[str], list[str]]:
    """Return the Markdown files of `folder`, the folders in it, and its other links."""
    hidden = (".", "_") if is_reserved(f"{folder}/_") else (".",)
    files: list[os.DirEntry[str]] = []
    inner: list[str] = []
    links: list[str] = []
    for entry in entries:
        name = entry.name
        if name.startswith(hidden):
            continue
        # The usual case first: this is asked ten thousand times in each search.
        if name.endswith(".md") or name[-3:].lower() == ".md":
            if name != README:
                files.append(entry)
        elif entry.is_dir(follow_symlinks=False):
            inner.append(f"{folder}/{name}")
        elif entry.is_symlink():
            links.append(f"{folder}/{name}")
    return files, inner, links


def _holds_markdown(folder: Path) -> bool:
    try:
        return any(file.suffix.lower() == ".md" for file in folder.iterdir())
    except OSError:
        return False


@contextmanager
def _open_listing(folder: str) -> Iterator[Iterable[os.DirEntry[str]]]:
    """List `folder`, which is held open meanwhile: its files are then found without a way to go.

    Raises:
        OSError: it cannot be listed.
    """
    if os.scandir not in os.supports_fd:
        with os.scandir(folder) as entries:
            yield entries
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(handle) as entries:
            yield entries
    finally:
        os.close(handle)


def changed_at(signature: Signature) -> int:
    """Return when the file of `signature` changed last in any way, in nanoseconds since 1970."""
    return signature[-1]


def read_file(path: Path | str, *, follow_links: bool = True) -> bytes | None:
    """Return the bytes of the file at `path`; None when it is not there.

    Raises:
        UnreadableError: it is there and cannot be read, or is a link that is not to be followed.
    """
    full = os.fspath(path)
    if not follow_links and not _NO_FOLLOW and os.path.islink(full):  # noqa: PTH114
        raise UnreadableError(_A_LINK)
    try:
        handle = os.open(full, _TO_READ if follow_links else _TO_READ | _NO_FOLLOW)
    except FileNotFoundError as error:
        if os.path.islink(full):  # noqa: PTH114
            raise UnreadableError("it is a link to a file that is not there") from error
        return None
    except OSError as error:
        is_link = not follow_links and os.path.islink(full)  # noqa: PTH114
        raise UnreadableError(_A_LINK if is_link else _reason(error)) from error
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            is_folder = stat.S_ISDIR(status.st_mode)
            raise UnreadableError("it is a folder" if is_folder else "it is no regular file")
        if status.st_size > MOST_BYTES:
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
