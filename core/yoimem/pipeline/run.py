"""One run of the consolidator: what it takes in hand, by what it is judged, how it ends.

Whoever does the thinking, a model that is called or a host's own agent, works with `tools` between
the beginning and the end of a run. Nothing is consumed before the end: a run that dies or is given
up leaves its changes, each of which passed the rules, and everything that was staged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any

from uuid6 import uuid7

from yoimem.lint.config import Config
from yoimem.lint.evidence import Evidence
from yoimem.lint.plugin import Plugins
from yoimem.pipeline.run_lock import RunLock, RunNote, own_process
from yoimem.pipeline.run_material import RunMaterial, candidates_of, material_of
from yoimem.pipeline.run_start import carried_on, start_of
from yoimem.pipeline.run_summary import Changed, changes_of, made_by
from yoimem.pipeline.staging import Staging
from yoimem.records.reader import Reader
from yoimem.tools.errors import MemoryToolError
from yoimem.tools.memory_tools import MemoryTools
from yoimem.tools.offers import Offer, offers
from yoimem.tools.recall import Clock
from yoimem.tools.results import ToolResult
from yoimem.workspace.audit import AuditLog
from yoimem.workspace.index import Index
from yoimem.workspace.layout import Root
from yoimem.workspace.snapshot import Snapshot
from yoimem.workspace.store import Store
from yoimem.workspace.writer import Writer


class LostRunError(Exception):
    """The note of a run is not its own any more, so that it must not clear up."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run.

    `consumed` are the ids of the staged entries that it consumed, none where it failed. `changes`
    are the records that it changed, `offers` what it offered. `said` is the model's last word,
    `failure` why the run failed, empty where it did not. `faults` tell of staged files that are
    none.
    """

    run: str
    consumed: tuple[str, ...]
    changes: tuple[Changed, ...]
    offers: tuple[Offer, ...]
    said: str = ""
    failure: str = ""
    faults: tuple[str, ...] = ()


class BoundedTools(MemoryTools):
    """The tools of a run: after `most_calls` calls, right or wrong, no other is answered."""

    def __init__(self, root: Root, *, most_calls: int, **options: Any) -> None:
        super().__init__(root, **options)
        self._most_calls = most_calls
        self._calls = 0

    @property
    def is_exceeded(self) -> bool:
        """Whether more was called than is answered."""
        return self._calls > self._most_calls

    @property
    def bound(self) -> str:
        """What is said of the bound once it is reached."""
        return f"the run has made all of its {self._most_calls} tool calls (`max-iterations`)"

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call the tool `name`, as long as the run may.

        Raises:
            MemoryToolError: the run has made all its calls, or the tool refused.
        """
        self._calls += 1
        if self.is_exceeded:
            raise MemoryToolError("denied", f"{self.bound}: end it now")
        return super().call(name, arguments)


@dataclass(frozen=True, slots=True)
class Run:
    """A run that has begun, under a `lock` that whoever began it holds until it has ended.

    `note` is what it says of itself, `material` what it is given to read, `tools` what it works
    with; `faults` tell of staged files that are none.
    """

    lock: RunLock
    root: Root
    note: RunNote
    material: RunMaterial
    tools: BoundedTools
    faults: tuple[str, ...]

    def finish(self, said: str = "") -> RunResult:
        """Consume the entries of the run, and end it; `said` is the model's last word.

        Raises:
            LostRunError: the run is not the one that is noted any more; nothing was consumed.
            LinkError: a folder of the memory's own is a link.
            OSError: an entry cannot be consumed; running again clears up the rest.
        """
        found = self.lock.read()
        if found is None or (found.run, found.pid) != (self.note.run, self.note.pid):
            raise LostRunError(
                f"{self.root.path} does not hold the note of run {self.note.run} any more: someone"
                " took it away, and nothing was consumed"
            )
        self.lock.write(replace(self.note, phase="cleaning"))
        clear_up(self.lock, Staging(self.root.path))
        return self._result(self.note.consumed, said)

    def give_up(self, failure: str, said: str = "") -> RunResult:
        """End the run for the reason `failure`; everything stays staged, and changes stay."""
        return self._result((), said, failure)

    def _result(self, consumed: tuple[str, ...], said: str, failure: str = "") -> RunResult:
        run = self.note.run
        changes = changes_of(run, AuditLog(self.root.path).lines())
        made = tuple(offer for offer in offers(self.root.path).open if offer.run == run)
        return RunResult(run, consumed, changes, made, said, failure, self.faults)


def begin_run(lock: RunLock, root: Root, config: Config, plugins: Plugins, clock: Clock) -> Run:
    """Begin a run with all that is staged now.

    What a run that died, or was given up, had begun is gone on with: by the same id, and against
    the same start.

    Raises:
        BusyError: another writer holds the memory.
        LinkError: a folder of the memory's own is a link.
        OSError: the note cannot be written.
    """
    with Writer(root.path, config.tools.lock_timeout).locked():
        pass  # so that the log says how the last change of a killed run ended
    staged = Staging(root.path).listing()
    reader = Reader(plugins.kinds)
    index = Index(Store(root.path), plugins.kinds, reader)
    start, left = start_of(index.snapshot()), lock.read()
    if left is not None:
        start = carried_on(left.start, start, made_by(left.run, AuditLog(root.path).lines()))
    pid, process_start = own_process()
    note = RunNote(
        run=left.run if left else str(uuid7()),
        pid=pid,
        process_start=process_start,
        started=clock().astimezone(UTC).isoformat(timespec="seconds"),
        consumed=tuple(entry.id for entry in staged.entries),
        start=start,
    )
    lock.write(note)
    material = material_of(root, config, plugins, staged.entries)
    began = Snapshot(start.facts, reader, index.load)
    tools = BoundedTools(
        root,
        most_calls=config.consolidate.max_iterations,
        actor="consolidator",
        run_id=note.run,
        config=config,
        plugins=plugins,
        evidence=_evidence(began, start.lengths, material),
        clock=clock,
    )
    return Run(lock, root, note, material, tools, staged.faults)


def clear_up(lock: RunLock, staging: Staging) -> None:
    """Consume what a run that was done has left, if there is one, and take its note away.

    Raises:
        LinkError: a folder of the memory's own is a link.
        OSError: an entry cannot be consumed.
    """
    note = lock.read()
    if note is None or note.phase != "cleaning":
        return
    consumed = set(note.consumed)
    staging.consume(entry for entry in staging.listing().entries if entry.id in consumed)
    lock.clear()


def _evidence(start: Snapshot, lengths: Mapping[str, int], material: RunMaterial) -> Evidence:
    usage, config = material.usage, material.config
    known = {path: use.frequency for path, use in usage.uses.items() if use.frequency is not None}
    return Evidence(
        start=start,
        now=start,
        staged=frozenset(entry.source for entry in material.entries),
        candidates=frozenset(use.path for use in candidates_of(usage, start.facts)),
        frequencies=None if usage.now is None else known,
        protect=config.usage.protect,
        lengths=lengths,
        cold_start=config.consolidate.cold_start,
    )
