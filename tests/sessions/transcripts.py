"""Made-up logs in the shapes in which their hosts write them."""

import json
from pathlib import Path
from typing import Any

from yoimem.lint.session_reader import SessionReader
from yoimem.sessions.plugin import yoimem_register_session_readers

READERS: dict[str, SessionReader] = {r.name: r for r in yoimem_register_session_readers()}
CLAUDE_ID = "4f35e220-c435-4cf7-b9b9-f40426042847"
CODEX_ID = "019cb655-7826-7080-b375-f4bd0ec83d54"
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch"


def jsonl(*values: object) -> str:
    return "".join(
        f"{v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)}\n" for v in values
    )


def claude(kind: str, message: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Make an event of Claude Code with the fields that all events of a conversation have."""
    event: dict[str, Any] = {
        "parentUuid": "9ff29d57-8b28-4da9-8e7f-b0e4e7e2ba46",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/someone/app",
        "sessionId": CLAUDE_ID,
        "version": "2.1.37",
        "gitBranch": "main",
        "type": kind,
        "uuid": "9ff29d57-8b28-4da9-8e7f-b0e4e7e2ba47",
        "timestamp": "2026-02-18T07:27:40.079Z",
    }
    return {**event, **({"message": message} if message else {}), **more}


def said(message_id: str, *blocks: dict[str, Any], new: int, created: int) -> dict[str, Any]:
    """Make an event of Claude Code's model; `new` and `created` are tokens of its input."""
    usage = {
        "input_tokens": new,
        "cache_creation_input_tokens": created,
        "cache_read_input_tokens": 19_024,
        "output_tokens": 25,
    }
    message = {
        "model": "claude-opus-4-5-20251101",
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "content": list(blocks),
        "stop_reason": None,
        "usage": usage,
    }
    return claude("assistant", message, requestId="req_1")


def returned(call: str, content: object, **more: Any) -> dict[str, Any]:
    block = {"tool_use_id": call, "type": "tool_result", "content": content, **more}
    return claude("user", {"role": "user", "content": [block]}, toolUseResult={"stdout": "raw"})


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


BASH = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls -l"}}
READ = {"type": "tool_use", "id": "toolu_2", "name": "Read", "input": {"file_path": "/a.png"}}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}

CLAUDE = (
    {"type": "queue-operation", "operation": "dequeue", "sessionId": CLAUDE_ID},
    {"type": "file-history-snapshot", "messageId": "m1", "snapshot": {}, "isSnapshotUpdate": False},
    claude("user", {"role": "user", "content": "SQLite を使う？"}),
    claude("user", {"role": "user", "content": "<local-command-caveat>…"}, isMeta=True),
    said("msg_1", {"type": "thinking", "thinking": "Hm.", "signature": "x"}, new=3, created=1_200),
    said("msg_1", text("I look at the folder."), new=3, created=1_200),
    said("msg_1", BASH, new=3, created=1_200),
    returned("toolu_1", "total 1\n-rw-r--r-- orders.db"),
    claude("attachment", attachment={"type": "skill_listing", "content": "- pdf: …"}),
    claude(
        "attachment",
        attachment={"type": "queued_command", "prompt": "Hurry.", "commandMode": "prompt"},
    ),
    claude("user", {"role": "user", "content": "Look into it."}, isSidechain=True),
    said("msg_2", READ, new=4, created=96),
    returned("toolu_2", [IMAGE, text("File does not exist.")], is_error=True),
    claude("system", subtype="compact_boundary", content="Conversation compacted"),
    claude("user", {"role": "user", "content": "This session goes on…"}, isCompactSummary=True),
    claude("user", {"role": "user", "content": [text("And this?"), IMAGE]}),
    said("msg_3", text("Yes: SQLite."), new=5, created=0),
)

OWN = (
    {"type": "message", "role": "user", "text": "Use SQLite?", "at": "2026-01-10T09:00:00Z"},
    {"type": "tool", "name": "shell", "summary": "orders.db", "status": "ok"},
    {"type": "extension", "domain": "editor.layout", "payload": {"columns": 2}},
    {"type": "message", "role": "assistant", "text": "Yes: one process writes.", "input_tokens": 9},
)


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-03-04T00:53:03.666Z", "type": kind, "payload": payload}


def item(kind: str, **payload: Any) -> dict[str, Any]:
    return codex("response_item", type=kind, **payload)


def message(role: str, *words: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": w} for w in words])


def tokens(total: int, new: int, cached: int) -> dict[str, Any]:
    info = {
        "total_token_usage": {"input_tokens": total, "total_tokens": total + 50},
        "last_token_usage": {"input_tokens": new, "cached_input_tokens": cached},
        "model_context_window": 272_000,
    }
    return codex("event_msg", type="token_count", info=info, rate_limits=None)


CODEX = (
    codex("session_meta", id=CODEX_ID, cwd="/home/someone/app", cli_version="0.104.0"),
    message("developer", "<permissions instructions>…"),
    message("user", "# AGENTS.md instructions for /app\n\n<INSTRUCTIONS>…", "Use SQLite?"),
    message("user", "<environment_context>\n  <cwd>/app</cwd>\n</environment_context>"),
    codex("turn_context", cwd="/home/someone/app", model="gpt-5.3-codex"),
    codex("event_msg", type="user_message", message="Use SQLite?", images=[]),
    codex("event_msg", type="token_count", info=None, rate_limits={"primary": None}),
    item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}], encrypted_content="x"),
    item("function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="call_1"),
    tokens(1_000, 1_000, 0),
    tokens(1_000, 1_000, 0),
    item(
        "function_call_output",
        call_id="call_1",
        output="Chunk ID: 4a\nWall time: 0.02 seconds\nProcess exited with code 2\nOutput:\nls: no",
    ),
    item("custom_tool_call", status="completed", call_id="c2", name="apply_patch", input=PATCH),
    item(
        "custom_tool_call_output",
        call_id="c2",
        output='{"output":"Success.","metadata":{"exit_code":0,"duration_seconds":0.0}}',
    ),
    item(
        "local_shell_call", call_id="c3", action={"type": "exec", "command": ["bash", "-lc", "w"]}
    ),
    item("local_shell_call_output", call_id="c3", output="up 2 days"),
    item("function_call_output", call_id="c9", output=[{"type": "input_image", "image_url": "x"}]),
    item("web_search_call", status="completed", action={"type": "search", "query": "sqlite wal"}),
    tokens(2_600, 1_600, 1_400),
    message("assistant", "Yes: SQLite."),
)

LOGS: dict[str, tuple[object, ...]] = {"yoimem": OWN, "claude-code": CLAUDE, "codex": CODEX}


def write_log(folder: Path, name: str, stem: str = "s1") -> Path:
    """Write the made-up log of a reader into `folder`."""
    path = folder / f"{stem}.jsonl"
    path.write_bytes(jsonl(*LOGS[name]).encode())
    return path
