"""The rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session id>.jsonl`.

A line is `{"timestamp", "type", "payload"}`. What the model was given and gave are the lines of the
type `response_item`; of the others only the counts of tokens matter here.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from yoimem.lint.session_reader import SessionEntry
from yoimem.sessions.places import is_file_name
from yoimem.sessions.transcript import (
    arguments_line,
    object_of,
    objects,
    part,
    text_at,
    text_of,
    tokens_at,
    tool_summary,
    typed_text,
)

_HOME_VARIABLE = "CODEX_HOME"
_TIME = "????-??-??T??-??-??"
_PLACES = ("sessions/*/*/*", "archived_sessions")
_TYPES = {"session_meta", "turn_context", "response_item", "event_msg", "compacted"}
_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)
_OUTPUT = "\nOutput:\n"
_INJECTED = re.compile(
    r"\s*(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|INSTRUCTIONS|skill"
    r"|skills_instructions|recommended_plugins|turn_aborted|subagent_notification)\b)"
)
"""How a text begins that Codex itself puts in as the user's."""


class CodexReader:
    """Reads Codex's rollouts.

    Entries are what the user and the model said and what tools returned. Left out are reasoning,
    instructions, sub-agents' own talk, and what Codex put in. The `input_tokens` of a response are
    those of `last_token_usage` without the cached ones, which are the same text read again.
    """

    name = "codex"
    keeps_pointer = False

    def recognises(self, lines: Sequence[str]) -> bool:
        return any(
            text_at(value, "type") in _TYPES and isinstance(value.get("payload"), dict)
            for _, value in objects(lines)
        )

    def entries(self, lines: Sequence[str]) -> Sequence[SessionEntry]:
        if _is_sub_agent(_head(lines)):
            return []
        rollout = _Rollout()
        return [
            entry
            for index, value in objects(lines)
            if (entry := rollout.entry(index, value)) is not None
        ]

    def session_id(self, lines: Sequence[str]) -> str | None:
        return text_at(_head(lines), "id") or None

    def find(self, session_id: str, workspace: Path) -> Path | None:
        if not is_file_name(session_id):
            return None
        home = Path(os.environ.get(_HOME_VARIABLE) or Path.home() / ".codex")
        name = f"rollout-{_TIME}-{session_id}.jsonl"
        found = (path for place in _PLACES for path in sorted(home.glob(f"{place}/{name}")))
        return next(found, None)


class _Rollout:
    """One pass over a rollout: knows the calls without a result yet, and the last count."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[str, str]] = {}
        self._total: object = None

    def entry(self, index: int, value: dict[str, Any]) -> SessionEntry | None:
        """Return the entry of a line; None for one that is none."""
        payload = part(value, "payload")
        match value.get("type"), payload.get("type"):
            case "response_item", "message":
                return _message(index, payload)
            case "response_item", "function_call" | "custom_tool_call" | "local_shell_call":
                self._calls[text_at(payload, "call_id")] = _call(payload)
            case "response_item", str(kind) if kind.endswith("_call_output"):
                return SessionEntry(index, "tool", self._result(payload))
            case "response_item", "web_search_call":
                query = text_at(part(payload, "action"), "query")
                return SessionEntry(index, "tool", tool_summary("web_search", query, "", ""))
            case "event_msg", "token_count":
                tokens = self._tokens(part(payload, "info"))
                return SessionEntry(index, "assistant", "", tokens) if tokens else None
        return None

    def _result(self, payload: dict[str, Any]) -> str:
        name, arguments = self._calls.pop(text_at(payload, "call_id"), ("", ""))
        is_ok, text = _outcome(payload.get("output"))
        return tool_summary(name, arguments, "ok" if is_ok else "error", text)

    def _tokens(self, info: dict[str, Any]) -> int:
        """Return what the last response newly read; a count that only comes again counts once."""
        total = info.get("total_token_usage")
        if total is not None and total == self._total:
            return 0
        self._total = total
        last = part(info, "last_token_usage")
        return max(tokens_at(last, "input_tokens") - tokens_at(last, "cached_input_tokens"), 0)


def _head(lines: Sequence[str]) -> dict[str, Any]:
    """Return the first head of a rollout: one that goes on from another repeats the other's."""
    heads = (part(v, "payload") for _, v in objects(lines) if v.get("type") == "session_meta")
    return next(heads, {})


def _is_sub_agent(head: dict[str, Any]) -> bool:
    return head.get("thread_source") == "subagent" or "subagent" in part(head, "source")


def _message(index: int, payload: dict[str, Any]) -> SessionEntry | None:
    match payload.get("role"):
        case "assistant":
            text = text_of(payload.get("content"))
            return SessionEntry(index, "assistant", text) if text else None
        case "user":
            text = typed_text(payload.get("content"), _INJECTED)
            return SessionEntry(index, "user", text) if text else None
    return None


def _call(payload: dict[str, Any]) -> tuple[str, str]:
    """Return the name and the arguments of a call."""
    if payload.get("type") == "local_shell_call":
        return "shell", arguments_line(part(payload, "action").get("command"))
    given = text_at(payload, "arguments") or text_at(payload, "input")
    return text_at(payload, "name"), arguments_line(object_of(given) or given)


def _outcome(output: object) -> tuple[bool, str]:
    """Tell whether a call went well, and what it printed; Codex has written it in several ways."""
    if isinstance(output, dict):
        return output.get("success") is not False, text_of(output.get("content"))
    if not isinstance(output, str):
        return True, text_of(output)
    stored = object_of(output) if output.startswith('{"output"') else None
    if stored is not None:
        return part(stored, "metadata").get("exit_code", 0) == 0, text_at(stored, "output")
    head, has_head, printed = output.partition(_OUTPUT)
    code = _EXIT_CODE.search(head) if has_head else None
    if code is None:
        return True, output
    return code[1] == "0", printed
