"""How rules put raw text into their messages."""

import unicodedata

_ESCAPED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"  # emoji and Persian words fall apart without them


def shorten(raw: str, limit: int = 80) -> str:
    """Return `raw` as one visible line of at most `limit` characters, cut with `…`."""
    head = raw.rstrip(" \r\n")[: limit + 1]
    shown = "".join(_escape(char) if _is_hidden(char) else char for char in head)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _is_hidden(char: str) -> bool:
    return unicodedata.category(char) in _ESCAPED and char not in _JOINERS


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()
