"""The page on searching: its examples run in order, its tables are what the code does."""

import re
import shlex
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner

from yoimem.interfaces.cli.main import main
from yoimem.interfaces.cli.search import command
from yoimem.lint.settings import SearchSettings

PAGE = (Path(__file__).parents[2] / "docs" / "search.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_examples_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert main(["init", "."]) == 0
    printed = ""
    for language, text in BLOCKS:
        if language == "sh":
            arguments = shlex.split(text)[2:]
            done = CliRunner().invoke(command, arguments, standalone_mode=False)
            assert done.return_value == 0
            printed = done.stdout
        elif language == "python":
            capsys.readouterr()
            exec(compile(text, "search.md", "exec"), {})
            printed = capsys.readouterr().out
        elif language == "text":
            assert printed == text
    assert [language for language, _ in BLOCKS] == ["sh", "text"] * 2 + ["toml", "python", "text"]


def test_the_options_are_those_that_there_are() -> None:
    options = {
        option for parameter in command.params for option in parameter.opts if option[0] == "-"
    }
    section = PAGE.partition("| option | means |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(--[a-z-]+)", section)) == options


def test_the_configuration_is_the_one_in_force_without_it() -> None:
    (text,) = [text for language, text in BLOCKS if language == "toml"]
    shown = tomllib.loads(text)["search"]
    assert shown == {
        field.name.replace("_", "-"): getattr(SearchSettings(), field.name)
        for field in fields(SearchSettings)
    }
