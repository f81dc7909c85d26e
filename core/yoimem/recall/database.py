"""The file of a search index: a cache that may go bad, be deleted, or have no place at all.

Whatever keeps it from the disk, an index in memory takes its place: no search fails for it.
"""

import os
import sqlite3
import stat
from hashlib import sha256
from pathlib import Path

FORMAT = 2
"""Counted up with every change of the tables, or of what the words of a text are."""

SECONDS_TO_WAIT = 10.0
"""How long one process waits for another that writes, before it keeps an index of its own."""

FIELDS = ("slug", "description", "headings", "frontmatter", "body", "written")
"""Where the words of a record stand; `written` are all of them, as they are written."""

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_RECORDS = (
    "CREATE TABLE record (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, signature TEXT,"
    " digest BLOB NOT NULL, record_kind BLOB, slug BLOB, kind BLOB, status BLOB, updated INTEGER)"
)
# Words come ready made: all that is not a blank is a part of one.
_WORDS = (
    f"CREATE VIRTUAL TABLE words USING fts5({', '.join(FIELDS)},"
    " tokenize=\"ascii tokenchars '+#'\")"
)
_NO_PLACE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOLFS,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
_PRIMARY_CODE = 0xFF


def index_folder(configured: str, workspace: Path) -> Path:
    """Return the folder of the indexes: `configured`, seen from `workspace`, or the user's own."""
    if configured:
        return workspace / Path(configured).expanduser()
    from platformdirs import user_cache_path  # noqa: PLC0415 - few runs need it

    return user_cache_path("yoimem", appauthor=False) / "search"


def index_file(folder: Path, root: Path, reading: str) -> Path:
    """Return the file in `folder` for the records of `root`; `reading` says how they are read."""
    key = "\0".join((str(FORMAT), os.fspath(root), reading))
    return folder / f"{sha256(os.fsencode(key)).hexdigest()[:32]}.sqlite3"


def to_key(text: str | None) -> bytes | None:
    """Return `text` as the index holds it for comparison: SQLite's own texts take no surrogates."""
    return None if text is None else text.encode("utf-8", "surrogatepass")


def from_key(key: bytes) -> str:
    """Return the text of a key."""
    return key.decode("utf-8", "surrogatepass")


def open_on_disk(file: Path) -> sqlite3.Connection | None:
    """Open the index in `file`, or begin one; None where the user has no folder of their own.

    Raises:
        sqlite3.Error: it cannot be used; `has_no_place` tells whether another one could be.
    """
    if not _is_own(file.parent):
        return None
    connection = _connect(os.fspath(file))
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _make_tables(connection)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def open_in_memory() -> sqlite3.Connection:
    """Begin an index that ends with its connection."""
    connection = _connect(":memory:")
    _make_tables(connection)
    return connection


def count_words(connection: sqlite3.Connection) -> int:
    """Count the records whose words the index holds."""
    found: int = connection.execute("SELECT count(*) FROM words_docsize").fetchone()[0]
    return found


def has_no_place(error: sqlite3.Error) -> bool:
    """Tell whether `error` is the disk's doing, not that of a file gone bad."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & _PRIMARY_CODE in _NO_PLACE


def remove(file: Path) -> None:
    """Remove the index in `file`, and what SQLite keeps beside it.

    Raises:
        OSError: it cannot be removed.
    """
    for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
        file.with_name(name).unlink(missing_ok=True)


def _connect(name: str) -> sqlite3.Connection:
    # Transactions are begun by hand; one thread at a time is let in, whichever it is.
    return sqlite3.connect(
        name, timeout=SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
    )


def _make_tables(connection: sqlite3.Connection) -> None:
    if _format_of(connection) == FORMAT:
        return
    connection.execute("BEGIN IMMEDIATE")
    if _format_of(connection) != FORMAT:  # another process may have been first
        for statement in (_RECORDS, _WORDS, f"PRAGMA user_version = {FORMAT}"):
            connection.execute(statement)
    connection.execute("COMMIT")


def _format_of(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def _is_own(folder: Path) -> bool:
    """Make `folder` if there is none; tell whether it is the user's own, for nobody else to write.

    A cache that others write could hide records, or have SQLite open what they made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    # Windows gives each user a folder of their own, and no owner's number to compare.
    return not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & _OTHERS_MAY_WRITE
    )
