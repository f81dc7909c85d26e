"""The words of a text as the search keeps them, in any script (design, section 12).

A text is brought to NFKC. A word is folded (case, accents) and stemmed, and kept as written too;
an identifier counts by its parts and as a whole. Scripts without blanks between words give pairs
of characters, and the last character of a run by itself, so that the beginning of some pair finds
every single character.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any, NamedTuple

from yoimem.recall.matching import Found
from yoimem.records.text import Span

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7a3"  # Hangul
    "\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff\u200d"
_LETTERS = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])+"
_JOINT = "[-_'’\u200c]"
_TAIL = r"(?:\+\+|[+#](?![\w+#]))?"  # C++, also in C++20; C#
_ASCII_TOKEN = re.compile(rf"[A-Za-z0-9]++(?:[-_'][A-Za-z0-9]++)*+{_TAIL}")
_TOKEN = re.compile(rf"[{_UNSPACED}]+|{_LETTERS}(?:{_JOINT}{_LETTERS})*{_TAIL}")
_RUN = re.compile(rf"[{_UNSPACED}]")
_BREAK = re.compile(rf"{_JOINT}|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
WRITTEN_MARK = "+"
"""What tells a word as it is written from a stem: no term begins so."""

_SHORTEST_STEM = 3
_LONGEST = 64
"""Where a word is cut, in characters: what is longer is a key or a hash."""
_MOST_KEPT = 200_000


class Token(NamedTuple):
    """A stretch of a text, in characters from its start, and the terms that it counts as.

    `written` are its words as they stand, with a mark; none `is_run`, of a script without blanks
    between words.
    """

    start: int
    end: int
    terms: tuple[str, ...]
    written: tuple[str, ...]
    is_run: bool


def words_in(text: str) -> list[str]:
    """Return the words, identifiers and runs of a script without blanks in `text`, normalized."""
    normal = normalized(text)
    found: list[str] = _pattern(normal).findall(normal)
    return found


def terms_of(words: Iterable[str]) -> str:
    """Return the terms of `words` in order, with blanks between them."""
    return " ".join(map(_TERMS.__getitem__, words))


def written_of(words: Iterable[str]) -> str:
    """Return `words` as they are written but for case and accents, marked, with blanks between."""
    return " ".join(filter(None, map(_WRITTEN.__getitem__, words)))


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the tokens of `text`, which is normalized."""
    for match in _pattern(text).finditer(text):
        word = match.group()
        terms, written = tuple(_TERMS[word].split(" ")), tuple(_WRITTEN[word].split())
        yield Token(match.start(), match.end(), terms, written, _is_run(word))


def reading_of_words() -> tuple[str, ...]:
    """Return what decides which words a text has, beside this module: the versions of others."""
    return version("snowballstemmer"), unicodedata.unidata_version


class WordFinder:
    """Finds in normalized texts the `terms`, and those that begin like one of `beginnings`."""

    def __init__(self, terms: frozenset[str], beginnings: tuple[str, ...]) -> None:
        self._terms = terms
        self._beginnings = beginnings
        self._known: dict[str, tuple[Found, ...]] = {}

    def __call__(self, text: str) -> Iterator[Found]:
        """Yield where `text` holds them."""
        known = self._known
        for match in _pattern(text).finditer(text):
            token = match.group()
            if token not in known:
                known[token] = tuple(self._in_token(token))
            if known[token]:  # few are, of all the words of a text
                start = match.start()
                for term, span in known[token]:
                    yield Found(term, Span(start + span.start, start + span.end))

    def _in_token(self, token: str) -> Iterator[Found]:
        is_run = _is_run(token)
        for at, term in enumerate(_TERMS[token].split(" ")):
            if term in self._terms:
                yield Found(term, Span(at, at + len(term)) if is_run else Span(0, len(token)))
                continue
            # What begins alike is one term of the query, however many words it becomes.
            beginning = next(filter(term.startswith, self._beginnings), "")
            if beginning:
                yield Found(beginning, Span(at, at + 1) if is_run else Span(0, len(token)))


def normalized(text: str) -> str:
    """Return `text` in NFKC, in which full-width is half-width and a letter holds its accents."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _is_run(token: str) -> bool:
    """Tell whether `token` is of a script without blanks between words."""
    return _RUN.match(token) is not None


def _pattern(text: str) -> re.Pattern[str]:
    return _ASCII_TOKEN if text.isascii() else _TOKEN


class _Known(dict[str, str]):
    """What `make` made of each word met before, with blanks between."""

    def __init__(self, make: Callable[[str], Iterator[str]]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, word: str) -> str:
        made = " ".join(self._make(word))
        if len(self) > _MOST_KEPT:
            self.clear()
        self[word] = made
        return made


def _terms(word: str) -> Iterator[str]:
    return _pairs(word) if _is_run(word) else _word_terms(word)


def _written(word: str) -> Iterator[str]:
    if not _is_run(word):
        yield from (WRITTEN_MARK + _folded(part) for part in _parts(word.rstrip("+#")))


_TERMS = _Known(_terms)
_WRITTEN = _Known(_written)


def _pairs(run: str) -> Iterator[str]:
    for at in range(len(run)):
        yield run[at : at + 2]


def _word_terms(token: str) -> Iterator[str]:
    core = token.rstrip("+#")
    parts = _parts(core)
    yield from map(_stemmed, parts)
    if len(parts) > 1:
        yield _stemmed("".join(parts))
    if core != token:
        yield _folded(token)


def _parts(identifier: str) -> list[str]:
    return [part for part in _BREAK.split(identifier) if part]


@lru_cache(_MOST_KEPT)
def _stemmed(word: str) -> str:
    folded = _folded(word)
    if len(folded) < _SHORTEST_STEM or not (folded.isascii() and folded.isalpha()):
        return folded
    stem: str = _stemmer().stemWord(folded)
    return stem


def _folded(word: str) -> str:
    folded = word[:_LONGEST].casefold()
    if folded.isascii():
        return folded
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", folded))
    return unicodedata.normalize("NFC", bare) or folded


@cache
def _stemmer() -> Any:
    import snowballstemmer  # noqa: PLC0415 - only a search needs it

    return snowballstemmer.stemmer("english")
