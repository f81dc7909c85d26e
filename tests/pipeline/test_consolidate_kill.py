"""A consolidation that is killed at any step: running again comes to the same records."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Memory
from tests.pipeline.conftest import CONFIG
from tests.pipeline.provider import Request, ScriptedProvider, Step, text, tools
from tests.pipeline.tree import (
    check,
    consumed_ids,
    decision,
    loaded,
    records,
    source,
    stage,
    staged_ids,
    write,
)
from yoimem.pipeline.consolidate import consolidate
from yoimem.pipeline.run_lock import RunLock
from yoimem.pipeline.staging import Staging
from yoimem.workspace.layout import Root

Start = Callable[..., ScriptedProvider]
OLD = "memory/decisions/use-files.md"
NEW = "memory/decisions/use-sqlite.md"

pytestmark = pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="needs SIGKILL and fork"
)

WRITE = tools(
    (
        "memory_write",
        {"path": NEW, "content": decision(times=False), "reasons": ["integrate"]},
    )
)
REPLACE = tools(
    (
        "memory_edit",
        {
            "path": OLD,
            "old_string": "status: resolved",
            "new_string": "status: replaced\nreplaced_by: use-sqlite",
            "reasons": ["integrate"],
        },
    )
)
SCRIPT = (WRITE, REPLACE, text("integrated"), text("tidied"))
BEFORE = {OLD: decision("# Use files\n", source("s0"))}
AFTER = {
    OLD: decision("# Use files\n", source("s0"), status="replaced", replaced_by="use-sqlite"),
    NEW: decision(times=False),
}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the records that the script leaves when nothing comes between."""
    memory = Memory(tmp_path_factory.mktemp("undisturbed"))
    (memory.workspace / "yoimem.toml").write_text(CONFIG)
    root = Root(memory.root.resolve(), memory.workspace.resolve())
    _prepare(root)
    with ScriptedProvider(SCRIPT) as provider, pytest.MonkeyPatch.context() as patch:
        for name, value in provider.environ.items():
            patch.setenv(name, value)
        consolidate(root, *loaded(root), force=True)
    return records(root)


def process(work: Callable[..., None], *arguments: object) -> BaseProcess:
    return multiprocessing.get_context("fork").Process(target=work, args=arguments)


def _prepare(root: Root) -> None:
    write(root, BEFORE)
    stage(root, "s1")
    stage(root, "s2")


@pytest.mark.parametrize("step", [0, 1, 2, 3])
def test_killed_before_between_and_after_writes(
    root: Root, scripted: Start, undisturbed: dict[str, str], step: int
) -> None:
    _prepare(root)
    ids, killed = staged_ids(root), []

    def kill(request: Request) -> Step:
        killed.append(True)
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        return text("too late")

    scripted(*SCRIPT[:step], kill)
    worker = process(_consolidate, root)
    worker.start()
    worker.join(30)
    assert (worker.exitcode, killed) == (-signal.SIGKILL, [True])
    assert staged_ids(root) == ids
    assert check(root).errors == ()
    _run_again(root, scripted, undisturbed, ids)


@pytest.mark.parametrize("moment", ["before", "first noted", "first removed", "all removed"])
def test_killed_in_the_clean_up(
    root: Root, scripted: Start, undisturbed: dict[str, str], moment: str
) -> None:
    _prepare(root)
    ids = staged_ids(root)
    scripted(*SCRIPT)
    worker = process(_killed_at, root, moment)
    worker.start()
    worker.join(30)
    assert worker.exitcode == -signal.SIGKILL
    left = {"before": ids, "first noted": ids, "first removed": ids[1:], "all removed": []}
    assert staged_ids(root) == left[moment]
    note = RunLock(root.path).read()
    assert note is not None
    assert note.phase == "cleaning"
    provider = scripted()
    assert consolidate(root, *loaded(root)).runs == ()
    assert provider.requests == [], "what is integrated is not integrated again"
    assert records(root) == undisturbed
    # An entry that was noted and not yet deleted is noted again: the ledger is read as a set.
    assert (staged_ids(root), list(dict.fromkeys(consumed_ids(root)))) == ([], ids)
    assert RunLock(root.path).read() is None


def test_killed_in_the_middle_of_a_write(
    root: Root, scripted: Start, undisturbed: dict[str, str]
) -> None:
    _prepare(root)
    ids = staged_ids(root)
    scripted(*SCRIPT)
    worker = process(_killed_in_a_write, root)
    worker.start()
    worker.join(30)
    assert worker.exitcode == -signal.SIGKILL
    assert staged_ids(root) == ids
    _run_again(root, scripted, undisturbed, ids)


def test_what_a_killed_run_replaced_is_not_deleted_by_the_next(root: Root, scripted: Start) -> None:
    """The start of a run outlives its process: else the next one would find it replaced before."""
    _prepare(root)

    def kill(request: Request) -> Step:
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        return text("too late")

    scripted(WRITE, REPLACE, kill)
    worker = process(_consolidate, root)
    worker.start()
    worker.join(30)
    delete = tools(("memory_delete", {"path": OLD, "reasons": ["superseded"]}))
    provider = scripted(delete)
    (run,) = consolidate(root, *loaded(root), force=True).runs
    assert "PL005" in str(provider.requests[1]["messages"][-1])
    assert OLD in records(root)
    assert [change.path for change in run.changes] == [OLD, NEW]


def _run_again(root: Root, scripted: Start, undisturbed: dict[str, str], ids: list[str]) -> None:
    """Run again, by a model that does what is not done yet, and hold what comes of it."""
    done = records(root)
    steps = [
        step
        for step, is_done in ((WRITE, NEW in done), (REPLACE, "replaced_by" in done[OLD]))
        if not is_done
    ]
    scripted(*steps, text("integrated"), text("tidied"))
    (run,) = consolidate(root, *loaded(root), force=True).runs
    assert (run.failure, list(run.consumed)) == ("", ids)
    assert [(change.path, change.what) for change in run.changes] == [
        (OLD, "updated"),
        (NEW, "created"),
    ]
    assert records(root) == undisturbed
    assert (staged_ids(root), consumed_ids(root)) == ([], ids)
    assert check(root).errors == ()


def _consolidate(root: Root) -> None:
    consolidate(root, *loaded(root), force=True)


def _killed_at(root: Root, moment: str) -> None:
    """Consolidate, and die at `moment` of the clean-up."""
    note, clear, consume = Staging._note, RunLock.clear, Staging.consume
    noted: list[object] = []

    def dying_note(self: Staging, entry: Any) -> None:
        if noted and moment == "first removed":
            _die()
        note(self, entry)
        noted.append(entry)
        if moment == "first noted":
            _die()

    def dying_consume(self: Staging, entries: Any) -> None:
        if moment == "before":
            _die()
        consume(self, entries)

    def dying_clear(self: RunLock) -> None:
        if moment == "all removed":
            _die()
        clear(self)

    Staging._note = dying_note  # type: ignore[method-assign]
    Staging.consume = dying_consume  # type: ignore[method-assign]
    RunLock.clear = dying_clear  # type: ignore[method-assign]
    _consolidate(root)


def _killed_in_a_write(root: Root) -> None:
    """Consolidate, and die when the first record's bytes are there and its name is not."""
    from yoimem.workspace.folder import Folder

    name_new = Folder.name_new

    def dying(self: Folder, source: str, target: str) -> None:
        if target == Path(NEW).name:
            _die()
        name_new(self, source, target)

    Folder.name_new = dying  # type: ignore[method-assign]
    _consolidate(root)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
