"""`yoimem usage` and `candidates` as commands: options, configuration, and what goes wrong.

What they show of use is judged in `tests/recall/test_usage_commands.py`.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, WORKFLOW, Memory
from tests.recall.usage_events import A, B, exposure, invoke, lines, put, spent
from yoimem.interfaces.cli.main import main

Output = pytest.CaptureFixture[str]
FILE = "memory/_usage/events.jsonl"
NEVER = "memory/requests/never.md"
# Now is 1.6 million. A is read at 0 by s, at 0.4 million by t (twice in a row: once), at 0.6 by s:
# 3 in 1.6 million are 1.875. B is read at 0.6 by s, 1 in 1 million, and shown twice at 30 tokens.
EVENTS = [
    exposure(B, 30),
    invoke("s", A),
    spent(400_000),
    exposure(B, 30),
    invoke("t", A),
    invoke("t", A),
    spent(200_000),
    invoke("s", A),
    invoke("s", B),
    spent(1_000_000),
]


@pytest.fixture(autouse=True)
def events(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go into a memory of three records with the events above; return their file."""
    monkeypatch.chdir(memory.workspace)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    for path, text in ((A, DECISION), (B, KNOWLEDGE), (NEVER, DECISION)):
        memory.write(path, text)
    return put(memory.root, "".join(f"{line}\n" for line in lines(EVENTS)))


def output(arguments: list[str], capsys: Output) -> str:
    """Return what a command prints that has nothing to complain of."""
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def rows(arguments: list[str], capsys: Output) -> list[dict[str, Any]]:
    """Return the records that `yoimem usage` shows, or the candidates."""
    content = json.loads(output([*arguments, "--output-format", "json"], capsys))
    found: list[dict[str, Any]] = content.get("records", content.get("candidates"))
    return found


def test_runs_are_rounded_and_figures_are_not(capsys: Output) -> None:
    often, once, never = rows(["usage"], capsys)
    assert (often["path"], often["invokes"], often["sessions"]) == (A, 3, 2)
    assert (often["frequency"], often["ratio"]) == (1.875, None)
    assert (often["protected"], often["candidate"]) == (True, True)
    assert (once["path"], once["frequency"], once["exposure_tokens"]) == (B, 1.0, 60)
    assert once["ratio"] == pytest.approx(16_666.667)
    assert (once["protected"], once["candidate"]) == (True, False)
    assert (never["path"], never["frequency"], never["protected"]) == (NEVER, 0.0, False)


@pytest.mark.parametrize(
    ("order", "wanted"),
    [
        (["frequency"], [A, B, NEVER]),
        (["invokes"], [A, B, NEVER]),
        (["tokens"], [B, A, NEVER]),
        (["cost"], [B, A, NEVER]),
        (["ratio"], [B, A, NEVER]),
        (["path"], [B, A, NEVER]),
        ([], [A, B, NEVER]),
    ],
    ids=str,
)
def test_the_order_is_whole(order: list[str], wanted: list[str], capsys: Output) -> None:
    options = ["--sort", *order] if order else []
    assert [row["path"] for row in rows(["usage", *options], capsys)] == wanted


def test_a_record_that_is_made_again_goes_on(memory: Memory, capsys: Output) -> None:
    (memory.root / A).unlink()
    assert [row["path"] for row in rows(["usage"], capsys)] == [B, NEVER]
    assert rows(["candidates"], capsys) == []
    memory.write(A, DECISION)
    assert rows(["candidates"], capsys) == [{"path": A, "frequency": 1.875, "sessions": 2}]


def test_the_summary_and_workflows_are_protected_and_no_candidates(
    memory: Memory, capsys: Output
) -> None:
    texts = {"memory/summary.md": SUMMARY, "workflow/release.md": WORKFLOW}
    for path, text in texts.items():
        memory.write(path, text)
    reads = [invoke(session, path) for path in texts for session in "st"]
    put(memory.root, "\n".join(lines([*reads, spent(1_000)])))
    found = {row["path"]: row for row in rows(["usage"], capsys)}
    assert [(found[path]["protected"], found[path]["candidate"]) for path in texts] == [
        (True, False)
    ] * 2
    assert rows(["candidates"], capsys) == []


