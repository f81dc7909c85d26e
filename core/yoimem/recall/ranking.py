"""Which records answer a query in words, the best first.

FTS5 finds the records that hold any of the words and scores them by BM25 over the fields; of the
best, and of those that hold all the words, those that hold more of them are then moved up. Any text
becomes an expression of FTS5: nothing of it is syntax, since every term stands in quotes.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from yoimem.recall.database import FIELDS, from_key, to_key
from yoimem.recall.query import Query, TermScore
from yoimem.recall.words import WRITTEN_MARK, WordFinder, normalized, tokens_of

WEIGHTS = (6.5, 4.0, 3.0, 2.0, 2.0, 1.0)
"""How much a term counts in each of `FIELDS` (design, section 12); `written` are the words of the
others as they stand, so that one in the very form of the query counts for more."""

_MOST_UNITS = 32
"""How many words of a query count: a page that is pasted in is known by its first ones."""

_MOST_TERMS = 64
"""How many pairs of characters of one run count."""

_SHORTEST_BEGINNING = 4
"""From how many characters on a word also finds those that begin with it: `config` does."""

_FEWEST_COMPARED = 60
_COMPARED_A_HIT = 3
"""How many of the best by BM25 are compared by how much of the query they hold."""

_PART = 0.5
"""What a record counts for that holds a part of a word, or what begins like it."""

_REPLACED = 0.5
"""What the score of a decision is multiplied by that another took the place of."""

_STATUS_REPLACED = to_key("replaced")
_FEW = 500
"""How many records may hold a word that is worth its time, however many there are."""

_BM25 = f"bm25(words, {', '.join(map(str, WEIGHTS))})"
_COMPARED = ", ".join(FIELDS[:-1])
"""The fields in which a record may hold the words of a query."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One word of a query, or a run of a script without blanks, and the terms that it counts as."""

    terms: tuple[str, ...]
    written: tuple[str, ...]
    is_run: bool

    @property
    def beginnings(self) -> tuple[str, ...]:
        """What some term may begin with: a character by itself begins a pair."""
        if self.is_run:
            return self.terms if len(self.terms) == 1 else ()
        return tuple(part for part in self.parts if len(part) >= _SHORTEST_BEGINNING)

    @property
    def parts(self) -> tuple[str, ...]:
        """The terms that stand side by side where a record holds the unit."""
        return self.terms[:-1] if len(self.terms) > 1 else self.terms

    @property
    def whole(self) -> tuple[str, ...]:
        """The ways in which a record holds the unit: terms with blanks between them."""
        if self.is_run:
            return () if self.beginnings else (" ".join(self.parts),)
        return tuple(dict.fromkeys((self.terms[-1], " ".join(self.parts))))

    @property
    def phrases(self) -> tuple[str, ...]:
        """What FTS5 is asked for: the unit, its parts, as written, and what begins like them."""
        parts = () if self.is_character else self.parts
        exact = dict.fromkeys((*self.whole, *parts, *self.written))
        return (
            *(f'"{phrase}"' for phrase in exact),
            *(f'"{beginning}"*' for beginning in self.beginnings),
        )

    @property
    def is_character(self) -> bool:
        """Whether it is a single character of a script without blanks."""
        return self.is_run and len(self.terms) == 1

    def share_in(self, text: str) -> float:
        """Return how much of the unit the terms `text`, blanks around each, hold: 0 to 1."""
        if any(f" {phrase} " in text for phrase in self.whole):
            return 1.0
        if any(f" {beginning}" in text for beginning in self.beginnings):
            return 1.0 if self.is_character else _PART
        held = sum(f" {part} " in text for part in self.parts)
        # One pair of a long run is held by chance: it says nothing.
        least = len(self.parts) / 2 if self.is_run else 1
        return _PART if held >= least else 0.0


class Ranked(NamedTuple):
    """A record that answers: its number in the index, its root-relative path, its score.

    The score is that of BM25 times `factor`: 1 and the share of the query's words that the record
    holds, and half of it for a decision that was replaced.
    """

    number: int
    path: str
    score: float
    factor: float


class Ranking(NamedTuple):
    """The best `records` in order, and the `phrases` by which they were found and scored."""

    records: Sequence[Ranked]
    phrases: Sequence[str]


Explanations = Mapping[int, Sequence[TermScore]]


def units_of(text: str) -> tuple[Unit, ...]:
    """Return what `text` asks for, each once; nothing where it holds no word."""
    found: dict[Unit, None] = {}
    for token in tokens_of(normalized(text)):
        found[Unit(token.terms[:_MOST_TERMS], token.written[:_MOST_TERMS], token.is_run)] = None
        if len(found) == _MOST_UNITS:
            break
    return tuple(found)


def finder_of(units: Iterable[Unit]) -> WordFinder:
    """Return what finds in a text the terms by which it answers."""
    terms: set[str] = set()
    beginnings: set[str] = set()
    for unit in units:
        terms.update(unit.parts if unit.is_run else unit.terms)
        beginnings.update(unit.beginnings)
    return WordFinder(frozenset(terms), tuple(sorted(beginnings)))


def rank(
    connection: sqlite3.Connection, units: Sequence[Unit], query: Query, limit: int
) -> Ranking:
    """Return the records that hold any of `units` and pass the filters of `query`, `limit` at most.

    The phrases by which they were found explain their scores.
    """
    held, common = _held_and_common(connection, units)
    # What most records hold adds next to nothing to a score of BM25, and takes most of its time.
    telling = [phrase for phrase in held if phrase not in common] or held[:1]
    phrases = held if query.limit is None else telling
    found = _found(connection, units, phrases, query, limit)
    if not found and phrases != held:
        phrases = held
        found = _found(connection, units, phrases, query, limit)
    best = sorted(found, key=lambda record: (-record.score, record.path))[:limit]
    return Ranking(best, phrases)


