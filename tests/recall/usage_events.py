"""Events of use as lines, in a given order, for tests that compute by hand."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from yoimem.recall.usage import UsageHistory, UsageLog

A, B = "memory/decisions/a.md", "knowledge/b.md"


def event_id(place: int) -> str:
    """Make a UUIDv7 that comes at `place` in the order of events."""
    return f"{place:08x}-0000-7000-8000-000000000000"


def invoke(
    session: str | None = "s", path: str = A, actor: str = "agent", tokens: int = 50
) -> dict[str, Any]:
    return _event("invoke", session, actor, records=[_record(path, tokens)])


def exposure(path: str = A, tokens: int = 50) -> dict[str, Any]:
    return _event("exposure", "s", "agent", records=[_record(path, tokens)])


def spent(tokens: int, session: str | None = "s", until: int | None = None) -> dict[str, Any]:
    return _event("tokens", session, "agent", tokens=tokens, until=until)


def lines(events: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each event, in the order in which the events happened."""
    return [json.dumps({"id": event_id(place)} | event) for place, event in enumerate(events)]


def put(root: Path, text: str | bytes) -> Path:
    path = root / "memory" / "_usage" / "events.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def history_of(root: Path, events: Sequence[dict[str, Any]]) -> UsageHistory:
    put(root, "".join(f"{line}\n" for line in lines(events)))
    return UsageLog(root).history()


def _event(event_type: str, session: str | None, actor: str, **rest: Any) -> dict[str, Any]:
    at = "2026-03-01T12:00:00.000+00:00"
    return {"type": event_type, "at": at, "session": session, "actor": actor, **rest}


def _record(path: str, tokens: int) -> dict[str, Any]:
    return {"path": path, "bytes": 200, "tokens": tokens}
