"""Consolidate: staged activity becomes records, by a model that works through the gate alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from yoimem.lint.config import Config
from yoimem.lint.plugin import Plugins
from yoimem.lint.settings import ConsolidateSettings
from yoimem.pipeline.consolidate_agent import Progress, converse
from yoimem.pipeline.provider import ModelError
from yoimem.pipeline.run import LostRunError, Run, RunResult, begin_run, clear_up
from yoimem.pipeline.run_lock import RunHeldError, RunLock, run_lock
from yoimem.pipeline.staging import Staged, Staging
from yoimem.tools.recall import Clock, utc_now
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import Root
from yoimem.workspace.writer import BusyError


@dataclass(frozen=True, slots=True)
class ConsolidateResult:
    """What consolidating came to: its `runs`, none where it was not due.

    `error` says what stood in the way, like another process that consolidates this memory; empty
    where nothing did.
    """

    runs: tuple[RunResult, ...] = ()
    error: str = ""

    @property
    def is_done(self) -> bool:
        """Whether all went well, be it that there was nothing to do."""
        return not self.error and not any(run.failure for run in self.runs)


def is_due(staged: Staged, settings: ConsolidateSettings) -> bool:
    """Tell whether enough is staged for a run: so many files, or so many bytes of them."""
    entries = staged.entries
    return bool(entries) and (
        len(entries) >= settings.files or sum(e.size for e in entries) >= settings.bytes
    )


def due_words(root: Root, config: Config) -> str:
    """Say that no run is due, and how much is staged of what makes one due."""
    entries, settings = Staging(root.path).listing().entries, config.consolidate
    size = sum(entry.size for entry in entries)
    return (
        f"no run is due: {len(entries)} of {settings.files:,} files are staged, {size:,} of"
        f" {settings.bytes:,} bytes"
    )


def consolidate(
    root: Root,
    config: Config,
    plugins: Plugins,
    *,
    force: bool = False,
    retry: bool = True,
    told: Progress | None = None,
    clock: Clock = utc_now,
) -> ConsolidateResult:
    """Consolidate the memory at `root`, if that is due or `force` asks for it.

    It goes on with another run as long as what came meanwhile makes one due. Without `retry`, what
    a run took in that failed, or is at work, waits until more is staged. `told` is told of each
    tool that the model calls. Whatever stands in the way is told in the result.
    """
    runs: list[RunResult] = []
    try:
        if force or _has_work(root, config, retry=retry):
            with run_lock(root.path) as lock:
                clear_up(lock, Staging(root.path))
                runs.extend(_runs(lock, root, config, plugins, force, told or _quiet, clock))
    except (BusyError, LinkError, OSError, RunHeldError) as error:
        return ConsolidateResult(tuple(runs), str(error))
    return ConsolidateResult(tuple(runs))


def consolidate_if_due(
    root: Root, config: Config, plugins: Plugins, *, clock: Clock = utc_now
) -> ConsolidateResult | None:
    """Consolidate after a turn; None where it is not due.

    Without a model nothing ever is. What failed is not retried until more is staged: a model that
    fails must not be paid for after every turn.
    """
    if not config.consolidate.model:
        return None
    result = consolidate(root, config, plugins, retry=False, clock=clock)
    return result if result.runs or result.error else None


def _has_work(root: Root, config: Config, *, retry: bool) -> bool:
    """Tell whether a run is due, or one that was done has left entries to be cleared up."""
    staged, note = Staging(root.path).listing(), RunLock(root.path).read()
    if note is not None and note.phase == "cleaning":
        return True
    is_in_hand = note is not None and {entry.id for entry in staged.entries} <= set(note.consumed)
    return is_due(staged, config.consolidate) and (retry or not is_in_hand)


def _runs(
    lock: RunLock,
    root: Root,
    config: Config,
    plugins: Plugins,
    force: bool,
    told: Progress,
    clock: Clock,
) -> Iterator[RunResult]:
    while force or is_due(Staging(root.path).listing(), config.consolidate):
        result = _run(begin_run(lock, root, config, plugins, clock), config.consolidate, told)
        yield result
        if result.failure:
            return
        force = False


def _run(run: Run, settings: ConsolidateSettings, told: Progress) -> RunResult:
    steps = (run.material.integrate, run.material.tidy)
    try:
        said = converse(
            settings.model,
            run.material.instructions,
            steps,
            run.tools,
            settings.max_iterations,
            told,
        )
        if run.tools.is_exceeded:
            return run.give_up(run.tools.bound, said)
        return run.finish(said)
    except (ModelError, LostRunError) as error:
        return run.give_up(str(error))


def _quiet(tool: str, arguments: Mapping[str, Any]) -> None:
    """Show nothing of a tool that is called."""
