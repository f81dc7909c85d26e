"""Slugs: the only identity of a record (design, section 2; seed 000, "slug grammar")."""

import re
import unicodedata

MAX_LENGTH = 64
"""The longest slug, in characters."""

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?", re.ASCII)

RESERVED = frozenset(
    {"con", "prn", "aux", "nul"} | {f"com{n}" for n in range(10)} | {f"lpt{n}" for n in range(10)}
)
"""Names that Windows keeps for devices: such a file cannot be checked out there."""


def is_slug(text: str) -> bool:
    """Tell whether `text` is a slug, whole and in ASCII."""
    return _SLUG.fullmatch(text) is not None and "--" not in text


def slug_fault(text: str) -> str:
    """Say what keeps `text` from being a slug; empty when nothing does."""
    if is_slug(text):
        return ""
    if not text:
        return "it is empty"
    if len(text) > MAX_LENGTH:
        return f"it has {len(text)} characters, and {MAX_LENGTH} is the most"
    strange = sorted(set(re.findall(r"[^a-z0-9-]", text)))
    if strange:
        shown = ", ".join(f"`{char}`" for char in strange)
        return f"it holds {shown}, and only a-z, 0-9 and `-` may stand in it"
    if "--" in text:
        return "it holds `--`"
    return "it begins or ends with `-`"


def suggest_slug(text: str) -> str:
    """Return the slug nearest to `text`; empty when nothing of it can stay."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_LENGTH].rstrip("-")
