"""The page on consolidating: its examples run in order, and its tables are what the code does."""

import os
import re
from dataclasses import fields
from pathlib import Path

import pytest

from tests.page_examples import BLOCK, run_lines
from yoimem.interfaces.cli.consolidate import command
from yoimem.interfaces.cli.main import main
from yoimem.lint.config import load_config
from yoimem.lint.settings import ConsolidateSettings
from yoimem.workspace.layout import Root
from yoimem_rules.policy import RULES

PAGE = (Path(__file__).parents[2] / "docs" / "consolidate.md").read_text("utf-8")
VARIES = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d{2}-\d{2}T\S+Z")


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a shell")
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
        else:
            printed = run_lines(text, tmp_path, capsys)
    assert kinds == ["python", "sh", "text", "toml", "sh", "python", "sh", "text"]
    assert main(["check"]) == 0


def test_the_tables_are_complete() -> None:
    rows = re.findall(r"^\| (?:`([^`]+)`|\[(PL\d+)\])", PAGE, re.MULTILINE)
    options = {option for p in command.params for option in p.opts if option.startswith("--")}
    assert {row.split()[0] for row, _ in rows if row} == options
    assert {code for _, code in rows if code} == {rule.meta.code for rule in RULES}


def test_the_settings_are_all_there_with_their_defaults(tmp_path: Path) -> None:
    (toml,) = re.findall(r"^```toml \S+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (tmp_path / "yoimem.toml").write_text(toml)
    settings = load_config(Root(tmp_path / ".yoi", tmp_path)).consolidate
    shown = set(re.findall(r"^([a-z-]+) =", toml, re.MULTILINE))
    assert shown == {field.name.replace("_", "-") for field in fields(ConsolidateSettings)}
    assert settings == ConsolidateSettings(model="openai:gpt-5")
