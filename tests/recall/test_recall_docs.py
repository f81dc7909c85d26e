"""The page on recall: its examples run in order, its table is what the commands take."""

import re
import shlex
from pathlib import Path

import pytest

from yoimem.interfaces.cli import complete, expand, resident, show
from yoimem.interfaces.cli.main import main

PAGE = (Path(__file__).parents[2] / "docs" / "recall.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [module.command for module in (show, complete, expand, resident)]


def test_the_examples_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    assert main(["init", "."]) == 0
    printed = ""
    for language, text in BLOCKS:
        if language == "sh":
            capsys.readouterr()
            assert main(shlex.split(text)[1:]) == 0
            printed = capsys.readouterr().out
        else:
            assert printed == text
    assert [language for language, _ in BLOCKS] == [*["sh", "text"] * 2, "sh", "sh", "text"]


def test_the_options_are_those_that_there_are() -> None:
    section = PAGE.partition("| option | of | means |")[2].partition("\n\n")[0]
    told = re.findall(r"^\| `(--[a-z-]+)` \| (.*?) \|", section, re.MULTILINE)
    taken = {
        (option, command.name)
        for command in COMMANDS
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--")
    }
    everyone = " ".join(f"`{command.name}`" for command in COMMANDS)
    assert taken == {
        (option, name)
        for option, of in told
        for name in re.findall(r"`([a-z]+)`", everyone if of == "all" else of)
    }
