"""The figures of the design, section 15: ratios within one run, against the floor.

The floor is walking the tree and reading and decoding every file. Each figure is the best of a few
rounds, taken in turn with the floor, so that a machine that slows down slows both.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from yoimem import lint
from yoimem.lint.config import Config
from yoimem.lint.host import load_plugins
from yoimem.records import cleanyaml

NOUNS = (
    "backup billing cache cursor deploy export fixture gateway index invoice journal ledger"
    " migration notifier payment queue release scheduler session snapshot storage tokenizer"
).split()
WORDS = (
    "queries stay in the process and nobody waits for them since a backup is a copy of one file"
    " that the release script takes before it tags anything at all"
).split()
FAST = cleanyaml._ryaml_loads is not None


def make_memory(root: Path, number: int) -> Path:
    """Write `number` good records of about 1.5 kB, half decisions and half knowledge."""
    decisions, knowledge = root / "memory" / "decisions", root / "knowledge"
    decisions.mkdir(parents=True)
    knowledge.mkdir()
    for n in range(number):
        body = "\n".join(
            " ".join(WORDS[(n + line + word) % len(WORDS)] for word in range(14)) + "."
            for line in range(16)
        )
        times = "created_at: 2026-01-10T09:00:00Z\nupdated_at: 2026-01-11T09:00:00+09:00\n"
        source = f"  - {{session_id: session-{n:06d}, range: [{n}, {n + 12}]}}\n"
        if n % 2:
            (decisions / f"{NOUNS[n % 22]}-{NOUNS[n // 22 % 22]}-{n:06d}.md").write_text(
                f"---\n{times}status: open\nsources:\n{source}{source}---\n"
                f"# Decision {n}\n\nSee #about-{n - 1:06d}.\n\n{body}\n"
            )
        else:
            (knowledge / f"about-{n:06d}.md").write_text(
                f"---\n{times}kind: guide\ndescription: What to know of part {n} of the service\n"
                f"model_invokation: false\nuser_invocable: true\nlast_sources:\n{source}---\n"
                f"# Part {n}\n\n{body}\n"
            )
    return root


def floor(root: Path) -> None:
    for folder, _, names in os.walk(root):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                file.read().decode()


def seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def ratio(
    work: Callable[[], object],
    against: Callable[[], object],
    rounds: int = 5,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Compare two pieces of work, by default in seconds of this process's own CPU time."""
    pairs = [(seconds(work, clock), seconds(against, clock)) for _ in range(rounds)]
    return min(first for first, _ in pairs) / min(second for _, second in pairs)


@pytest.fixture(scope="module")
def ten_thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_memory(tmp_path_factory.mktemp("ten") / ".yoi", 10_000)


def check(root: Path) -> None:
    report = lint(root, config=Config(), plugins=load_plugins())
    assert (report.diagnostics, report.failures) == ((), ())


def test_check_of_ten_thousand_records(ten_thousand: Path) -> None:
    goal = 8 if FAST else 14
    found = ratio(lambda: check(ten_thousand), lambda: floor(ten_thousand))
    print(f"\ncheck of 10,000 records: {found:.2f} x floor (goal {goal}, fast={FAST})")
    assert found <= goal


def test_a_hundred_thousand_against_ten_thousand(
    ten_thousand: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    hundred = make_memory(tmp_path_factory.mktemp("hundred") / ".yoi", 100_000)
    found = ratio(lambda: check(hundred), lambda: check(ten_thousand), rounds=3)
    # Not `ru_maxrss`: a child that was just made counts the memory of its parent as its own.
    code = (
        f"from yoimem import lint; assert not lint({str(hundred)!r}).diagnostics;"
        "lines = open('/proc/self/status').readlines();"
        "print(next(int(line.split()[1]) / 1024 for line in lines if line.startswith('VmHWM')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, timeout=300, capture_output=True, text=True
    )
    peak = float(done.stdout)
    print(f"\n100,000 against 10,000: {found:.2f} x (goal 11), {peak:.0f} MiB (goal 600 MB)")
    assert found <= 11
    assert peak * 1.048576 < 600


def test_start_of_the_command(tmp_path: Path) -> None:
    workspace = tmp_path
    subprocess.run([sys.executable, "-m", "yoimem", "init"], cwd=workspace, check=True)
    command = str(Path(sys.executable).with_name("yoimem"))

    def run_check() -> None:
        subprocess.run([command, "check"], cwd=workspace, check=True, capture_output=True)

    def import_libraries() -> None:
        code = "import click, marshmallow, yaml"
        subprocess.run([sys.executable, "-c", code], cwd=workspace, check=True)

    run_check()
    found = ratio(run_check, import_libraries, rounds=20, clock=time.perf_counter)
    print(f"\ncheck of 3 records, whole process: {found:.2f} x (goal 2.5)")
    assert found <= 2.5
