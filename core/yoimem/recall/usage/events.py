"""The events of use: what was read, what every session began with, what tokens were spent.

`memory/_usage/events.jsonl` holds an event a line. git may merge two such files line by line, and
anyone may write into one: the order of the lines means nothing, an event that is there twice counts
once, and a line that is none is told and passed over. Of different events with one id the one that
sorts first counts, whichever line comes first.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import uuid6

from yoimem.recall.usage.line import EventType, UsageEvent, UsedRecord, is_path, parse_event
from yoimem.workspace.folder import open_folder
from yoimem.workspace.json_lines import append, bounded_id

__all__ = ["USAGE_PATH", "UsageEvent", "UsageHistory", "UsageLog", "UsedRecord"]

USAGE_PATH = "memory/_usage/events.jsonl"
_FOLDER = ("memory", "_usage")
_NAME = "events.jsonl"
_MOST_BYTES = 1 << 30
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class UsageHistory:
    """The events of a root by their ids, which is by time; `faults` tell the lines that are none.

    Each fault names the file and the line, counted from 1.
    """

    events: tuple[UsageEvent, ...] = ()
    faults: tuple[str, ...] = ()


def _utc_now() -> datetime:
    return datetime.now(UTC)


class UsageLog:
    """The events of the resolved `root`; `clock` tells the time that is written into each.

    Every method raises LinkError when the way to the file leads over a link, and OSError when it
    cannot be written or read. Who only reads a record suppresses both: that a read cannot be
    written down keeps nobody from reading.
    """

    def __init__(self, root: Path, clock: Callable[[], datetime] = _utc_now) -> None:
        self._root = root
        self._clock = clock

    def invoke(self, records: Iterable[UsedRecord], *, session: str | None, actor: str) -> None:
        """Add that `actor` read `records` or named them, in one go."""
        self._add_records("invoke", records, session, actor)

    def exposure(self, records: Iterable[UsedRecord], *, session: str | None, actor: str) -> None:
        """Add that `records` were put before a session; their tokens are what each cost there."""
        self._add_records("exposure", records, session, actor)

    def spent(
        self, tokens: int, *, session: str | None, actor: str, until: int | None = None
    ) -> None:
        """Add that a session read `tokens` input tokens more.

        `until` is the index of the first entry of the session's log that is not counted yet.
        """
        self._add("tokens", session, actor, {"tokens": tokens, "until": until})

    def history(self) -> UsageHistory:
        """Return all that was ever added, each event once."""
        try:
            with open_folder(self._root, _FOLDER) as folder:
                lines = folder.read_lines(_NAME, _MOST_BYTES)
        except FileNotFoundError:
            return UsageHistory()
        return _history(lines or ())

    def _add_records(
        self, event_type: EventType, records: Iterable[UsedRecord], session: str | None, actor: str
    ) -> None:
        used = [
            {"path": record.path, "bytes": record.bytes, "tokens": record.tokens}
            for record in records
            if is_path(record.path)
        ]
        if used:
            self._add(event_type, session, actor, {"records": used})

    def _add(
        self, event_type: EventType, session: str | None, actor: str, rest: dict[str, Any]
    ) -> None:
        event = {
            "id": str(uuid6.uuid7()),
            "type": event_type,
            "at": self._clock().astimezone(UTC).isoformat(timespec="milliseconds"),
            "session": bounded_id(session),
            "actor": actor,
            **rest,
        }
        append(self._root, _FOLDER, _NAME, event)


def _history(lines: Sequence[bytes]) -> UsageHistory:
    kept: dict[str, tuple[UsageEvent, int]] = {}
    faults: dict[int, str] = {}
    for number, raw in enumerate(lines, 1):
        if raw.isspace():
            continue
        try:
            event = parse_event(raw)
        except ValueError as error:
            faults[number] = str(error)
            continue
        twin, _ = kept.setdefault(event.id, (event, number))
        if twin != event:
            # Not the first line: a merge may turn them round.
            kept[event.id], (_, passed) = sorted((kept[event.id], (event, number)), key=repr)
            faults[passed] = "another event with the same `id` counts"
    events = tuple(kept[event_id][0] for event_id in sorted(kept))
    told = tuple(_fault(number, lines[number - 1], faults[number]) for number in sorted(faults))
    return UsageHistory(events, told)


def _fault(number: int, raw: bytes, why: str) -> str:
    text = raw.decode(errors="backslashreplace").strip()
    shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
    return f"{USAGE_PATH}:{number}: {why}: {shown!r}"
