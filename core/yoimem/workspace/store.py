"""All access to the files of a root."""

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
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


class Survey(NamedTuple):
    """What a look at every file found.

    `changed` are the signatures of the files that are not as they were known, `same` is how many
    are, `unread` are the folders that cannot be walked.
    """

    changed: dict[str, Signature]
    same: int
    unread: frozenset[str]


_NONE_KNOWN: Mapping[str, Signature | None] = MappingProxyType({})


class _Listing(NamedTuple):
    """The Markdown `files` of a root-relative `folder`, or the `fault` why it cannot be walked.

    The files are looked at one by one as the system lists them, since that is quickest by far.
    """

    folder: str
    files: Iterable[os.DirEntry[str]]
    fault: str = ""


@dataclass(slots=True)
class _Rest:
    """What else is in a folder: the `others` that are no Markdown, and a `fault` of the listing."""

    others: list[os.DirEntry[str]] = field(default_factory=list)
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """Reads and writes the files of one root; `root` is resolved."""

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

    def survey(
        self, folders: frozenset[str], known: Mapping[str, Signature | None] = _NONE_KNOWN
    ) -> Survey:
        """Look at every file that `walk` lists; `known` are the signatures from before."""
        changed: dict[str, Signature] = {}
        unread: set[str] = set()
        same = 0
        for folder, files, fault in self._listings(folders):
            if fault:
                unread.add(folder)
            for file in files:
                try:
                    status = file.stat(follow_symlinks=False)
                except OSError:  # it vanished since
                    continue
                path = f"{folder}/{file.name}"
                signature = (
                    status.st_ino,
                    status.st_size,
                    status.st_mtime_ns,
                    status.st_ctime_ns,
                )
                if known.get(path) == signature:
                    same += 1
                else:
                    changed[path] = signature
        return Survey(changed, same, frozenset(unread))

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
        """List the folders one by one; the files of each are to be taken before the next one."""
        pending: list[str] = []
        for folder in folders:
            full = self.root / folder
            if full.is_symlink():
                yield _Listing(folder, (), _A_LINK)
            elif full.is_dir():
                pending.append(folder)
        while pending:
            folder = pending.pop()
            rest = _Rest()
            try:
                with _open_listing(f"{self.root}{os.sep}{folder}") as entries:
                    yield _Listing(folder, _markdown(folder, entries, rest))
                    for entry in rest.others:
                        path = f"{folder}/{entry.name}"
                        if entry.is_dir(follow_symlinks=False):
                            pending.append(path)
                        elif entry.is_symlink() and _holds_markdown(self.root / path):
                            yield _Listing(path, (), _A_LINK)
            except OSError as error:
                rest.fault = _reason(error)
            if rest.fault:
                yield _Listing(folder, (), rest.fault)


def _markdown(
    folder: str, entries: Iterable[os.DirEntry[str]], rest: _Rest
) -> Iterator[os.DirEntry[str]]:
    """Yield the Markdown files among the `entries` of `folder`, and leave the `rest`."""
    hidden = "._" if is_reserved(f"{folder}/_") else "."
    try:
        for entry in entries:
            name = entry.name
            if name[0] in hidden:
                continue
            # The usual case first: this is asked ten thousand times in each search.
            if not name.endswith(".md") and name[-3:].lower() != ".md":
                rest.others.append(entry)
            elif name != README:
                yield entry
    except OSError as error:
        rest.fault = _reason(error)


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
