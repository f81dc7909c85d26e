"""A first look at a text, cheap enough for every record: may it hold a credential at all?"""

import re
from collections.abc import Iterator

# Nearly every credential holds a run of these characters that is this long; few other words do.
_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/-"
_RUN_OR_BLANK = bytes(ord("a") if code in _CHARACTERS else ord(" ") for code in range(256))
_RUN = b"a" * 20
_HARMLESS = re.compile(rb"[a-z_/-]+|[0-9a-f-]+")  # slugs, paths, rulers; hashes, UUIDs
_BEFORE = 48  # the longest name of a value, `secret_access_key_of_production: "`


def may_hold_credential(text: str) -> bool:
    """Tell whether a closer look at `text` makes sense; in most texts it does not."""
    runs = text.encode("utf-8", "surrogatepass").translate(_RUN_OR_BLANK)
    return (
        (runs.find(_RUN) >= 0 and any(True for _ in odd_words(text)))
        or ("@" in text and "://" in text)  # a password in an address
        or ("~" in text and "Q~" in text)  # the one token that may hold no long run
    )


def odd_words(text: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the long words of `text` that are no slug, path or hash, each behind what is before."""
    data = text.encode("utf-8", "surrogatepass")
    runs = data.translate(_RUN_OR_BLANK)
    at = runs.find(_RUN)
    while at >= 0:
        end = runs.find(b" ", at)
        end = len(data) if end < 0 else end
        if not _HARMLESS.fullmatch(data, at, end):
            yield data[max(0, at - _BEFORE) : at], data[at:end]
        at = runs.find(_RUN, end)
