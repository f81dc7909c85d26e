"""The index: each snapshot is of what is on disk now, and only what changed is read again."""

import os
import time
from pathlib import Path

import pytest
from tests.conftest import DECISION, KNOWLEDGE, Memory

from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.tools import MemoryToolError, MemoryTools
from yoimem.workspace.index import Index
from yoimem.workspace.store import Store, Survey

PATH = "memory/decisions/a-one.md"
OTHER = "memory/decisions/b-two.md"


@pytest.fixture
def index(memory: Memory) -> Index:
    memory.write(PATH, DECISION)
    kinds = Kinds()
    return Index(Store(memory.root), kinds, Reader(kinds))


def status(index: Index, path: str = PATH) -> str | None:
    return index.snapshot().facts[path].status


def test_a_file_that_is_written_between_two_looks_is_seen(memory: Memory, index: Index) -> None:
    assert status(index) == "open"
    memory.write(PATH, DECISION.replace("open", "resolved"))
    assert status(index) == "resolved"


def test_files_that_come_and_go_are_seen(memory: Memory, index: Index) -> None:
    assert list(index.snapshot().facts) == [PATH]
    memory.write(OTHER, DECISION)
    assert list(index.snapshot().facts) == [PATH, OTHER]
    (memory.root / PATH).unlink()
    assert list(index.snapshot().facts) == [OTHER]


@pytest.mark.parametrize("in_place", [False, True])
def test_other_content_of_the_same_size_and_time_is_seen(
    memory: Memory, index: Index, in_place: bool
) -> None:
    file = memory.root / PATH
    file.write_text(DECISION.replace("open", "resolved"))
    assert status(index) == "resolved"
    before = file.stat()
    place = file if in_place else memory.workspace / "other.md"
    place.write_text(DECISION.replace("open", "replaced"))
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    place.replace(file)
    after = file.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert status(index) == "replaced"


def test_two_changes_that_share_one_stamp_are_both_seen(
    memory: Memory, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp = time.time_ns()
    one = {PATH: (1, 100, stamp, stamp)}
    monkeypatch.setattr(Store, "survey", lambda store, folders: Survey(one, 0, frozenset()))
    for wanted in ("resolved", "replaced", "open"):
        memory.write(PATH, DECISION.replace("open", wanted))
        assert status(index) == wanted


def test_what_did_not_change_is_not_read_again(
    memory: Memory, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.write(OTHER, DECISION)
    monkeypatch.setattr("yoimem.workspace.index.COARSEST_STEP", 0)
    index.snapshot()
    read: list[str] = []
    load = index.load
    monkeypatch.setattr(index, "load", lambda path: read.append(path) or load(path))
    memory.write(OTHER, DECISION.replace("open", "resolved"))
    assert index.snapshot().facts[OTHER].status == "resolved"
    assert read == [OTHER]


def test_a_snapshot_stays_as_it_was_made(memory: Memory, index: Index) -> None:
    snapshot = index.snapshot()
    memory.write(OTHER, DECISION)
    index.snapshot()
    assert list(snapshot.facts) == [PATH]


def test_tools_see_what_a_person_changes_between_two_calls(memory: Memory) -> None:
    memory.write(PATH, DECISION)
    memory.write("knowledge/the-guide.md", KNOWLEDGE)
    tools = MemoryTools(memory.root)
    tools.memory_edit(PATH, "Body.", "See #the-guide.")
    (memory.root / "knowledge/the-guide.md").rename(memory.root / "knowledge/a-guide.md")
    with pytest.raises(MemoryToolError, match="RF006"):
        tools.memory_edit(PATH, "See", "Read")
    tools.memory_edit(PATH, "#the-guide", "#a-guide")
    Path(memory.root / PATH).unlink()
    tools.memory_delete("knowledge/a-guide.md")
