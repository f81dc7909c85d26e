"""Looking through the texts of records: for a text as it stands, or for a regular expression."""

import re
import unicodedata
from collections.abc import Iterator
from math import prod
from time import monotonic

import regex

from yoimem.recall.errors import SearchError
from yoimem.recall.matching import Found, Matcher
from yoimem.records.text import Span

_LONGEST_PATTERN = 1_000
"""In characters: looking for one long text is what the regex library does not bound in time."""

_MOST_COPIES = 1_000_000
_COUNT = re.compile(r"\{(\d*),?(\d*)\}")
_RECURSION = re.compile(r"\(\?(?:R\)|[+-]?\d|&|P>)")
_SHORTEST = 1e-6
_SECONDS = 2.0
"""How long a search may look for a regular expression, over all records."""


def literal(wanted: str) -> Matcher:
    """Return what finds `wanted` as it stands, whatever its case."""
    term = _folded(wanted)

    def find(text: str) -> Iterator[Found]:
        at = text.find(term)
        while at >= 0:
            yield Found(term, Span(at, at + len(term)))
            at = text.find(term, at + len(term))

    return Matcher(_folded, find)


def pattern(wanted: str, seconds: float = _SECONDS) -> Matcher:
    """Return what finds the regular expression `wanted`, for `seconds` from now at most.

    Raises:
        SearchError: `wanted` is no regular expression; while scanning: the time is over.
    """
    compiled = _compiled(wanted)
    end = monotonic() + seconds

    def find(text: str) -> Iterator[Found]:
        try:
            for match in compiled.finditer(text, timeout=max(end - monotonic(), _SHORTEST)):
                if match.end() > match.start():
                    yield Found(wanted, Span(*match.span()))
        except (TimeoutError, MemoryError) as error:
            raise SearchError(
                f"the regular expression took longer than {seconds:g} s; make it simpler"
                " (a repetition inside a repetition is what takes so long), or let it match less"
            ) from error

    return Matcher(_composed, find)


def _compiled(wanted: str) -> "regex.Pattern[str]":
    if len(wanted) > _LONGEST_PATTERN:
        raise SearchError(
            f"the regular expression has {len(wanted):,} characters; {_LONGEST_PATTERN:,} may be"
        )
    # What these ask for is memory, which no time bounds.
    if _RECURSION.search(wanted):
        raise SearchError(f"`{wanted}` calls a part of itself, which a search does not take")
    counts = (int(count) for match in _COUNT.finditer(wanted) for count in match.groups() if count)
    if prod(max(count, 1) for count in counts) > _MOST_COPIES:
        raise SearchError(
            f"the counts in `{wanted}` multiply to more than {_MOST_COPIES:,}: use `*` or `+`"
        )
    try:
        return regex.compile(_composed(wanted), regex.MULTILINE)
    except (regex.error, RecursionError, OverflowError, MemoryError, ValueError) as error:
        words = str(error) or type(error).__name__
        raise SearchError(f"`{wanted}` is no regular expression: {words}") from error


def _composed(text: str) -> str:
    """Return `text` as an expression is compared with it: a letter holds its accents."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _folded(text: str) -> str:
    """Return `text` as a literal search compares it: NFKC, without a difference of case."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