def test_the_bounds_of_the_configuration_hold(memory: Memory, capsys: Output) -> None:
    settings = memory.workspace / "yoimem.toml"
    settings.write_text("[usage]\ncandidate-sessions = 1\nprotect = 1.5\n")
    assert [row["path"] for row in rows(["candidates"], capsys)] == [A, B]
    assert [row["protected"] for row in rows(["usage"], capsys)] == [True, False, False]
    # The stretch of 2.4 million is longer than any: 3 in it are 1.25, 1 is 0.4166...
    settings.write_text("[usage]\nmin-window = 2_400_000\n")
    assert rows(["usage"], capsys)[0]["frequency"] == 1.25
    # The last one of A is at 0.6 million: 1 in 1 million, by one session.
    settings.write_text("[usage]\nmax-invokes = 1\n")
    assert (rows(["usage"], capsys)[0]["frequency"], rows(["candidates"], capsys)) == (1.0, [])


@pytest.mark.parametrize("name", ["usage", "candidates"])
class TestBoth:
    def test_looking_is_no_use(self, name: str, events: Path, capsys: Output) -> None:
        before = events.read_bytes()
        output([name], capsys)
        assert events.read_bytes() == before

    def test_the_root_can_be_named(
        self, name: str, memory: Memory, capsys: Output, monkeypatch: pytest.MonkeyPatch,
        tmp_path_factory: pytest.TempPathFactory,
    ) -> None:  # fmt: skip
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        assert A in output([name, "--root", str(memory.workspace)], capsys)

    def test_a_line_that_is_no_event_is_told_beside_the_answer(
        self, name: str, events: Path, capsys: Output
    ) -> None:
        events.write_text("<<<<<<< ours\x1b\n" + events.read_text())
        assert main([name, "--output-format", "json"]) == 0
        captured = capsys.readouterr()
        assert json.loads(captured.out)["now"] == 1_600_000
        assert captured.err.startswith(f"yoimem: {FILE}:1: ")
        assert "<<<<<<< ours" in captured.err
        assert "\x1b" not in captured.err

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["--output-format", "xml"], "'xml' is not one of"),
            (["--root", "nowhere"], "nowhere holds no"),
            (["--limit", "3"], "No such option"),
        ],
        ids=str,
    )
    def test_misuse_is_2_with_a_message(
        self, name: str, arguments: list[str], words: str, capsys: Output
    ) -> None:
        assert main([name, *arguments]) == 2
        assert words in capsys.readouterr().err

    def test_a_configuration_that_cannot_be_used_is_told(
        self, name: str, memory: Memory, capsys: Output
    ) -> None:
        (memory.workspace / "yoimem.toml").write_text("[usage]\nmin-window = 0\n")
        assert main([name]) == 2
        assert "min-window" in capsys.readouterr().err

    @pytest.mark.skipif("os.name == 'nt'", reason="links need a privilege there")
    def test_a_link_in_the_place_of_the_folder_is_not_followed(
        self, name: str, events: Path, memory: Memory, capsys: Output
    ) -> None:
        events.parent.rename(memory.workspace / "elsewhere")
        events.parent.symlink_to(memory.workspace / "elsewhere")
        assert main([name]) == 2
        assert "is a link" in capsys.readouterr().err

    @pytest.mark.skipif("os.name == 'nt'", reason="there are no named pipes")
    def test_a_pipe_in_the_place_of_the_file_keeps_nobody_waiting(
        self, name: str, events: Path, capsys: Output
    ) -> None:
        events.unlink()
        os.mkfifo(events)
        assert main([name]) == 2
        assert "no regular file" in capsys.readouterr().err

    def test_more_than_can_be_read_is_told(self, name: str, events: Path, capsys: Output) -> None:
        with events.open("ab") as file:
            file.truncate((1 << 30) + 1)  # a hole: it takes no room
        assert main([name]) == 2
        assert FILE in capsys.readouterr().err
