"""The page on use: its examples run in order, its tables are what the code does."""

import json
import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from tests.page_examples import BLOCK
from yoimem.interfaces.cli.main import main
from yoimem.interfaces.cli.usage import command
from yoimem.lint.settings import UsageSettings

PAGE = (Path(__file__).parents[2] / "docs" / "usage.md").read_text("utf-8")
BLOCKS = BLOCK.findall(PAGE)


@pytest.fixture
def _memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    assert main(["init", "."]) == 0


@pytest.mark.usefixtures("_memory")
def test_the_examples_run_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    scripts, printed, kinds = {}, "", []
    for language, path, text in BLOCKS:
        kinds.append(language)
        if language == "python":
            scripts[path] = compile(text, path, "exec")
        elif language == "sh":
            capsys.readouterr()
            for program, *arguments in map(str.split, text.splitlines()):
                if program == "python":
                    exec(scripts[arguments[0]], {})
                else:
                    assert main(arguments) == 0
            printed = capsys.readouterr().out
        elif language == "text":
            assert printed == text
    assert kinds == ["python", "sh", "text", "sh", "text", "toml"]


@pytest.mark.usefixtures("_memory")
def test_the_table_names_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    main(["usage", "--output-format", "json"])
    content = json.loads(capsys.readouterr().out)
    section = PAGE.partition("| column | means | JSON |")[2].partition("\n\n")[0]
    named = {
        name
        for row in section.splitlines()[2:]
        for name in re.findall(r"`(\w+)`", row.rsplit("|", 2)[1])
    }
    assert named == set(content["records"][0]) - {"path", "record_kind"}
    assert set(content) == {"version", "now", "records"}


def test_the_options_are_those_that_there_are() -> None:
    options = {
        option for parameter in command.params for option in parameter.opts if option[0] == "-"
    }
    section = PAGE.partition("| option | means |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(--[a-z-]+)", section)) == options
    (order,) = (parameter for parameter in command.params if parameter.name == "order")
    assert all(f"`{choice}`" in section for choice in order.type.choices)  # type: ignore[attr-defined]


def test_the_configuration_is_the_one_in_force_without_it() -> None:
    (text,) = [text for language, _, text in BLOCKS if language == "toml"]
    shown = tomllib.loads(text)["usage"]
    settings = UsageSettings()
    assert shown == {
        field.name.replace("_", "-"): getattr(settings, field.name) for field in fields(settings)
    }
