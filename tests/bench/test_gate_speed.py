"""One gated write into 10,000 records takes at most four walks that stat every record (section 15).

In process and warm: the tools are made once and have written before, as in a session of an agent.
"""

import itertools
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.test_speed import make_memory, ratio
from yoimem.tools import MemoryTools

GOAL = 4
RECORD = "memory/decisions/billing-backup-000001.md"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_memory(tmp_path_factory.mktemp("gate") / ".yoi", 10_000)


@pytest.fixture(scope="module")
def tools(root: Path) -> MemoryTools:
    made = MemoryTools(root)
    made.memory_edit(RECORD, "# Decision 1", "# Decision 1, edited")
    return made


def walk(root: Path) -> None:
    for folder, _, names in os.walk(root):
        for name in names:
            os.stat(os.path.join(folder, name))


def measure(what: str, write: Callable[[], object], root: Path) -> None:
    cpu = ratio(write, lambda: walk(root), rounds=15)
    wall = ratio(write, lambda: walk(root), rounds=15, clock=time.perf_counter)
    print(
        f"\n{what} into 10,000 records: {cpu:.2f} x one walk (goal {GOAL}), {wall:.2f} x by clock"
    )
    # The clock also counts how long the disk takes to make a file safe, which is not ours.
    assert cpu <= GOAL


def test_an_edit(root: Path, tools: MemoryTools) -> None:
    numbers = itertools.count()
    before = "edited"

    def edit() -> None:
        nonlocal before
        after = f"edited {next(numbers)}."
        tools.memory_edit(RECORD, before, after)
        before = after

    measure("memory_edit", edit, root)


def test_an_update(root: Path, tools: MemoryTools) -> None:
    content = (root / RECORD).read_text()
    expect = tools.memory_read(RECORD).sha256
    numbers = itertools.count()

    def update() -> None:
        nonlocal expect
        text = f"{content}Update {next(numbers)}.\n"
        expect = tools.memory_write(RECORD, text, "update", expect).sha256

    measure("memory_write", update, root)


def test_a_create(root: Path, tools: MemoryTools) -> None:
    content = (root / RECORD).read_text()
    numbers = itertools.count()

    def create() -> None:
        tools.memory_write(f"memory/decisions/new-{next(numbers):04d}.md", content)

    measure("memory_write of a new record", create, root)
