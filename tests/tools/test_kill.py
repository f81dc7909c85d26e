"""A writer that is killed at any step leaves the old or the new bytes, and stops nobody after it.

A step is a call of the writer that may change what is on disk. A child process carries out one
change and kills itself at its first step, the next child at its second, until one lives to the end.
"""

import contextlib
import errno
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.conftest import DECISION, NOW, Memory

from yoimem.lint.host import load_plugins
from yoimem.tools import MemoryToolError, MemoryTools
from yoimem.workspace import audit, folder, writer
from yoimem.workspace.writer import LOCK_PATH, BusyError, Writer

pytestmark = pytest.mark.skipif(
    "forkserver" not in multiprocessing.get_all_start_methods(), reason="needs SIGKILL and fork"
)

PATH = "memory/decisions/use-sqlite.md"
NEW = "memory/decisions/new-one.md"
OTHER = "memory/decisions/other-one.md"
EDITED = DECISION.replace("Body", "Text" * 1500).replace(
    "updated_at: 2026-01-10T09:00:00Z", "updated_at: 2026-03-01T12:00:00Z"
)
STAMPED = DECISION.replace("2026-01-10T09:00:00Z", "2026-03-01T12:00:00Z")
WATCHED = {module.__file__ for module in (audit, folder, writer)}
STEPS = {"open", "mkdir", "write", "flush", "fsync", "fchmod", "replace", "rename", "unlink"}
PLUGINS = load_plugins()


@dataclass(frozen=True)
class Case:
    """A change, and what the files hold before and after it; None for no file."""

    work: Callable[[MemoryTools], object]
    before: dict[str, str | None]
    after: dict[str, str | None]


CASES = {
    "edit": Case(
        lambda tools: tools.memory_edit(PATH, "Body", "Text" * 1500),
        {PATH: DECISION},
        {PATH: EDITED},
    ),
    "create": Case(lambda tools: tools.memory_write(NEW, DECISION), {NEW: None}, {NEW: STAMPED}),
    "delete": Case(lambda tools: tools.memory_delete(PATH), {PATH: DECISION}, {PATH: None}),
    "move": Case(
        lambda tools: tools.move(PATH, NEW),
        {PATH: DECISION, NEW: None},
        {PATH: None, NEW: DECISION},
    ),
}


def tools_of(root: Path) -> MemoryTools:
    return MemoryTools(root, clock=lambda: NOW, plugins=PLUGINS)


def fill(memory: Memory) -> None:
    memory.write(PATH, DECISION)
    memory.write(OTHER, DECISION)


def at_step(number: int, then: Callable[[str], None]) -> None:
    """Call `then` with the name of the call when the writer makes its call of that `number`."""
    steps = count(1)

    def watch(frame: FrameType, event: str, called: Any) -> None:
        if event != "c_call" or frame.f_code.co_filename not in WATCHED:
            return
        if called.__name__ in STEPS and next(steps) == number:
            then(called.__name__)

    sys.setprofile(watch)


def die_at_step(root: Path, name: str, number: int) -> None:
    """Carry out a change in a process of its own, and be killed at a step."""
    tools = tools_of(root)
    at_step(number, lambda called: os.kill(os.getpid(), signal.SIGKILL))
    CASES[name].work(tools)
    sys.setprofile(None)


def run(target: Callable[..., None], *args: object) -> int | None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=target, args=args)
    process.start()
    process.join(30)
    return process.exitcode


def state(memory: Memory, paths: dict[str, str | None]) -> dict[str, str | None]:
    found = ((path, memory.root / path) for path in paths)
    return {path: file.read_text() if file.exists() else None for path, file in found}


def ends(memory: Memory) -> dict[str, list[str]]:
    """Return the stages of each change in the log, by the change's id."""
    found: dict[str, list[str]] = {}
    for line in (memory.root / "memory/_logs/audit.jsonl").read_bytes().splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        found.setdefault(entry["id"], []).append(entry["stage"])
    return found


def leftovers(memory: Memory) -> list[str]:
    return [path.name for path in memory.root.rglob(".yoimem-*")]


def hold_up(memory: Memory, name: str) -> bool:
    """Hold the memory against what may be there after a kill; tell whether the change is made."""
    case = CASES[name]
    found = state(memory, case.before)
    assert found in (case.before, case.after)
    changed = found == case.after
    known = {path for path in (PATH, NEW, OTHER, *case.after) if (memory.root / path).exists()}
    report = memory.lint(plugins=PLUGINS)
    assert (report.diagnostics, report.failures, report.records) == ((), (), len(known))
    tools = tools_of(memory.root)
    assert {record.path for record in tools.memory_list().records} == known
    started = time.monotonic()
    tools.memory_edit(OTHER, "Body", "Other")
    assert time.monotonic() - started < 5
    assert state(memory, case.before) == found
    assert leftovers(memory) == []
    stages = list(ends(memory).values())
    assert all(len(stage) == 2 and stage[0] == "intent" for stage in stages), stages
    if len(stages) == 2:
        assert stages[0][1] == ("done" if changed else "undone")
    assert stages[-1] == ["intent", "done"]
    return changed


