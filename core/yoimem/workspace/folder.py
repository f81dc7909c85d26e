"""A folder of a root that is held open while its files are read and changed.

Every part of the way to it is opened by itself, and no link is followed: a folder that is swapped
for a link between a check and a use changes nothing, since the descriptor stays with what was
checked. Where the system has no such descriptors (Windows) each part is looked at before it is
used, which leaves that gap open.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import TypedDict

_HELD = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe in the place of a file keeps nobody waiting
_BINARY = getattr(os, "O_BINARY", 0)
MOST_BYTES = 1 << 26
"""What no record comes near: a larger file is not taken into memory only to be refused."""

_LINKS = {errno.ELOOP, errno.ENOTDIR, errno.EMLINK}


class LinkError(Exception):
    """A part of a path is a link, or no folder where one is wanted; the message names it."""


class _At(TypedDict, total=False):
    dir_fd: int


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What a file held when it was read: its bytes, and its mode bits."""

    data: bytes
    mode: int

    @property
    def is_locked(self) -> bool:
        """Whether a person took the write bit away; root counts like anyone else."""
        return not self.mode & stat.S_IWUSR


class Folder:
    """An open folder. Names are single parts: none holds a `/`."""

    def __init__(self, path: Path, handle: int | None) -> None:
        self._path = path
        self._handle = handle

    def read(self, name: str) -> StoredFile | None:
        """Return the file `name`; None when there is none.

        Raises:
            LinkError: it is a link, or no regular file.
            OSError: it cannot be read, or has more than `MOST_BYTES`.
        """
        try:
            handle = self._open_to_read(name)
        except FileNotFoundError:
            return None
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            self._require_size(name, status.st_size, MOST_BYTES)
            return StoredFile(file.read(), stat.S_IMODE(status.st_mode))

    def read_end(self, name: str, size: int) -> bytes:
        """Return the last `size` bytes of the file `name`; nothing when there is no file.

        Raises:
            LinkError: it is a link, or no regular file.
        """
        try:
            handle = self._open_to_read(name)
        except FileNotFoundError:
            return b""
        with os.fdopen(handle, "rb") as file:
            length = file.seek(0, os.SEEK_END)
            file.seek(max(length - size, 0))
            return file.read()

    def read_lines(self, name: str, most: int) -> list[bytes] | None:
        """Return the lines of the file `name`, each with its end; None when there is no file.

        Raises:
            LinkError: it is a link, or no regular file.
            OSError: it cannot be read, or has more than `most` bytes.
        """
        try:
            handle = self._open_to_read(name)
        except FileNotFoundError:
            return None
        with os.fdopen(handle, "rb") as file:
            self._require_size(name, os.fstat(handle).st_size, most)
            return list(file)

    def write(self, name: str, data: bytes, mode: int | None) -> None:
        """Make the new file `name` with `data`, safe on disk, with the bits of `mode` if given."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
        with os.fdopen(self._open(name, flags), "wb") as file:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def append(self, name: str, data: bytes) -> None:
        """Add all of `data` to the end of the file `name`, in one write; make it if there is none.

        Several processes that append do not mix their lines: the system adds each write whole.

        Raises:
            LinkError: it is a link.
        """
        with self.open_end(name) as file:
            rest = memoryview(data)
            while rest:  # a disk that is nearly full takes a part
                rest = rest[file.write(rest) :]

    def append_line(self, name: str, line: str) -> None:
        """Add `line` to the end of the file `name`, in one write; a torn line is closed first.

        Raises:
            LinkError: it is a link.
        """
        is_torn = self.read_end(name, 1) not in {b"", b"\n"}
        self.append(name, ("\n" * is_torn + line + "\n").encode())

    def put(self, name: str, data: bytes, temporary: str) -> None:
        """Put `data` in the place of the file `name`, safe on disk, whole or not at all.

        The bytes are written to the file `temporary` first, where a killed writer may have left
        some.

        Raises:
            LinkError: `temporary` is a link.
            OSError: it cannot be written; what stood there stands.
        """
        with suppress(FileNotFoundError):
            self.remove(temporary)
        try:
            self.write(temporary, data, None)
            self.replace(temporary, name)
        except BaseException:
            with suppress(OSError):
                self.remove(temporary)
            raise
        self.sync()

    def open_end(self, name: str) -> FileIO:
        """Open the file `name` to add to its end, making it if there is none.

        Raises:
            LinkError: it is a link.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_FOLLOW | _NO_WAIT | _BINARY
        return FileIO(self._open(name, flags), "a")

    def replace(self, source: str, target: str) -> None:
        """Give the file `source` the name `target`, in one step, whatever bore it before."""
        if self._handle is None:
            os.replace(self._path / source, self._path / target)  # noqa: PTH105
        else:
            os.replace(source, target, src_dir_fd=self._handle, dst_dir_fd=self._handle)

    def name_new(self, source: str, target: str) -> None:
        """Give the file `source` the name `target`, which nothing must bear.

        Raises:
            FileExistsError: something bears it.
        """
        if self._handle is None:
            os.rename(self._path / source, self._path / target)  # noqa: PTH104 - refuses there
            return
        try:
            os.link(source, target, src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            self.replace(source, target)
        else:
            self._remove_surely(source)

    def _remove_surely(self, name: str) -> None:
        """Remove a second name of a file, which is no failure of what was done with the first."""
        for _ in range(2):
            with suppress(OSError):
                self.remove(name)
                return

    def move(self, name: str, target: "Folder", target_name: str) -> None:
        """Move the file `name` to `target_name` in the folder `target`, in one step."""
        if self._handle is None or target._handle is None:  # noqa: SLF001 - of its own class
            os.rename(self._path / name, target._path / target_name)  # noqa: PTH104, SLF001
        else:
            os.rename(
                name,
                target_name,
                src_dir_fd=self._handle,
                dst_dir_fd=target._handle,  # noqa: SLF001
            )

    def remove(self, name: str) -> None:
        """Remove the file `name`."""
        os.unlink(self._name(name), **self._at())

    def names(self) -> list[str]:
        """List what is in the folder."""
        return os.listdir(self._path if self._handle is None else self._handle)  # noqa: PTH208

    def sync(self) -> None:
        """Bring the folder's own entries safe to disk, where the system can.

        What was renamed or removed is so for every reader by now: a system that cannot do this
        does not make the change undone.
        """
        if self._handle is not None:
            with suppress(OSError):
                os.fsync(self._handle)

    def open_child(self, name: str, *, create: bool) -> "Folder":
        """Open the folder `name` in this one, making it first if `create` and there is none.

        Raises:
            LinkError: it is a link, or no folder.
            FileNotFoundError: there is none.
        """
        if create:
            with suppress(FileExistsError):
                os.mkdir(self._name(name), **self._at())  # noqa: PTH102
        path = self._path / name
        if self._handle is None:
            _require_folder(path)
            return Folder(path, None)
        return Folder(path, self._open(name, os.O_RDONLY | os.O_DIRECTORY | _NO_FOLLOW))

    def close(self) -> None:
        """Let go of the folder."""
        if self._handle is not None:
            os.close(self._handle)

    def _require_size(self, name: str, size: int, most: int) -> None:
        if size > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(self._path / name))

    def _open_to_read(self, name: str) -> int:
        handle = self._open(name, os.O_RDONLY | _NO_FOLLOW | _NO_WAIT | _BINARY)
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return handle
        os.close(handle)
        raise LinkError(f"{self._path / name} is no regular file")

    def _open(self, name: str, flags: int) -> int:
        if self._handle is None and (self._path / name).is_symlink():
            raise LinkError(f"{self._path / name} is a link, and links are not followed")
        try:
            return os.open(self._name(name), flags, 0o666, **self._at())
        except OSError as error:
            if error.errno in _LINKS:
                raise LinkError(
                    f"{self._path / name} is a link, and links are not followed"
                ) from error
            raise

    def _name(self, name: str) -> str:
        return name if self._handle is not None else str(self._path / name)

    def _at(self) -> _At:
        return {} if self._handle is None else {"dir_fd": self._handle}


@contextmanager
def open_folder(root: Path, parts: Sequence[str], *, create: bool = False) -> Iterator[Folder]:
    """Open the folder that `parts` lead to from the resolved `root`, following no link.

    Raises:
        LinkError: a part is a link, or no folder.
        FileNotFoundError: a part is not there, and `create` is not asked for.
    """
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY) if _HELD else None
    folder = Folder(root, handle)
    try:
        for part in parts:
            child = folder.open_child(part, create=create)
            folder.close()
            folder = child
        yield folder
    finally:
        folder.close()


def _require_folder(path: Path) -> None:
    if path.is_symlink():
        raise LinkError(f"{path} is a link, and links are not followed")
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not path.is_dir():
        raise LinkError(f"{path} is no folder")
