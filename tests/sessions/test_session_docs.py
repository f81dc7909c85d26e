"""The page on session logs: its examples run in order, and its tables are what the code does."""

import re
from pathlib import Path

import pytest

from tests.page_examples import BLOCK, run_lines
from tests.sessions.transcripts import READERS
from yoimem.interfaces.cli.main import COMMANDS, main
from yoimem.interfaces.cli.sources import command
from yoimem.sessions.transcript import LONGEST_SUMMARY

PAGE = (Path(__file__).parents[2] / "docs" / "sessions.md").read_text("utf-8")


@pytest.mark.skipif("os.name == 'nt'", reason="the examples are for a shell")
def test_the_examples_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(COMMANDS, "sources", "Show the session entries that a record came from.")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    assert main(["init", "."]) == 0
    printed, kinds = "", []
    for language, path, text in BLOCK.findall(PAGE):
        kinds.append(language)
        if path:
            Path(path).write_text(text)
        elif language == "sh":
            printed = run_lines(text, tmp_path, capsys)
        else:
            assert printed == text
    assert kinds == ["python", "markdown", "sh", "text", "sh", "text"]
    assert main(["check"]) == 0


def test_the_tables_are_complete() -> None:
    rows = re.findall(r"^\| `([^`]+)`", PAGE, re.MULTILINE)
    options = {option for p in command.params for option in p.opts if option.startswith("--")}
    assert {row.split()[0] for row in rows if row.startswith("--")} == options
    assert set(READERS) <= set(rows)
    assert f"{LONGEST_SUMMARY} characters at most" in PAGE
