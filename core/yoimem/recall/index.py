"""The index of a search: every record's words, brought up to date before it answers.

Files are the truth. An answer comes from one transaction in which the index held what a survey of
the files had just found; what was too young to be trusted is read again (see `workspace.index`).
"""

import re
import sqlite3
import time
from collections.abc import Callable, Set
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from yoimem.recall import database
from yoimem.recall.query import text_field, updated
from yoimem.recall.words import terms_of
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.workspace.index import COARSEST_STEP
from yoimem.workspace.store import Signature, Store, UnreadableError

Answer = TypeVar("Answer")

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*)$", re.MULTILINE)
_DIGEST_BYTES = 16
_TRIES_ON_DISK = 2


class _Row(NamedTuple):
    """A record in the index; `signature` is None while it is too young to be trusted."""

    number: int
    signature: Signature | None
    digest: bytes


class _Survey(NamedTuple):
    """What is not as the index holds it: the files that are new or `changed`, and those `gone`.

    A file that changed after `settled`, in nanoseconds, is too young for its signature to be
    trusted.
    """

    changed: list[tuple[str, Signature]]
    gone: Set[str]
    settled: int


class SearchIndex:
    """The words of the records of one root, kept in a file in `folder`.

    Several threads and processes may share it.
    """

    def __init__(self, store: Store, kinds: Kinds, reader: Reader, folder: Path) -> None:
        self._store = store
        self._kinds = kinds
        self._reader = reader
        self._file = database.index_file(folder, store.root, _reading(reader))
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None
        self._rows: dict[str, _Row] = {}

    def ask(self, question: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Return what `question` makes of the index, which holds what the files hold now.

        An index gone bad is made again; one that has no place on the disk is kept in memory.
        """
        with self._lock:
            for _ in range(_TRIES_ON_DISK):
                try:
                    return self._ask(question)
                except sqlite3.Error as error:
                    self._let_go()
                    if database.has_no_place(error):
                        break
                    with suppress(OSError):
                        database.remove(self._file)
            self._connection = database.open_in_memory()
            return self._ask(question)

    def close(self) -> None:
        """Let go of the file; the next question opens it again."""
        with self._lock:
            self._let_go()

    def _let_go(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
        self._version = None

    def _ask(self, question: Callable[[sqlite3.Connection], Answer]) -> Answer:
        if self._connection is None:
            self._connection = database.open_on_disk(self._file) or database.open_in_memory()
        connection = self._connection
        connection.execute("BEGIN")
        try:
            self._load(connection)
            survey = self._survey()
            if survey.changed or survey.gone:
                # Only who holds the lock knows that nothing newer is in the index already.
                connection.execute("ROLLBACK")
                connection.execute("BEGIN IMMEDIATE")
                if self._load(connection):
                    survey = self._survey()
                self._bring_up_to_date(connection, survey)
            answer = question(connection)
            connection.execute("COMMIT")
        except BaseException:
            self._version = None  # what is in memory may be ahead of the file
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return answer

    def _survey(self) -> _Survey:
        """Look at every file, and tell which are not as the index holds them."""
        settled = time.time_ns() - COARSEST_STEP
        rows = self._rows
        changed: list[tuple[str, Signature]] = []
        gone = set(rows)
        for path, status in self._store.files(self._kinds.folders):
            gone.discard(path)
            signature = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            row = rows.get(path)
            if row is None or row.signature != signature:
                changed.append((path, Signature(*signature)))
        return _Survey(changed, frozenset(gone), settled)

    def _load(self, connection: sqlite3.Connection) -> bool:
        """Take in what the file holds; False when it is what this process knows already."""
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            return False
        rows = connection.execute("SELECT path, id, signature, digest FROM record")
        self._rows = {
            database.from_key(path): _Row(number, _parsed(signature), digest)
            for path, number, signature, digest in rows
        }
        self._version = version
        return True

    def _bring_up_to_date(self, connection: sqlite3.Connection, survey: _Survey) -> None:
        rows = self._rows
        gone = set(survey.gone)
        number = max((row.number for row in rows.values()), default=0)
        for path, signature in survey.changed:
            read = self._read(path)
            if read is None:  # it vanished since
                gone.add(path)
                continue
            record, digest = read
            row = rows.get(path)
            if row is None:
                number += 1
            trusted = signature if signature.changed < survey.settled else None
            rows[path] = _Row(row.number if row else number, trusted, digest)
            if rows[path] != row:
                _put(connection, record, rows[path], new_words=row is None or row.digest != digest)
        for path in gone & rows.keys():
            _delete(connection, rows.pop(path).number)

    def _read(self, path: str) -> tuple[Record, bytes] | None:
        """Return the record at `path` and the digest of its bytes; None when it is not there."""
        try:
            data = self._store.read(path)
        except UnreadableError as error:
            return self._reader.unreadable(path, str(error)), b""
        if data is None:
            return None
        digest = blake2b(data, digest_size=_DIGEST_BYTES).digest()
        return self._reader.read_bytes(path, data), digest


def _put(connection: sqlite3.Connection, record: Record, row: _Row, *, new_words: bool) -> None:
    signature = None if row.signature is None else " ".join(map(str, row.signature))
    connection.execute(
        "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.number,
            database.to_key(record.path),
            signature,
            row.digest,
            database.to_key(record.kind_name),
            database.to_key(record.slug),
            database.to_key(text_field(record, "kind")),
            database.to_key(text_field(record, "status")),
            updated(record),
        ),
    )
    if new_words:
        connection.execute("DELETE FROM words WHERE rowid = ?", (row.number,))
        connection.execute(
            "INSERT INTO words(rowid, slug, description, headings, frontmatter, body)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (row.number, *map(terms_of, _columns(record))),
        )


def _delete(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("DELETE FROM record WHERE id = ?", (number,))
    connection.execute("DELETE FROM words WHERE rowid = ?", (number,))


def _columns(record: Record) -> tuple[str, str, str, str, str]:
    """Return the texts of a record by how much they say of it; one without a frame is all body."""
    frame = record.frame
    frontmatter = record.text[frame.yaml.start : frame.yaml.end] if frame else ""
    body = record.body if frame else record.text
    # A comment in a code block passes for a heading: parsing Markdown costs ten times the rest.
    headings = "\n".join(_HEADING.findall(body)) if "#" in body else ""
    return record.slug, text_field(record, "description") or "", headings, frontmatter, body


def _parsed(signature: str | None) -> Signature | None:
    return None if signature is None else Signature(*map(int, signature.split(" ")))


def _reading(reader: Reader) -> str:
    """Return what decides how a file is read: an index made by other kinds is another one."""
    kinds = (
        (kind.name, kind.places, kind.schema.__module__, kind.schema.__qualname__, *kind.fields)
        for kind in reader.kinds.all
    )
    return repr((reader.limits, *kinds))
