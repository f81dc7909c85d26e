"""One consolidation at a time: who holds the lock, what the note says, what a dead run leaves."""

import json
import multiprocessing
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Memory
from tests.pipeline.provider import Request, ScriptedProvider, Step, text
from tests.pipeline.tree import consumed_ids, decision, loaded, records, stage, staged_ids, write
from yoimem.pipeline.consolidate import consolidate
from yoimem.pipeline.run_lock import (
    LOCK_PATH,
    NOTE_PATH,
    RunHeldError,
    RunLock,
    RunNote,
    own_process,
    run_lock,
)
from yoimem.pipeline.run_start import carried_on, start_of
from yoimem.pipeline.staging import Staging
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.workspace.folder import LinkError
from yoimem.workspace.index import Index
from yoimem.workspace.layout import Root
from yoimem.workspace.snapshot import Snapshot
from yoimem.workspace.store import Store

Start = Callable[..., ScriptedProvider]
PATH = "memory/decisions/use-sqlite.md"


@pytest.fixture
def place(memory: Memory) -> Root:
    return Root(memory.root.resolve(), memory.workspace.resolve())


def snapshot(root: Root) -> Snapshot:
    kinds = Kinds()
    return Index(Store(root.path), kinds, Reader(kinds)).snapshot()


def note(root: Root, **changed: object) -> RunNote:
    values = {
        "run": "r1",
        "pid": 4711,
        "process_start": "2026-01-10T08:00:00+00:00",
        "started": "2026-01-10T09:00:00+00:00",
        "consumed": ("a", "b"),
        "start": start_of(snapshot(root)),
        **changed,
    }
    return RunNote(**values)  # type: ignore[arg-type]


def test_a_note_comes_back_as_it_was_written(place: Root) -> None:
    write(
        place,
        {
            PATH: decision("# Use SQLite\n\nSee #sqlite.\n", status="replaced", replaced_by="b"),
            "memory/decisions/b.md": decision(),
            "workflow/release.md": "---\ndescription: x\nrequires: [a, b]\n---\n",
            "memory/summary.md": "no frontmatter",
        },
    )
    written = note(place, phase="cleaning")
    with run_lock(place.path) as lock:
        lock.write(written)
        assert lock.read() == written
        lock.clear()
        assert lock.read() is None


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", "{}", '{"run": 1}', "[" * 100_000, "\x00"]
)
def test_a_note_that_says_nothing_is_none(place: Root, content: str) -> None:
    with run_lock(place.path) as lock:
        (place.path / NOTE_PATH).write_text(content)
        assert lock.read() is None


@pytest.mark.parametrize("key", ["run", "pid", "started", "phase", "consumed", "start"])
def test_a_note_without_a_part_is_none(place: Root, key: str) -> None:
    with run_lock(place.path) as lock:
        lock.write(note(place))
        path = place.path / NOTE_PATH
        content = json.loads(path.read_text())
        del content[key]
        path.write_text(json.dumps(content))
        assert lock.read() is None


def test_the_loser_is_told_who_holds_it(place: Root) -> None:
    with run_lock(place.path) as lock:
        lock.write(note(place))
        with pytest.raises(RunHeldError) as caught, run_lock(place.path):
            pass
    assert str(caught.value) == (
        "process 4711 consolidates this memory since 2026-01-10T09:00:00+00:00: run r1, with 2"
        " staged entries"
    )


def test_a_lock_without_a_note_is_held_all_the_same(place: Root) -> None:
    with (
        run_lock(place.path),
        pytest.raises(RunHeldError, match="another process consolidates"),
        run_lock(place.path),
    ):
        pass


def test_the_lock_may_be_let_go_by_another_thread(place: Root) -> None:
    held = run_lock(place.path)
    threads = [
        threading.Thread(target=held.__enter__),
        threading.Thread(target=held.__exit__, args=(None, None, None)),
    ]
    for thread in threads:
        thread.start()
        thread.join()
    with run_lock(place.path) as lock:
        assert lock.read() is None


@pytest.mark.parametrize("path", [LOCK_PATH, "memory/_staging"])
def test_a_link_in_its_place_is_refused(place: Root, tmp_path: Path, path: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = place.path / path
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(elsewhere if path.endswith("_staging") else elsewhere / "file")
    with pytest.raises(LinkError), run_lock(place.path):
        pass
    assert list(elsewhere.iterdir()) == []


def test_a_process_knows_its_number_and_start() -> None:
    pid, start = own_process()
    assert pid == os.getpid()
    assert start is None or start < "9999"


@pytest.mark.parametrize(
    "pid", [os.getpid(), os.getppid(), 1, 2**31 - 1], ids=["own", "parent", "first", "none"]
)
def test_a_note_left_by_a_dead_process_is_cleared(root: Root, scripted: Start, pid: int) -> None:
    """Also one whose number lives on in another process: the lock alone says who works."""
    entry = stage(root)
    with run_lock(root.path) as lock:
        lock.write(note(root, pid=pid))
    scripted()
    (run,) = consolidate(root, *loaded(root), force=True).runs
    assert run.consumed == (entry.id,)
    assert RunLock(root.path).read() is None


def test_a_note_of_a_clean_up_is_finished_without_a_model(root: Root) -> None:
    first, second = stage(root, "s1"), stage(root, "s2")
    with run_lock(root.path) as lock:
        lock.write(note(root, phase="cleaning", consumed=(first.id, "gone already")))
    result = consolidate(root, *loaded(root))
    assert result.runs == ()
    assert (staged_ids(root), consumed_ids(root)) == ([second.id], [first.id])
    assert RunLock(root.path).read() is None


def test_a_run_that_goes_on_is_held_against_the_first_start(place: Root) -> None:
    write(place, {PATH: decision(status="open"), "memory/decisions/gone.md": decision()})
    old = start_of(snapshot(place))
    (place.path / "memory/decisions/gone.md").unlink()
    write(
        place,
        {
            PATH: decision("# Short\n", status="replaced", replaced_by="made"),
            "memory/decisions/made.md": decision(),
            "memory/decisions/by-a-person.md": decision(),
        },
    )
    start = carried_on(old, start_of(snapshot(place)), ["memory/decisions/made.md"])
    assert sorted(start.facts) == [
        "memory/decisions/by-a-person.md",
        "memory/decisions/gone.md",
        PATH,
    ]
    assert start.facts[PATH].status == "open"
    assert start.lengths[PATH] == old.lengths[PATH]
    assert start.lengths.keys() == start.facts.keys()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_two_at_once_one_works_and_one_is_told(root: Root, scripted: Start) -> None:
    entry = stage(root)
    told: list[str] = []
    process = multiprocessing.get_context("fork")

    def run_another(request: Request) -> Step:
        answers = process.SimpleQueue()
        other = process.Process(target=_consolidate, args=(root, answers))
        other.start()
        told.append(answers.get())
        other.join()
        return text("integrated")

    scripted(run_another)
    result = consolidate(root, *loaded(root), force=True)
    assert result.is_done
    assert consumed_ids(root) == [entry.id]
    assert told[0].startswith(f"process {os.getpid()} consolidates this memory since ")
    assert told[0].endswith("with 1 staged entry")
    assert records(root) == {}
    assert Staging(root.path).listing().entries == ()


def _consolidate(root: Root, answers: "multiprocessing.SimpleQueue[str]") -> None:
    answers.put(consolidate(root, *loaded(root), force=True).error)
