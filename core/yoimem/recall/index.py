"""The index of a search: every record's words, brought up to date before it answers.

Files are the truth. An answer comes from one transaction in which the index held what a survey of
the files had just found; what was too young to be trusted is read again (see `workspace.index`).
"""

import re
import sqlite3
import time
from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from hashlib import blake2b
from itertools import chain, count
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeVar

from yoimem.recall import database
from yoimem.recall.query import text_field, updated
from yoimem.recall.words import reading_of_words, terms_of, words_in, written_of
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.workspace.index import COARSEST_STEP, load
from yoimem.workspace.store import Signature, Store, changed_at

Answer = TypeVar("Answer")

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*)$", re.MULTILINE)
_DIGEST_BYTES = 16
_TRIES_ON_DISK = 2
_PUT_RECORD = "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


class _Row(NamedTuple):
    """A record in the index, and the digest of the text whose words it holds."""

    number: int
    digest: bytes


class _Changes(NamedTuple):
    """The files that are new or `changed` since the index was last brought up to date, and `gone`.

    A file that changed after `settled`, in nanoseconds, is too young for its signature to be
    trusted.
    """

    changed: Mapping[str, Signature]
    gone: Set[str]
    settled: int


class SearchIndex:
    """The words of the records of one root, kept in a file in `folder`.

    Several threads and processes may share it.
    """

    def __init__(self, store: Store, reader: Reader, folder: Path) -> None:
        self._store = store
        self._reader = reader
        self._file = database.index_file(folder, store.root, _reading(reader))
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None
        self._rows: dict[str, _Row] = {}
        self._signatures: dict[str, Signature | None] = {}
        """None for a file that is too young for its signature to be trusted."""

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
            changes = self._changes()
            if changes.changed or changes.gone:
                # Only who holds the lock knows that nothing newer is in the index already.
                connection.execute("ROLLBACK")
                connection.execute("BEGIN IMMEDIATE")
                if self._load(connection):
                    changes = self._changes()
                self._bring_up_to_date(connection, changes)
            answer = question(connection)
            connection.execute("COMMIT")
        except BaseException:
            self._version = None  # what is in memory may be ahead of the file
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return answer

    def _changes(self) -> _Changes:
        """Look at every file, and tell which are not as the index holds them."""
        settled = time.time_ns() - COARSEST_STEP
        known, folders = self._signatures, self._reader.kinds.folders
        changed, same, _ = self._store.survey(folders, known)
        gone: Set[str] = frozenset()
        if same + sum(path in known for path in changed) < len(known):
            gone = known.keys() - {entry.path for entry in self._store.walk(folders)}
        return _Changes(changed, gone, settled)

    def _load(self, connection: sqlite3.Connection) -> bool:
        """Take in what the file holds; False when it is what this process knows already."""
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            return False
        self._rows, self._signatures = {}, {}
        rows = connection.execute("SELECT path, id, signature, digest FROM record")
        try:
            for key, number, signature, digest in rows:
                path = database.from_key(key)
                self._rows[path] = _Row(number, digest)
                self._signatures[path] = _parsed(signature)
        except (ValueError, TypeError, AttributeError) as error:  # no value of ours
            raise sqlite3.DatabaseError("the index has gone bad") from error
        if database.count_words(connection) != len(self._rows):
            raise sqlite3.DatabaseError("the index holds the words of other records")
        self._version = version
        return True

    def _bring_up_to_date(self, connection: sqlite3.Connection, changes: _Changes) -> None:
        rows, signatures = self._rows, self._signatures
        gone = set(changes.gone)
        numbers = count(max((row.number for row in rows.values()), default=0) + 1)
        # Words and records are written apart: FTS5 flushes when another table is written between.
        records: list[tuple[object, ...]] = []
        for path, signature in changes.changed.items():
            record = load(self._store, self._reader, path)
            if record is None:  # it vanished since
                gone.add(path)
                continue
            trusted = signature if changed_at(signature) < changes.settled else None
            before = rows.get(path)
            row = _Row(before.number if before else next(numbers), _digest(record))
            if row != before:
                if before:
                    _delete_words(connection, before.number)
                _put_words(connection, record, row.number)
            elif signatures[path] == trusted:
                continue
            rows[path], signatures[path] = row, trusted
            records.append(_values(record, row, trusted))
        connection.executemany(_PUT_RECORD, records)
        for path in gone & rows.keys():
            del signatures[path]
            _delete(connection, rows.pop(path).number)


def _digest(record: Record) -> bytes:
    text = record.text.encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=_DIGEST_BYTES).digest()


def _values(record: Record, row: _Row, signature: Signature | None) -> tuple[object, ...]:
    """Return what the table of records holds of `record`."""
    return (
        row.number,
        database.to_key(record.path),
        None if signature is None else " ".join(map(str, signature)),
        row.digest,
        database.to_key(record.kind_name),
        database.to_key(record.slug),
        database.to_key(text_field(record, "kind")),
        database.to_key(text_field(record, "status")),
        updated(record),
    )


def _put_words(connection: sqlite3.Connection, record: Record, number: int) -> None:
    texts = [words_in(text) for text in _texts(record)]
    # The slug again, as a description stands in the frontmatter again, and a heading in the body.
    written = written_of(chain(texts[0], *texts))
    connection.execute(
        f"INSERT INTO words(rowid, {', '.join(database.FIELDS)}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (number, *map(terms_of, texts), written),
    )


def _delete(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("DELETE FROM record WHERE id = ?", (number,))
    _delete_words(connection, number)


def _delete_words(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("DELETE FROM words WHERE rowid = ?", (number,))


def _texts(record: Record) -> tuple[str, str, str, str, str]:
    """Return the texts of a record by how much they say of it; one without a frame is all body."""
    frame = record.frame
    frontmatter = record.text[frame.yaml.start : frame.yaml.end] if frame else ""
    body = record.body if frame else record.text
    # A comment in a code block passes for a heading: parsing Markdown costs ten times the rest.
    headings = "\n".join(_HEADING.findall(body)) if "#" in body else ""
    return record.slug, text_field(record, "description") or "", headings, frontmatter, body


def _parsed(signature: str | None) -> Signature | None:
    if signature is None:
        return None
    inode, size, modified, changed = map(int, signature.split(" "))
    return inode, size, modified, changed


def _reading(reader: Reader) -> str:
    """Return what decides how a file is read: an index made by other kinds is another one."""
    kinds = (
        (kind.name, kind.places, kind.schema.__module__, kind.schema.__qualname__, *kind.fields)
        for kind in reader.kinds.all
    )
    return repr((reader.limits, reading_of_words(), *kinds))
