"""The command as a process: what only a real one shows."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import DECISION, Memory

COMMAND = [sys.executable, "-m", "yoimem"]
BAD = DECISION.replace("open", "done")


def run(cwd: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, env={**os.environ, **environ}, capture_output=True,
        timeout=60, check=False,
    )  # fmt: skip


def test_a_terminal_that_lacks_the_characters_gets_them_escaped(memory: Memory) -> None:
    memory.write("memory/decisions/漢字.md", BAD.replace("Body", "本文"))
    done = run(memory.workspace, "check", PYTHONIOENCODING="cp1252")
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"\\u6f22\\u5b57.md" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="pipes close in another way there")
@pytest.mark.parametrize("number", [1, 2000], ids=["small", "more than a pipe holds"])
def test_a_closed_pipe_keeps_the_verdict(memory: Memory, number: int) -> None:
    for n in range(number):
        memory.write(f"memory/decisions/d{n}.md", BAD)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as out:
        done = subprocess.run(
            [*COMMAND, "check"], cwd=memory.workspace, stdout=out, stderr=subprocess.PIPE,
            timeout=60, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_no_verdict(memory: Memory) -> None:
    memory.write("memory/decisions/a.md", BAD)
    with Path("/dev/full").open("wb") as out:
        done = subprocess.run(
            [*COMMAND, "check"], cwd=memory.workspace, stdout=out, stderr=subprocess.PIPE,
            timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"No space left" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_not_utf8_is_one_finding(memory: Memory) -> None:
    folder = os.fsencode(memory.root / "memory" / "decisions")
    os.makedirs(folder)
    with open(folder + b"/caf\xe9.md", "wb") as file:
        file.write(DECISION.encode())
    for name in ("text", "json", "concise", "github", "sarif", "junit"):
        done = run(memory.workspace, "check", "--output-format", name)
        assert (done.returncode, done.stderr) == (1, b""), name
        assert b"ID001" in done.stdout
    report = json.loads(run(memory.workspace, "check", "--output-format", "json").stdout)
    assert [d["code"] for d in report["diagnostics"]] == ["ID001"]


def test_files_that_cannot_be_read_are_one_finding_each(memory: Memory) -> None:
    memory.write("memory/decisions/good.md", DECISION)
    folder = memory.root / "memory" / "decisions"
    (folder / "dangling.md").symlink_to("nowhere.md")
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / "loop").symlink_to("..")
    report = json.loads(run(memory.workspace, "check", "--output-format", "json").stdout)
    assert [(d["path"][17:], d["code"]) for d in report["diagnostics"]] == [
        ("dangling.md", "FM015"),
        ("folder.md", "FM015"),
        ("pipe.md", "FM015"),
    ]


def test_an_installed_plugin_that_crashes_is_exit_2_and_hides_nothing(
    memory: Memory, tmp_path: Path
) -> None:
    memory.write("memory/decisions/a.md", BAD)
    site = tmp_path / "site"
    (site / "crashing-3.0.dist-info").mkdir(parents=True)
    (site / "crashing-3.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: crashing\nVersion: 3.0\n"
    )
    (site / "crashing-3.0.dist-info" / "entry_points.txt").write_text("[yoimem]\nx = crashing\n")
    (site / "crashing.py").write_text("1 / 0\n")
    done = run(memory.workspace, "check", PYTHONPATH=str(site))
    assert done.returncode == 2
    assert b"FM106" in done.stdout
    assert b"crashing 3.0" in done.stdout
    assert b"ZeroDivisionError" in done.stdout


def test_import_and_check_load_no_heavy_library(memory: Memory) -> None:
    memory.write("memory/decisions/a.md", DECISION)
    code = (
        "import sys; from yoimem.interfaces.cli.main import main; main(['check']);"
        "print([m for m in ('rich', 'markdown_it', 'rapidfuzz', 'mcp', 'numpy', 'xml.etree')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=memory.workspace, capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"