@pytest.mark.parametrize("name", CASES)
def test_killed_at_every_step(tmp_path: Path, name: str) -> None:
    changed: list[bool] = []
    for number in count(1):
        memory = Memory(tmp_path / str(number))
        fill(memory)
        code = run(die_at_step, memory.root, name, number)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        changed.append(hold_up(memory, name))
    # Both were met, and once the change is made it stays made.
    assert changed == sorted(changed)
    assert set(changed) == {False, True}
    assert len(changed) > 10


def fail_at_step(number: int, error: int, work: Callable[[], object]) -> tuple[str, str]:
    """Do `work` with a system that fails once; return the failed call and the refusal, if any."""
    failed: list[str] = []

    def fail(called: str) -> None:
        failed.append(called)
        raise OSError(error, os.strerror(error))

    at_step(number, fail)
    try:
        work()
    except MemoryToolError as refusal:
        return "".join(failed), f"{refusal.code}: {refusal.message}"
    finally:
        sys.setprofile(None)
    return "".join(failed), ""


@pytest.mark.parametrize(
    ("name", "error", "code"),
    [
        ("edit", errno.ENOSPC, "internal"),
        ("create", errno.ENOSPC, "internal"),
        ("delete", errno.EIO, "internal"),
        ("move", errno.EIO, "internal"),
        ("edit", errno.EACCES, "denied"),
        ("create", errno.EROFS, "denied"),
    ],
)
def test_a_system_that_fails_at_any_step(tmp_path: Path, name: str, error: int, code: str) -> None:
    refusals = 0
    for number in count(1):
        memory = Memory(tmp_path / str(number))
        fill(memory)
        tools = tools_of(memory.root)
        failed, refusal = fail_at_step(number, error, lambda t=tools: CASES[name].work(t))  # type: ignore[misc]
        if not failed:
            break
        if refusal:
            refusals += 1
            assert refusal.startswith(f"{code}: nothing was written")
            assert state(memory, CASES[name].before) == CASES[name].before, failed
        else:
            assert state(memory, CASES[name].before) == CASES[name].after, failed
        assert leftovers(memory) == [] or failed == "unlink"
        hold_up(memory, name)
    assert refusals > 5


def write_on_a_full_disk(root: Path, name: str, size: int) -> None:
    """Carry out a change where no file may grow over `size` bytes."""
    import resource

    tools = tools_of(root)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    with contextlib.suppress(MemoryToolError):
        CASES[name].work(tools)
        return
    sys.exit(3)


@pytest.mark.parametrize("name", ["edit", "delete"])
def test_a_full_disk(tmp_path: Path, name: str) -> None:
    codes: set[int | None] = set()
    for size in (0, 1, 200, 300, 400, 500, 600, 800, 1000, 3000, 6000, 10_000):
        memory = Memory(tmp_path / str(size))
        fill(memory)
        code = run(write_on_a_full_disk, memory.root, name, size)
        changed = state(memory, CASES[name].before) == CASES[name].after
        assert changed == (code == 0)
        assert leftovers(memory) == []
        codes.add(code)
        hold_up(memory, name)
    assert codes == {0, 3}


def write_until_killed(root: Path) -> None:
    tools = tools_of(root)
    for number in count():
        before, after = f"{number}.", f"{number + 1}."
        tools.memory_edit(PATH, before, after)


def test_killed_at_any_moment(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    fill(memory)
    memory.write(PATH, DECISION.replace("Body.", "0."))
    context = multiprocessing.get_context("forkserver")
    for turn in range(12):
        memory.write(PATH, DECISION.replace("Body.", "0."))
        process = context.Process(target=write_until_killed, args=(memory.root,))
        process.start()
        process.join(0.15 + turn * 0.013)
        process.kill()
        process.join()
        text = (memory.root / PATH).read_text()
        number = text.rpartition("---\n")[2].strip(".\n")
        assert number.isdigit()
        assert len(text) == len(DECISION) - 4 + len(number)
        tools = tools_of(memory.root)
        tools.memory_edit(OTHER, "Body", "Text")
        tools.memory_edit(OTHER, "Text", "Body")
        assert leftovers(memory) == []
        assert {tuple(stages) for stages in ends(memory).values()} <= {
            ("intent", "done"),
            ("intent", "undone"),
        }


def hold_the_lock(root: Path, ready: Any) -> None:
    with Writer(root).locked():
        ready.set()
        time.sleep(60)


def test_a_lock_left_by_a_dead_process_blocks_nobody(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    fill(memory)
    context = multiprocessing.get_context("forkserver")
    ready = context.Event()
    process = context.Process(target=hold_the_lock, args=(memory.root, ready))
    process.start()
    assert ready.wait(30)
    with pytest.raises(BusyError), Writer(memory.root, 0.05).locked():
        pass
    process.kill()
    process.join()
    assert (memory.root / LOCK_PATH).exists()
    with Writer(memory.root, 0.5).locked():
        pass
