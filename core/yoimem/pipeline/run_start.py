"""The memory as a run of the consolidator found it: what its rules hold every change against.

It is kept while the run lasts, so that a run that died goes on against the same start: what it
replaced, cut down or made before does not count as having stood there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from yoimem.records.fields import Source
from yoimem.workspace.snapshot import Edge, Facts, Snapshot


@dataclass(frozen=True, slots=True)
class RunStart:
    """The facts of every record, and the length of its body in code points, by path."""

    facts: Mapping[str, Facts]
    lengths: Mapping[str, int]


def start_of(snapshot: Snapshot) -> RunStart:
    """Return what `snapshot` holds, as the start of a run."""
    records = (snapshot.record(path) for path in snapshot.facts)
    lengths = {record.path: len(record.body) for record in records if record is not None}
    return RunStart(snapshot.facts, MappingProxyType(lengths))


def carried_on(old: RunStart, now: RunStart, made: Iterable[str]) -> RunStart:
    """Return the start of a run that goes on: `old`, with what people wrote since.

    `now` is the memory as it stands, `made` the paths of the records that the run itself made.
    """
    known = {*old.facts, *made}
    facts = {path: facts for path, facts in now.facts.items() if path not in known}
    lengths = {path: length for path, length in now.lengths.items() if path not in known}
    return RunStart({**old.facts, **facts}, {**old.lengths, **lengths})


def start_json(start: RunStart) -> dict[str, Any]:
    """Return `start` as JSON spells it."""
    return {
        path: {**facts._asdict(), "length": start.lengths.get(path, 0)}
        for path, facts in start.facts.items()
    }


def parse_start(value: Any) -> RunStart:
    """Return the start that `value`, as JSON has it, spells.

    Raises:
        ValueError: it spells none.
    """
    try:
        facts = {path: _facts(path, known) for path, known in value.items()}
        lengths = {path: int(known["length"]) for path, known in value.items()}
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"it does not say how the run began: {error!r}") from error
    return RunStart(facts, lengths)


def _facts(path: str, known: Mapping[str, Any]) -> Facts:
    return Facts(
        path=path,
        slug=known["slug"],
        kind=known["kind"],
        status=known["status"],
        sources=tuple(Source(*source) for source in known["sources"]),
        edges=tuple(
            Edge(path, tuple(field), slug, tuple(kinds)) for _, field, slug, kinds in known["edges"]
        ),
        mentions=tuple(known["mentions"]),
    )
