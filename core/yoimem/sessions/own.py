"""The log of a session in yoimem's own format, for hosts that have none (design, section 13).

One JSON object a line: `{"type": "message", "role", "text", "at"?, "input_tokens"?}`,
`{"type": "tool", "name", "summary", "status"}`, `{"type": "extension", "domain", "payload"}`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from yoimem.lint.session_reader import SessionEntry
from yoimem.sessions.transcript import objects, text_at, tokens_at, tool_summary

_MARKS = {"message": ("role", "text"), "tool": ("name", "summary"), "extension": ("domain",)}
"""The texts by which an entry of each type is known."""


class OwnReader:
    """Reads yoimem's own logs. Lines of the type `extension` are no entries."""

    name = "yoimem"
    keeps_pointer = True

    def recognises(self, lines: Sequence[str]) -> bool:
        return any(_is_own(value) for _, value in objects(lines))

    def entries(self, lines: Sequence[str]) -> Sequence[SessionEntry]:
        return [
            entry for index, value in objects(lines) if (entry := _entry(index, value)) is not None
        ]

    def session_id(self, lines: Sequence[str]) -> str | None:
        return None

    def find(self, session_id: str, workspace: Path) -> Path | None:
        return None


def _is_own(value: dict[str, Any]) -> bool:
    marks = _MARKS.get(text_at(value, "type"), ())
    return bool(marks) and all(isinstance(value.get(mark), str) for mark in marks)


def _entry(index: int, value: dict[str, Any]) -> SessionEntry | None:
    if not _is_own(value):
        return None
    tokens = tokens_at(value, "input_tokens")
    match value["type"], value.get("role"):
        case "message", "user" | "assistant" as role:
            return SessionEntry(index, role, value["text"].strip(), tokens)
        case "tool", _:
            status, output = text_at(value, "status"), value["summary"]
            return SessionEntry(index, "tool", tool_summary(value["name"], "", status, output))
    return None
