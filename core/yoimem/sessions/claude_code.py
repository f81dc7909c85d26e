"""The transcripts of Claude Code: `~/.claude/projects/<workspace>/<session id>.jsonl`.

There is no published description; the shapes are those of Claude Code 1.0 to 2.1. A line holds one
event. A message of the model stands on one line for each of its blocks, with the same `message.id`
and the same `usage` on each.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from yoimem.lint.session_reader import SessionEntry
from yoimem.sessions.places import is_file_name
from yoimem.sessions.transcript import (
    arguments_line,
    blocks,
    object_of,
    objects,
    part,
    text_at,
    text_of,
    tokens_at,
    tool_summary,
    typed_text,
)

_CONFIG_VARIABLE = "CLAUDE_CONFIG_DIR"
_LONGEST_FOLDER = 200
"""How much of a workspace's path the name of its folder holds before Claude Code shortens it."""

_INJECTED = re.compile(
    r"\s*<(?:system-reminder|task-notification|local-command-\w+|bash-stdout|bash-stderr)\b"
)
"""How a text begins that Claude Code itself puts in as the user's."""

_NOT_SAID_BY_ANYONE = ("isSidechain", "isMeta", "isCompactSummary")
"""Marks of a sub-agent's own talk, of what the host put in, and of a summary of the log itself."""


class ClaudeCodeReader:
    """Reads Claude Code's transcripts.

    Entries are what the user and the model said and what tools returned. Left out are thinking,
    sub-agents' own talk, and what the host put in. The `input_tokens` of a message are
    `input_tokens + cache_creation_input_tokens`, once a message: `cache_read_input_tokens` are the
    same text read again.
    """

    name = "claude-code"
    keeps_pointer = False

    def recognises(self, lines: Sequence[str]) -> bool:
        return any(_is_event(value) for _, value in objects(lines))

    def entries(self, lines: Sequence[str]) -> Sequence[SessionEntry]:
        transcript = _Transcript()
        return [
            entry
            for index, event in objects(lines)
            if (entry := transcript.entry(index, event)) is not None
        ]

    def session_id(self, lines: Sequence[str]) -> str | None:
        """Return the id on the last line with one: a resumed log may begin with another's."""
        named = (text_at(object_of(line) or {}, "sessionId") for line in reversed(lines))
        return next(filter(None, named), None)

    def find(self, session_id: str, workspace: Path) -> Path | None:
        """Return the transcript of a session that began in `workspace`, or in a folder of it."""
        if not is_file_name(session_id):
            return None
        places = (folder / f"{session_id}.jsonl" for folder in _project_folders(workspace))
        return next((place for place in places if place.is_file()), None)


class _Transcript:
    """One pass over a transcript: knows the calls without a result yet, and what is counted."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[str, str]] = {}
        self._counted: set[str] = set()

    def entry(self, index: int, event: dict[str, Any]) -> SessionEntry | None:
        """Return the entry of a line; None for one that is none."""
        if any(event.get(mark) for mark in _NOT_SAID_BY_ANYONE):
            return None
        match event.get("type"):
            case "user":
                return self._user(index, part(event, "message").get("content"))
            case "assistant":
                return self._assistant(index, part(event, "message"))
            case "attachment":
                return _queued(index, part(event, "attachment"))
        return None

    def _user(self, index: int, content: object) -> SessionEntry | None:
        text = typed_text(content, _INJECTED)
        results = [self._result(b) for b in blocks(content) if b.get("type") == "tool_result"]
        if results:
            return SessionEntry(index, "tool", "\n".join(filter(None, [*results, text])))
        return SessionEntry(index, "user", text) if text else None

    def _assistant(self, index: int, message: dict[str, Any]) -> SessionEntry | None:
        content = message.get("content")
        for block in blocks(content):
            if block.get("type") == "tool_use":
                call = text_at(block, "name"), arguments_line(block.get("input"))
                self._calls[text_at(block, "id")] = call
        text, tokens = text_of(content), self._tokens(message)
        return SessionEntry(index, "assistant", text, tokens) if text or tokens else None

    def _result(self, block: dict[str, Any]) -> str:
        name, arguments = self._calls.pop(text_at(block, "tool_use_id"), ("", ""))
        status = "error" if block.get("is_error") is True else "ok"
        return tool_summary(name, arguments, status, text_of(block.get("content")))

    def _tokens(self, message: dict[str, Any]) -> int:
        message_id = text_at(message, "id")
        if message_id in self._counted:
            return 0
        if message_id:
            self._counted.add(message_id)
        usage = part(message, "usage")
        return tokens_at(usage, "input_tokens") + tokens_at(usage, "cache_creation_input_tokens")


def _queued(index: int, attachment: dict[str, Any]) -> SessionEntry | None:
    """Return what a user typed while the model was at work; other attachments are the host's."""
    is_typed = attachment.get("commandMode", "prompt") == "prompt" and not attachment.get("isMeta")
    if attachment.get("type") != "queued_command" or not is_typed:
        return None
    text = typed_text(attachment.get("prompt"), _INJECTED)
    return SessionEntry(index, "user", text) if text else None


def _is_event(value: dict[str, Any]) -> bool:
    kind = text_at(value, "type")
    if kind in {"user", "assistant"}:
        return isinstance(value.get("message"), dict)
    return kind != "" and isinstance(value.get("sessionId"), str)


def _project_folders(workspace: Path) -> Iterator[Path]:
    """Yield the folder of the sessions of `workspace`, then those of the folders below it."""
    home = os.environ.get(_CONFIG_VARIABLE)
    projects = (Path(home) if home else Path.home() / ".claude") / "projects"
    begin = re.sub(r"[^A-Za-z0-9]", "-", str(workspace))[:_LONGEST_FOLDER]
    if projects.is_dir():
        yield from sorted(path for path in projects.iterdir() if path.name.startswith(begin))
