"""Changing records on disk: one writer at a time, each change whole or not at all (section 10).

A change is: an intent in the audit log, the new bytes in a file beside the record, safe on disk, a
rename over the record, the folder safe on disk, the end in the audit log. A process that is killed
anywhere between leaves the old or the new bytes; whoever writes next settles the log and sweeps up.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from yoimem.workspace.audit import AuditLine, AuditLog, sha256
from yoimem.workspace.folder import Folder, LinkError, StoredFile, open_folder

LOCK_PATH = "memory/_lock"
_TEMPORARY = ".yoimem-"


class BusyError(Exception):
    """Another writer holds the root, longer than this one was willing to wait."""


class ChangedError(Exception):
    """A file is no longer what it was when it was read: someone wrote past the lock."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who changes records: the actor, its session and run, and the hash of its configuration."""

    actor: str
    session: str | None = None
    run: str | None = None
    config: str | None = None


class Writer:
    """Changes the records of one root; waits `lock_timeout` seconds at most for other writers."""

    def __init__(self, root: Path, lock_timeout: float = 10.0) -> None:
        self._root = root
        self._lock_timeout = lock_timeout
        self.audit = AuditLog(root)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the root's lock, and settle what a killed writer left.

        The lock is the operating system's own: it goes with the process that held it.

        Raises:
            BusyError: someone else holds it for too long.
            LinkError: the lock, or the folder it is in, is a link.
        """
        with open_folder(self._root, ("memory",), create=True):
            path = self._root / LOCK_PATH
            if path.is_symlink():
                raise LinkError(f"{path} is a link, and links are not followed")
        lock = FileLock(
            path, timeout=self._lock_timeout, preserve_lock_file=True, fallback_to_soft=False
        )
        try:
            lock.acquire()
        except Timeout as error:
            raise BusyError(
                f"another writer has held {LOCK_PATH} for {self._lock_timeout:g} seconds"
            ) from error
        try:
            self._settle()
            yield
        finally:
            lock.release()

    def read(self, path: str) -> StoredFile | None:
        """Return what stands at the root-relative `path`; None when there is no file.

        Raises:
            LinkError: a part of the path is a link.
            OSError: the file cannot be read.
        """
        *parts, name = path.split("/")
        try:
            with open_folder(self._root, parts) as folder:
                return folder.read(name)
        except FileNotFoundError:
            return None

    def write(
        self,
        path: str,
        before: StoredFile | None,
        after: bytes,
        tool: str,
        time: str,
        author: Author,
        reasons: tuple[str, ...] = (),
    ) -> None:
        """Put `after` at the root-relative `path`, where `before` stood; its mode bits stay.

        A person's editor takes no lock, so what stands there is looked at once more just before
        the rename; a new file is never put over another.

        Raises:
            ChangedError: it is no longer what `before` is.
            LinkError: a part of the path is a link.
            OSError: it cannot be written; the old bytes are there.
        """
        *parts, name = path.split("/")
        intent = _intent(path, before, after, tool, time, author, reasons)
        with open_folder(self._root, parts, create=True) as folder, self._logged(intent):
            temporary = f"{_TEMPORARY}{intent.id}"
            try:
                folder.write(temporary, after, before.mode if before else None)
                _require_unchanged(folder, name, before)
                if before is None:
                    folder.name_new(temporary, name)
                else:
                    folder.replace(temporary, name)
            except BaseException:
                with suppress(OSError):
                    folder.remove(temporary)
                raise
            folder.sync()

    def remove(
        self,
        path: str,
        before: StoredFile,
        tool: str,
        time: str,
        author: Author,
        reasons: tuple[str, ...] = (),
    ) -> None:
        """Remove the file at the root-relative `path`.

        Raises:
            ChangedError: it is no longer what `before` is.
            LinkError: a part of the path is a link.
            OSError: it cannot be removed.
        """
        *parts, name = path.split("/")
        intent = _intent(path, before, None, tool, time, author, reasons)
        with open_folder(self._root, parts) as folder, self._logged(intent):
            _require_unchanged(folder, name, before)
            folder.remove(name)
            folder.sync()

    def move(
        self, path: str, target: str, before: StoredFile, tool: str, time: str, author: Author
    ) -> None:
        """Give the file at `path` the place `target`, which must be free.

        Raises:
            ChangedError: it is no longer what `before` is, or the place is taken.
            LinkError: a part of a path is a link.
            OSError: it cannot be moved.
        """
        *parts, name = path.split("/")
        *target_parts, target_name = target.split("/")
        intent = _intent(path, before, before.data, tool, time, author, (), target)
        with (
            open_folder(self._root, parts) as folder,
            open_folder(self._root, target_parts, create=True) as target_folder,
            self._logged(intent),
        ):
            _require_unchanged(folder, name, before)
            _require_unchanged(target_folder, target_name, None)
            folder.move(name, target_folder, target_name)
            target_folder.sync()
            folder.sync()

    @contextmanager
    def _logged(self, intent: AuditLine) -> Iterator[None]:
        """Write down the intent, and how it ended: done, or undone when it raised."""
        self.audit.append(intent)
        try:
            yield
        except Exception:
            with suppress(OSError, LinkError):
                self.audit.settle(intent, "undone")
            raise
        # What is written is written: an end that cannot be logged is settled by the next writer.
        with suppress(OSError, LinkError):
            self.audit.settle(intent, "done")

    def _settle(self) -> None:
        """Find out how a killed writer's last change ended, and sweep up its temporary file."""
        intent = self.audit.unsettled()
        if intent is None:
            return
        try:
            with (
                suppress(FileNotFoundError),
                open_folder(self._root, intent.path.split("/")[:-1]) as folder,
            ):
                _sweep(folder)
            there = self.read(intent.moved_to or intent.path)
        except (LinkError, OSError, ValueError):
            # Nobody can tell how it ended; that must not keep everyone from writing elsewhere.
            return
        done = sha256(there.data if there else None) == intent.after
        self.audit.settle(intent, "done" if done else "undone")


def _require_unchanged(folder: Folder, name: str, before: StoredFile | None) -> None:
    if folder.read(name) != before:
        raise ChangedError(f"{name} was changed by someone else meanwhile")


def _sweep(folder: Folder) -> None:
    for name in folder.names():
        if name.startswith(_TEMPORARY):
            folder.remove(name)


def _intent(
    path: str,
    before: StoredFile | None,
    after: bytes | None,
    tool: str,
    time: str,
    author: Author,
    reasons: tuple[str, ...],
    moved_to: str | None = None,
) -> AuditLine:
    return AuditLine(
        stage="intent",
        id=secrets.token_hex(8),
        time=time,
        actor=author.actor,
        session=author.session,
        run=author.run,
        tool=tool,
        path=path,
        before=sha256(before.data if before else None),
        after=sha256(after),
        moved_to=moved_to,
        reasons=reasons,
        config=author.config,
    )
