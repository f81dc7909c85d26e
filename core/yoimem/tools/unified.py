"""The difference of two texts, as patch programs read it."""

import difflib
import re

_NO_FILE = "/dev/null"


def unified(name: str, before: str | None, after: str | None) -> str:
    """Return the unified diff of the file `name`; None is a file that is not there."""
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        _NO_FILE if before is None else f"a/{name}",
        _NO_FILE if after is None else f"b/{name}",
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _lines(text: str | None) -> list[str]:
    """Split at LF alone, as patch programs do."""
    return re.findall(r"[^\n]*\n|[^\n]+", text or "")
