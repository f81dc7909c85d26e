"""One event of use, and the line of JSON that holds it."""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from sys import intern
from typing import Any, Literal, NamedTuple, get_args

EventType = Literal["invoke", "exposure", "tokens"]
_Fields = tuple[tuple[str, Callable[[Any], bool]], ...]

_UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_MOST = 10**12
"""More bytes or tokens than anything that was read."""


class UsedRecord(NamedTuple):
    """A record that was used: its root-relative path, its bytes and estimated tokens then."""

    path: str
    bytes: int
    tokens: int


class UsageEvent(NamedTuple):
    """What happened once (design, section 12).

    `id` is a UUIDv7, `at` a time, `session` the one in which it happened. `invoke` has the
    `records` that were read or named, `exposure` those that a session began with. `tokens` has the
    input tokens that a session spent, and in `until` the index of the first entry of its log that
    is not counted yet.
    """

    id: str
    type: EventType
    at: str
    session: str | None
    actor: str
    records: tuple[UsedRecord, ...] = ()
    tokens: int = 0
    until: int | None = None


def parse_event(raw: bytes) -> UsageEvent:
    """Return the event that a line holds; keys that a later version adds are passed over.

    Texts that many events share are held once.

    Raises:
        ValueError: it holds none; the message says why.
    """
    try:
        value: Any = json.loads(raw.decode())
    except (ValueError, RecursionError) as error:
        raise ValueError("it is no whole JSON object") from error
    _require(value, _COMMON)
    event_type, session = _TYPES[value["type"]], value.get("session")
    common = (
        value["id"],
        event_type,
        value["at"],
        None if session is None else intern(session),
        intern(value["actor"]),
    )
    if event_type == "tokens":
        _require(value, _TOKENS)
        return UsageEvent(*common, tokens=value["tokens"], until=value.get("until"))
    _require(value, _RECORDS)
    return UsageEvent(*common, records=tuple(map(_record, value["records"])))


@lru_cache(1 << 16)
def is_path(path: str) -> bool:
    """Tell whether `path` leads from the root to a place below it, on every system."""
    return not (_OUTSIDE & {*path.split("/")} or "\\" in path or path[1:2] == ":")


def _record(value: Any) -> UsedRecord:
    _require(value, _RECORD)
    return UsedRecord(intern(value["path"]), value["bytes"], value["tokens"])


def _require(value: Any, fields: _Fields) -> None:
    if type(value) is not dict:
        raise ValueError("it is no JSON object")
    for name, is_right in fields:
        if not is_right(value.get(name)):
            raise ValueError(f"`{name}` is not what it must be")


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_amount(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


_OUTSIDE = frozenset({"", ".", ".."})
_TYPES: dict[str, EventType] = {name: name for name in get_args(EventType)}
_COMMON: _Fields = (
    ("id", lambda value: _is_text(value) and _UUID7.fullmatch(value) is not None),
    ("type", lambda value: _is_text(value) and value in _TYPES),
    ("at", _is_text),
    ("session", lambda value: value is None or _is_text(value)),
    ("actor", _is_text),
)
_RECORDS: _Fields = (("records", lambda value: type(value) is list),)
_RECORD: _Fields = (
    ("path", lambda value: _is_text(value) and is_path(value)),
    ("bytes", _is_amount),
    ("tokens", _is_amount),
)
_TOKENS: _Fields = (
    ("tokens", _is_amount),
    ("until", lambda value: value is None or _is_amount(value)),
)
