"""Which records answer a query in words, the best first: BM25 over fields and words.

Any text becomes an expression of FTS5: nothing of it is syntax, since every term stands in quotes.
"""

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from yoimem.recall.database import from_key, to_key
from yoimem.recall.query import Query, TermScore
from yoimem.recall.words import Wanted, normalized, tokens_of

FIELDS = ("slug", "description", "headings", "frontmatter", "body")
WEIGHTS = (8.0, 5.0, 3.0, 1.0, 1.0)
"""How much a term counts in each of the fields (design, section 12)."""

_MOST_UNITS = 32
"""How many words of a query count: a page that is pasted in is known by its first ones."""

_BM25 = f"bm25(words, {', '.join(map(str, WEIGHTS))})"


@dataclass(frozen=True, slots=True)
class Unit:
    """One word of a query, or a run of a script without blanks, and the terms that it counts as."""

    terms: tuple[str, ...]
    is_run: bool

    @property
    def beginning(self) -> str:
        """What some term must begin with: a character by itself is the beginning of a pair."""
        return self.terms[0] if self.is_run and len(self.terms) == 1 else ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The terms that stand side by side where a record holds the unit."""
        return self.terms[:-1] if len(self.terms) > 1 else self.terms

    @property
    def whole(self) -> tuple[str, ...]:
        """The ways in which a record holds the unit, as FTS5 says them."""
        if self.beginning:
            return (_phrase(self.terms) + "*",)
        if self.is_run:
            return (_phrase(self.parts),)
        return tuple(dict.fromkeys((_phrase(self.terms[-1:]), _phrase(self.parts))))

    @property
    def loose(self) -> tuple[str, ...]:
        """The ways in which a record holds a part of the unit."""
        return () if self.beginning else tuple(_phrase([part]) for part in self.parts)


class Ranked(NamedTuple):
    """A record that answers: its number in the index, its root-relative path, its score."""

    number: int
    path: str
    score: float


Explanations = Mapping[int, Sequence[TermScore]]


def units_of(text: str) -> tuple[Unit, ...]:
    """Return what `text` asks for, each once; nothing where it holds no word."""
    found: dict[Unit, None] = {}
    for token in tokens_of(normalized(text)):
        found[Unit(token.terms, token.is_run)] = None
        if len(found) == _MOST_UNITS:
            break
    return tuple(found)


def wanted_of(units: Iterable[Unit]) -> Wanted:
    """Return the terms by which a text answers."""
    terms: set[str] = set()
    for unit in units:
        terms.update(unit.parts if unit.is_run else unit.terms)
    beginnings = tuple(unit.beginning for unit in units if unit.beginning)
    return Wanted(frozenset(terms) - set(beginnings), beginnings)


def rank(
    connection: sqlite3.Connection, units: Sequence[Unit], query: Query, limit: int | None
) -> list[Ranked]:
    """Return the records that hold any of `units` and pass the filters of `query`."""
    conditions, values = _filters(query)
    rows = connection.execute(
        f"SELECT id, path, {_BM25} AS score FROM words JOIN record ON id = words.rowid"
        f" WHERE words MATCH ?{conditions} ORDER BY score, path LIMIT ?",
        (" OR ".join(_phrases(units)), *values, -1 if limit is None else limit),
    )
    return [Ranked(number, from_key(path), -score) for number, path, score in rows]


def explain(
    connection: sqlite3.Connection, units: Sequence[Unit], ranked: Sequence[Ranked]
) -> Explanations:
    """Say where the scores of `ranked` come from, by their numbers in the index."""
    return {}


def _phrases(units: Sequence[Unit]) -> list[str]:
    phrases = [phrase for unit in units for phrase in (*unit.whole, *unit.loose)]
    return list(dict.fromkeys(phrases))


def _phrase(terms: Sequence[str]) -> str:
    return f'"{" ".join(terms)}"'


def _filters(query: Query) -> tuple[str, list[bytes | int | None]]:
    """Return the conditions of `query` on a record, and their values."""
    wanted: dict[str, list[bytes | int | None]] = {
        f"record_kind IN ({', '.join('?' * len(query.record_kinds))})": [
            to_key(kind) for kind in query.record_kinds
        ],
        "slug = ?": [] if query.slug is None else [to_key(query.slug)],
        "kind = ?": [] if query.kind is None else [to_key(query.kind)],
        "status = ?": [] if query.status is None else [to_key(query.status)],
        "updated >= ?": [] if query.since is None else [query.since_instant],
    }
    conditions = "".join(f" AND {condition}" for condition, values in wanted.items() if values)
    return conditions, [value for values in wanted.values() for value in values]
