"""What a run of the consolidator knows that its rules on policy ask for (design, section 13)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from yoimem.records.fields import Source
from yoimem.workspace.snapshot import Snapshot

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run can prove, and what it must not touch.

    `start` is the memory when the run began: its facts, since the records themselves are read as
    they stand now. `now` is the memory before the change that is judged, which the engine fills in.
    `staged` holds the sources that the run consumes. `candidates` are the paths of the records that
    are used often enough to become knowledge. `frequencies` are invokes per million tokens by path,
    None while use is not known at all. `protect` is the frequency from which a record is protected.
    `lengths` are the bodies' lengths when the run began, in code points, by path. While
    `cold_start` is on, knowledge may come from any staged source.
    """

    start: Snapshot
    now: Snapshot
    staged: frozenset[Source] = frozenset()
    candidates: frozenset[str] = frozenset()
    frequencies: Mapping[str, float] | None = None
    protect: float = 1.0
    lengths: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    cold_start: bool = False