def explain(connection: sqlite3.Connection, ranking: Ranking) -> Explanations:
    """Say what each phrase adds to the scores of a ranking, by the numbers of the records."""
    found: dict[int, list[TermScore]] = {record.number: [] for record in ranking.records}
    factors = {record.number: record.factor for record in ranking.records}
    fields = {
        number: connection.execute(
            f"SELECT {', '.join(FIELDS)} FROM words WHERE rowid = ?", (number,)
        ).fetchone()
        for number in found
    }
    for phrase in ranking.phrases:
        scores = connection.execute(
            f"SELECT rowid, {_BM25} FROM words WHERE words MATCH ?", (phrase,)
        )
        for number, score in scores:
            if number in found:
                held = _held(phrase, fields[number])
                term = phrase.replace(WRITTEN_MARK, "", 1) if "written" in held else phrase
                found[number].append(TermScore(term, held, -score * factors[number]))
    return found


def _found(
    connection: sqlite3.Connection,
    units: Sequence[Unit],
    phrases: Sequence[str],
    query: Query,
    limit: int,
) -> list[Ranked]:
    """Return the best by BM25 of the records that hold any of `phrases`, and of all the units."""
    compared = max(_COMPARED_A_HIT * limit, _FEWEST_COMPARED)
    found: dict[int, Ranked] = {}
    for expression in _expressions(units, phrases):
        for number, path, status, score, *fields in _rows(connection, expression, query, compared):
            share = _share(units, fields)
            if share and number not in found:
                factor = (1 + share) * (_REPLACED if status == _STATUS_REPLACED else 1)
                found[number] = Ranked(number, from_key(path), -score * factor, factor)
    return list(found.values())


def _expressions(units: Sequence[Unit], phrases: Sequence[str]) -> Iterator[str]:
    """Yield what finds the records with any of `phrases`, and those with some of every unit.

    Both hold each phrase once, so that both give a record the same score.
    """
    if not phrases:
        return
    yield " OR ".join(phrases)
    left = dict.fromkeys(phrases, True)
    held = [[phrase for phrase in unit.phrases if left.pop(phrase, None)] for unit in units]
    if sum(map(bool, held)) > 1:
        yield " AND ".join(f"({' OR '.join(part)})" for part in held if part)


def _rows(
    connection: sqlite3.Connection, expression: str, query: Query, most: int
) -> Iterator[tuple[Any, ...]]:
    """Yield number, path, status, score and terms of the best by BM25 that `expression` finds."""
    conditions, values = _filters(query)
    yield from connection.execute(
        f"SELECT id, path, status, score, {_COMPARED} FROM"
        f" (SELECT id, path, status, {_BM25} AS score FROM words JOIN record ON id = words.rowid"
        f" WHERE words MATCH ?{conditions} ORDER BY score, path LIMIT ?)"
        " JOIN words ON words.rowid = id",
        (expression, *values, most),
    )


def _held_and_common(
    connection: sqlite3.Connection, units: Sequence[Unit]
) -> tuple[list[str], list[str]]:
    """Return the phrases of `units` that any record holds, and those that most of many hold."""
    records = connection.execute("SELECT count(*) FROM record").fetchone()[0]
    most = max(records // 2, _FEW)
    held: list[str] = []
    common: list[str] = []
    for phrase in dict.fromkeys(phrase for unit in units for phrase in unit.phrases):
        # What holds a common word also holds what begins like it.
        count = (
            most + 1 if phrase.removesuffix("*") in common else _count(connection, phrase, most + 1)
        )
        if count:
            held.append(phrase)
        if count > most:
            common.append(phrase)
    return held, common


def _count(connection: sqlite3.Connection, phrase: str, most: int) -> int:
    """Count the records that hold `phrase`, up to `most`."""
    counted = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
    count: int = connection.execute(counted, (phrase, most)).fetchone()[0]
    return count


def _share(units: Sequence[Unit], fields: Sequence[str]) -> float:
    """Return how much of the query a record with the terms `fields` holds, 0 to 1."""
    text = "".join(f" {field} " for field in fields)
    return sum(unit.share_in(text) for unit in units) / len(units)


def _held(phrase: str, fields: Sequence[str]) -> dict[str, int]:
    """Count how often each field holds `phrase`; those that do not are left out."""
    terms, _, beginning = phrase.removeprefix('"').rpartition('"')
    end = "" if beginning else r"(?!\S)"
    pattern = re.compile(rf"(?<!\S){re.escape(terms)}{end}")
    counts = ((name, len(pattern.findall(text))) for name, text in zip(FIELDS, fields, strict=True))
    return {name: count for name, count in counts if count}


def _filters(query: Query) -> tuple[str, list[bytes | int | None]]:
    """Return the conditions of `query` on a record, and their values."""
    wanted: dict[str, list[bytes | int | None]] = {
        f"record.record_kind IN ({', '.join('?' * len(query.record_kinds))})": [
            to_key(kind) for kind in query.record_kinds
        ],
        "record.slug = ?": [] if query.slug is None else [to_key(query.slug)],
        "record.kind = ?": [] if query.kind is None else [to_key(query.kind)],
        "record.status = ?": [] if query.status is None else [to_key(query.status)],
        "record.updated >= ?": [] if query.since is None else [query.since_instant],
    }
    conditions = "".join(f" AND {condition}" for condition, values in wanted.items() if values)
    return conditions, [value for values in wanted.values() for value in values]
