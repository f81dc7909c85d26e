"""The page on session logs: its examples run in order, and its tables are what the code does."""

import re
from pathlib import Path

import pytest

from tests.sessions.transcripts import READERS
from tests.test_docs import shell
from yoimem.interfaces.cli.main import COMMANDS, main
from yoimem.interfaces.cli.sources import command
from yoimem.sessions.transcript import LONGEST_SUMMARY

PAGE = (Path(__file__).parents[2] / "docs" / "sessions.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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
            capsys.readouterr()
            for line in text.splitlines():
                run(line, tmp_path)
            printed = capsys.readouterr().out
        else:
            assert printed == text
    assert kinds == ["python", "markdown", "sh", "text", "sh", "text"]
    assert main(["check"]) == 0


def run(line: str, folder: Path) -> None:
    """Run a line of the page; yoimem's own commands in this process."""
    program, *arguments = line.split()
    if program == "yoimem":
        assert main(arguments) == 0, line
    else:
        assert shell(line, folder).returncode == 0, line


def test_the_tables_are_complete() -> None:
    rows = re.findall(r"^\| `([^`]+)`", PAGE, re.MULTILINE)
    options = {option for p in command.params for option in p.opts if option.startswith("--")}
    assert {row.split()[0] for row in rows if row.startswith("--")} == options
    assert set(READERS) <= set(rows)
    assert f"{LONGEST_SUMMARY} characters at most" in PAGE
