"""The staging folder: whole files, oldest first; faulty ones are told, consumed ones are noted."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from tests.conftest import NOW, Memory
from tests.pipeline.test_activity import FULL
from yoimem.pipeline.activity import parse_activity
from yoimem.pipeline.staging import CONSUMED_PATH, STAGING_PATH, StagedEntry, Staging
from yoimem.records.fields import Source
from yoimem.sessions.pointer import Pointer
from yoimem.workspace.folder import LinkError

ACTIVITY = parse_activity(FULL)


@pytest.fixture
def staging(memory: Memory) -> Staging:
    return Staging(memory.root.resolve(), lambda: NOW)


def added(staging: Staging, session: str = "s1", end: int = 4) -> StagedEntry:
    return staging.add(Source(session, 0, end), Pointer(end + 1, "ab"), ACTIVITY)


def folder(memory: Memory) -> Path:
    return memory.root / STAGING_PATH


def files(memory: Memory) -> list[str]:
    return sorted(path.name for path in folder(memory).iterdir())


def test_an_entry_is_a_file_with_all_that_is_known(staging: Staging, memory: Memory) -> None:
    entry = added(staging)
    path = folder(memory) / f"{entry.id}.json"
    assert json.loads(path.read_text()) == {
        "id": entry.id,
        "created_at": "2026-03-01T12:00:00.000Z",
        "source": {"session_id": "s1", "range": [0, 4]},
        "pointer": {"next": 5, "line": "ab"},
        "activity": FULL,
    }
    assert entry.size == path.stat().st_size
    assert staging.listing().entries == (entry,)
    assert files(memory) == [path.name]


def test_the_oldest_comes_first(staging: Staging) -> None:
    entries = [added(staging, f"s{number}") for number in range(5)]
    assert staging.listing().entries == tuple(entries)


def test_nothing_staged_is_an_empty_list(staging: Staging) -> None:
    assert staging.listing().entries == ()
    assert staging.listing().faults == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: "", "Expecting value"),
        (lambda text: text[:40], "line"),
        (lambda text: "[]", "no JSON object"),
        (lambda text: "[" * 100_000, "recursion"),
        (lambda text: text.replace('"id": "', '"id": "../'), "its `id` is not its name"),
        (lambda text: text.replace("2026-03", "2026-13"), "no such date"),
        (lambda text: text.replace('"range"', '"rang"'), "its `source`"),
        (lambda text: text.replace("[\n      0", "[\n      -1"), "its `source`"),
        (lambda text: text.replace('"next": 5', '"next": -5'), "its `pointer`"),
        (lambda text: text.replace('"decisions"', '"decision"'), "`decision` is no part"),
    ],
)
def test_a_file_that_is_no_entry_is_told_and_skipped(
    change: object, words: str, staging: Staging, memory: Memory
) -> None:
    broken, whole = added(staging), added(staging)
    path = folder(memory) / f"{broken.id}.json"
    changed = change(path.read_text())  # type: ignore[operator]
    assert changed != path.read_text()
    path.write_text(changed)
    staged = staging.listing()
    assert staged.entries == (whole,)
    (fault,) = staged.faults
    assert fault.startswith(f"{STAGING_PATH}/{broken.id}.json is no staged entry: ")
    assert words in fault


def test_links_are_no_entries(staging: Staging, memory: Memory, tmp_path: Path) -> None:
    entry = added(staging)
    outside = tmp_path / "outside.json"
    (folder(memory) / f"{entry.id}.json").rename(outside)
    (folder(memory) / f"{entry.id}.json").symlink_to(outside)
    staged = staging.listing()
    assert staged.entries == ()
    assert "is a link" in staged.faults[0]


def test_a_folder_that_is_a_link_is_refused(
    staging: Staging, memory: Memory, tmp_path: Path
) -> None:
    folder(memory).symlink_to(tmp_path)
    for act in (lambda: added(staging), staging.listing, lambda: staging.consume([])):
        with pytest.raises(LinkError):
            act()
    assert not list(tmp_path.glob("*.json"))


def test_what_is_consumed_is_noted_and_gone(staging: Staging, memory: Memory) -> None:
    first, second, third = added(staging, "s1"), added(staging, "s2"), added(staging, "s1", 9)
    staging.consume([first, second])
    staging.consume([first])
    assert staging.listing().entries == (third,)
    lines = (memory.root / CONSUMED_PATH).read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [first.id, second.id]
    assert staging.pointers("s1") == (first.pointer, third.pointer)
    assert staging.pointers("s3") == ()


def test_a_torn_ledger_loses_one_line_and_no_other(staging: Staging, memory: Memory) -> None:
    first, second = added(staging, end=4), added(staging, end=9)
    staging.consume([first])
    path = memory.root / CONSUMED_PATH
    path.write_text(path.read_text() + '{"id": "01')
    staging.consume([second])
    assert staging.pointers("s1") == (first.pointer, second.pointer)


def test_what_a_killed_extract_left_is_taken_over(staging: Staging, memory: Memory) -> None:
    added(staging)
    (left,) = folder(memory).iterdir()
    with staging.in_flight("s1"):
        (lock,) = [name for name in files(memory) if name.endswith(".lock")]
    left.rename(folder(memory) / lock.replace(".lock", ".tmp"))
    assert staging.listing().entries == ()
    entry = added(staging)
    assert files(memory) == [lock, f"{entry.id}.json"]


def _hold(root: Path, session: str, held: object, go: object) -> None:
    with Staging(root).in_flight(session) as is_free:
        held.put(is_free)  # type: ignore[attr-defined]
        go.wait(20)  # type: ignore[attr-defined]
        os._exit(0)  # without letting go


def test_one_extract_of_a_session_at_a_time(staging: Staging, memory: Memory) -> None:
    context = multiprocessing.get_context("spawn")
    held, go = context.Queue(), context.Event()
    process = context.Process(target=_hold, args=(memory.root.resolve(), "s1", held, go))
    process.start()
    assert held.get(timeout=20)
    with staging.in_flight("s1") as is_free, staging.in_flight("s2") as other:
        assert not is_free
        assert other
    go.set()
    with staging.in_flight("s1", wait=20) as is_free:
        assert is_free
    process.join(20)


def test_within_a_process_too(staging: Staging) -> None:
    with staging.in_flight("s1"), staging.in_flight("s1") as is_free:
        assert not is_free
