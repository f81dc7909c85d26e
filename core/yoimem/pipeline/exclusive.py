"""One at a time: a lock of the operating system in the memory's own folders."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from yoimem.workspace.folder import LinkError, open_folder


@contextmanager
def exclusive(root: Path, path: str, wait: float = 0.0) -> Iterator[bool]:
    """Hold the lock at the root-relative `path`, and yield whether it was free within `wait` s.

    The lock goes with the process that holds it, and binds others within the process as well.

    Raises:
        LinkError: the lock, or the folder it is in, is a link.
        OSError: it cannot be made.
    """
    with open_folder(root, path.split("/")[:-1], create=True):
        place = root / path
        if place.is_symlink():
            raise LinkError(f"{place} is a link, and links are not followed")
    # Whoever lets go may be another thread than the one that took it.
    lock = FileLock(
        place, timeout=wait, thread_local=False, preserve_lock_file=True, fallback_to_soft=False
    )
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()
