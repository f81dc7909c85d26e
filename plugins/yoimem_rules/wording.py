"""How rules put raw text and near names into their messages."""

import unicodedata
from collections.abc import Iterable

_ESCAPED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"  # emoji and Persian words fall apart without them
_NEAR = 0.6


def shorten(raw: str, limit: int = 80) -> str:
    """Return `raw` as one visible line of at most `limit` characters, cut with `…`."""
    head = raw.rstrip(" \r\n")[: limit + 1]
    shown = "".join(_escape(char) if _is_hidden(char) else char for char in head)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the one of `known` that `word` was likely meant to be; empty when none is near.

    Of several that are as near the first counts.
    """
    from rapidfuzz import process  # noqa: PLC0415 - a run without findings never needs it
    from rapidfuzz.distance import OSA  # noqa: PLC0415

    similarity = OSA.normalized_similarity
    best = process.extractOne(word, list(known), scorer=similarity, score_cutoff=_NEAR)
    return best[0] if best else ""


def _is_hidden(char: str) -> bool:
    return unicodedata.category(char) in _ESCAPED and char not in _JOINERS


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()
