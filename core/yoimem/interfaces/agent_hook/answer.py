"""What the host is told in answer to a hook."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

BLOCK = 2
"""The exit code that refuses a write, with the reason on standard error."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the host is told: an exit code, JSON on standard output, a note on standard error.

    An output that denies a write has the reason in `denial` too, for when nobody can read it.
    """

    exit_code: int = 0
    output: str = ""
    note: str = ""
    denial: str = ""


def refused(reason: str) -> Answer:
    """Refuse what may be a write and could not be judged."""
    return Answer(BLOCK, note=f"the write is refused, since it could not be judged: {reason}")


def context(event: str, text: str, note: str = "") -> Answer:
    """Put `text` into the model's context."""
    if not text:
        return Answer(note=note)
    added = {"hookEventName": event, "additionalContext": text}
    return Answer(output=as_json({"hookSpecificOutput": added}), note=note)


def as_json(content: Mapping[str, Any]) -> str:
    """Return `content` as the host reads it."""
    return json.dumps(content) + "\n"
