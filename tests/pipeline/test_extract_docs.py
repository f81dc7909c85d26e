"""The page on extracting: its examples run in order, and its tables are what the code does."""

import re
from pathlib import Path

import pytest

from tests.page_examples import BLOCK, run_lines
from yoimem.interfaces.cli.extract import command
from yoimem.interfaces.cli.main import main
from yoimem.pipeline.activity import ACTIVITY_SCHEMA

PAGE = (Path(__file__).parents[2] / "docs" / "extract.md").read_text("utf-8")
VARIES = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d{2}-\d{2}T\S+Z")


@pytest.mark.skipif("os.name == 'nt'", reason="the examples are for a shell")
def test_the_examples_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "."]) == 0
    printed, kinds = "", []
    for language, path, text in BLOCK.findall(PAGE):
        kinds.append(language)
        if path:
            Path(path).write_text(text)
        elif language == "text":
            assert VARIES.sub("…", printed).endswith(VARIES.sub("…", text))
        elif language == "python":
            capsys.readouterr()
            exec(compile(text, "extract.md", "exec"), {})
            printed = capsys.readouterr().out
        else:
            printed = run_lines(text, tmp_path, capsys)
    assert kinds == [
        "python", "sh", "text", "toml", "sh", "text", "python", "text", "python", "sh", "text",
    ]  # fmt: skip


def test_the_tables_are_complete() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|(?: (`.*?`) \|)?", PAGE, re.MULTILINE)
    options = {option for p in command.params for option in p.opts if option.startswith("--")}
    assert {row.split()[0] for row, _ in rows if row.startswith("--")} == options
    kinds = {row: re.findall(r"`(\w+)`", fields) for row, fields in rows if row[0] != "-"}
    assert kinds == {
        kind: list(part["items"]["properties"])
        for kind, part in ACTIVITY_SCHEMA["properties"].items()
    }
