"""Many processes write one root: what was acknowledged is there, all else was told."""

import json
import multiprocessing
import re
import time
from collections import Counter
from pathlib import Path

from tests.conftest import DECISION, Memory

from yoimem.lint.host import load_plugins
from yoimem.tools import MemoryToolError, MemoryTools

PLUGINS = load_plugins()
END = "The end."
TRIES = 400


def paths(number: int) -> list[str]:
    return [f"memory/decisions/shared-by-all-{n}.md" for n in range(number)]


def append_lines(root: Path, shared: list[str], process: int, edits: int, out: Path) -> None:
    """Append `edits` lines to the shared records; write down what was acknowledged, and what not."""
    tools = MemoryTools(root, plugins=PLUGINS, session_id=f"process-{process}")
    acknowledged: list[tuple[str, str]] = []
    refusals: Counter[str] = Counter()
    for edit in range(edits):
        path, line = shared[(process + edit) % len(shared)], f"p{process}e{edit}"
        for _ in range(TRIES):
            try:
                seen = tools.memory_read(path)
                tools.memory_edit(path, END, f"{line}\n{END}", expect=seen.sha256)
            except MemoryToolError as error:
                refusals[error.code] += 1
                continue
            acknowledged.append((path, line))
            break
    out.write_text(json.dumps({"acknowledged": acknowledged, "refusals": refusals}))


def race(memory: Memory, out: Path, processes: int, edits: int, records: int) -> float:
    """Let the processes write at once, hold the files against what they say; return the seconds."""
    shared = paths(records)
    for path in shared:
        memory.write(path, DECISION.replace("Body.", END))
    context = multiprocessing.get_context()
    if "forkserver" in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
    out.mkdir()
    workers = [
        context.Process(
            target=append_lines, args=(memory.root, shared, n, edits, out / f"{n}.json")
        )
        for n in range(processes)
    ]
    started = time.monotonic()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    taken = time.monotonic() - started
    assert [worker.exitcode for worker in workers] == [0] * processes
    reports = [json.loads(path.read_text()) for path in out.iterdir()]
    hold_together(memory, shared, reports)
    told = sum((Counter(report["refusals"]) for report in reports), Counter[str]())
    done = sum(len(report["acknowledged"]) for report in reports)
    print(f"\n{processes} x {edits}: {done} edits in {taken:.1f} s, {dict(told)}")
    assert set(told) <= {"conflict", "busy"}
    assert done == processes * edits
    return taken


def hold_together(memory: Memory, shared: list[str], reports: list[dict[str, object]]) -> None:
    """Hold that each acknowledged line is in its file once, and that nothing else is."""
    found: Counter[tuple[str, str]] = Counter()
    for path in shared:
        text = (memory.root / path).read_text()
        found.update((path, line) for line in re.findall(r"^p\d+e\d+$", text, re.MULTILINE))
    wanted = Counter(
        tuple(pair)
        for report in reports
        for pair in report["acknowledged"]  # type: ignore[attr-defined]
    )
    assert found == wanted
    assert memory.lint().diagnostics == ()
    assert list(memory.root.rglob(".yoimem-*")) == []
    hold_the_chain(memory)


def hold_the_chain(memory: Memory) -> None:
    """Hold that the log tells each change, and that each begins where the one before it ended."""
    last: dict[str, str] = {}
    log = (memory.root / "memory/_logs/audit.jsonl").read_text().splitlines()
    for intent, end in zip(map(json.loads, log[::2]), map(json.loads, log[1::2]), strict=True):
        assert (intent["stage"], end["stage"]) == ("intent", "done")
        assert intent["id"] == end["id"]
        assert intent["before"] == last.get(intent["path"], intent["before"])
        last[intent["path"]] = intent["after"]


def test_eight_processes_lose_no_update(memory: Memory, tmp_path: Path) -> None:
    race(memory, tmp_path / "out", processes=8, edits=20, records=3)


def test_thirty_two_processes_lose_no_update(memory: Memory, tmp_path: Path) -> None:
    assert race(memory, tmp_path / "out", processes=32, edits=50, records=8) < 60


def test_creating_one_record_is_won_by_one(memory: Memory, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    out = tmp_path / "out"
    out.mkdir()
    workers = [
        context.Process(target=create, args=(memory.root, n, out / f"{n}.json")) for n in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    won = [int(path.stem) for path in out.iterdir() if path.read_text() == "created"]
    told = sorted(path.read_text() for path in out.iterdir())
    assert told == ["created", "exists", "exists", "exists"]
    assert f"By {won[0]}." in (memory.root / "memory/decisions/the-one.md").read_text()


def create(root: Path, process: int, out: Path) -> None:
    tools = MemoryTools(root, plugins=PLUGINS)
    try:
        text = DECISION.replace("Body.", f"By {process}.")
        tools.memory_write("memory/decisions/the-one.md", text)
    except MemoryToolError as error:
        out.write_text("exists" if "ID004" in error.message else error.message)
    else:
        out.write_text("created")
