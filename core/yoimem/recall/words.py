"""The words of a text as the search keeps them, in any script (design, section 12).

A text is brought to NFKC. A word is folded (case, accents) and stemmed; an identifier counts by its
parts and as a whole. Scripts without blanks between words give pairs of characters, and the last
character of a run by itself, so that the beginning of some pair finds every single character.
"""

import re
import unicodedata
from collections.abc import Iterator
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
_ASCII_TOKEN = re.compile(rf"[A-Za-z0-9]+(?:[-_'][A-Za-z0-9]+)*{_TAIL}")
_TOKEN = re.compile(rf"[{_UNSPACED}]+|{_LETTERS}(?:{_JOINT}{_LETTERS})*{_TAIL}")
_RUN = re.compile(rf"[{_UNSPACED}]")
_BREAK = re.compile(rf"{_JOINT}|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
_SHORTEST_STEM = 3
_LONGEST = 64
"""Where a word is cut, in characters: what is longer is a key or a hash."""
_MOST_KEPT = 200_000


class Token(NamedTuple):
    """A stretch of a text, in characters from its start, and the terms that it counts as.

    `is_run` tells that it is of a script without blanks between words.
    """

    start: int
    end: int
    terms: tuple[str, ...]
    is_run: bool


def terms_of(text: str) -> str:
    """Return the terms of `text` in order, with blanks between them."""
    normal = normalized(text)
    return " ".join(map(_KNOWN.__getitem__, _pattern(normal).findall(normal)))


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the tokens of `text`, which is normalized."""
    for match in _pattern(text).finditer(text):
        token = match.group()
        yield Token(match.start(), match.end(), tuple(_KNOWN[token].split(" ")), _is_run(token))


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
        for at, term in enumerate(_KNOWN[token].split(" ")):
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
    """The terms of each token met before."""

    def __missing__(self, token: str) -> str:
        terms = " ".join(_pairs(token) if _is_run(token) else _word_terms(token))
        if len(self) > _MOST_KEPT:
            self.clear()
        self[token] = terms
        return terms


_KNOWN = _Known()


def _pairs(run: str) -> Iterator[str]:
    for at in range(len(run)):
        yield run[at : at + 2]


def _word_terms(token: str) -> Iterator[str]:
    core = token.rstrip("+#")
    parts = [part for part in _BREAK.split(core) if part]
    yield from map(_stemmed, parts)
    if len(parts) > 1:
        yield _stemmed("".join(parts))
    if core != token:
        yield _folded(token)


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
