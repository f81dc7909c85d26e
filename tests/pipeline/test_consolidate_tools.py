"""A host's own agent consolidates: the same lock, rules, bound and clean-up."""

from collections.abc import Callable

import pytest

from tests.pipeline.tree import (
    check,
    consumed_ids,
    decision,
    loaded,
    records,
    stage,
    staged_ids,
)
from yoimem.pipeline.consolidate import consolidate
from yoimem.pipeline.consolidate_tools import ConsolidateTools
from yoimem.pipeline.run_lock import NOTE_PATH, RunLock
from yoimem.tools.errors import MemoryToolError
from yoimem.workspace.audit import AuditLog
from yoimem.workspace.layout import Root

PATH = "memory/decisions/use-sqlite.md"


@pytest.fixture
def host(root: Root) -> ConsolidateTools:
    return ConsolidateTools(root, *loaded(root))


def is_open(host: ConsolidateTools) -> bool:
    return host.memory is not None


def refused(work: Callable[[], object]) -> MemoryToolError:
    with pytest.raises(MemoryToolError) as caught:
        work()
    return caught.value


def test_a_run_from_beginning_to_end(root: Root, host: ConsolidateTools) -> None:
    entry = stage(root)
    said = host.call("consolidate_begin", {})
    assert said.startswith("# Consolidate the memory of a project")
    assert '"source": {"session_id": "s1", "range": [0, 9]}' in said
    assert "Second step: tidy" in said
    assert "consolidate_finish" in said
    assert host.memory is not None
    assert host.memory.actor == "consolidator"
    host.memory.memory_write(PATH, decision(times=False), reasons=["integrate"])
    report = host.call("consolidate_finish", {})
    assert "1 record changed, 1 staged entry consumed" in report
    assert f"integrate:\n  created {PATH}" in report
    assert not is_open(host)
    assert (staged_ids(root), consumed_ids(root)) == ([], [entry.id])
    assert check(root).diagnostics == ()
    assert {line.actor for line in AuditLog(root.path).lines()} == {"consolidator"}


def test_a_run_that_is_given_up_consumes_nothing(root: Root, host: ConsolidateTools) -> None:
    entry = stage(root)
    host.call("consolidate_begin", {})
    assert host.memory is not None
    host.memory.memory_write(PATH, decision(times=False), reasons=["integrate"])
    report = host.call("consolidate_finish", {"give_up": True})
    assert "nothing consumed: it was given up" in report
    assert list(records(root)) == [PATH]
    assert staged_ids(root) == [entry.id]
    host.call("consolidate_begin", {})
    assert "1 record changed, 1 staged entry consumed" in host.call("consolidate_finish", {})


def test_what_comes_meanwhile_stays_staged(root: Root, host: ConsolidateTools) -> None:
    stage(root, "s1")
    host.call("consolidate_begin", {})
    later = stage(root, "s2")
    host.call("consolidate_finish", {})
    assert staged_ids(root) == [later.id]


def test_one_run_at_a_time(root: Root, host: ConsolidateTools) -> None:
    stage(root)
    host.call("consolidate_begin", {})
    again = refused(lambda: host.call("consolidate_begin", {}))
    assert (again.code, "is open" in again.message) == ("invalid_argument", True)
    other = ConsolidateTools(root, *loaded(root))
    held = refused(lambda: other.call("consolidate_begin", {}))
    assert (held.code, "consolidates this memory since" in held.message) == ("busy", True)
    assert not is_open(other)
    assert "consolidates this memory since" in consolidate(root, *loaded(root), force=True).error
    host.close()
    other.call("consolidate_begin", {})
    assert "1 staged entry consumed" in other.call("consolidate_finish", {})


@pytest.mark.parametrize(
    ("name", "arguments", "word"),
    [
        ("consolidate_finish", {}, "no run is open"),
        ("consolidate_finish", {"give_up": "yes"}, "takes true or false"),
        ("consolidate_begin", {"force": True}, "no argument"),
        ("consolidate_all", {}, "there is no tool"),
    ],
)
def test_a_wrong_call_is_refused(
    host: ConsolidateTools, name: str, arguments: dict[str, object], word: str
) -> None:
    assert word in refused(lambda: host.call(name, arguments)).message


def test_a_link_in_the_place_of_the_staging_is_denied(root: Root, host: ConsolidateTools) -> None:
    elsewhere = root.workspace / "elsewhere"
    elsewhere.mkdir()
    (root.path / "memory" / "_staging").symlink_to(elsewhere)
    assert refused(lambda: host.call("consolidate_begin", {})).code == "denied"
    assert list(elsewhere.iterdir()) == []


def test_a_run_whose_note_is_gone_does_not_clear_up(root: Root, host: ConsolidateTools) -> None:
    entry = stage(root)
    host.call("consolidate_begin", {})
    (root.path / NOTE_PATH).unlink()  # as a person does who clears the folder
    lost = refused(lambda: host.call("consolidate_finish", {}))
    assert (lost.code, "nothing was consumed" in lost.message) == ("conflict", True)
    assert staged_ids(root) == [entry.id]
    assert not is_open(host)


def test_close_lets_go_and_keeps_everything(root: Root, host: ConsolidateTools) -> None:
    entry = stage(root)
    host.call("consolidate_begin", {})
    host.close()
    host.close()
    assert not is_open(host)
    assert staged_ids(root) == [entry.id]
    note = RunLock(root.path).read()
    assert note is not None
    assert note.consumed == (entry.id,)
