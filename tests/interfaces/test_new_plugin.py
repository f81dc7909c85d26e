"""`yoimem new-plugin`: a copy of the example under other names, and nothing overwritten."""

import os
import re
import tomllib
from pathlib import Path

import pytest

from tests.e2e.environment import REPOSITORY
from yoimem.interfaces.cli.main import main

EXAMPLE = REPOSITORY / "plugins" / "example-team-rules"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_copy_bears_its_own_names(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new-plugin", "payments-rules"]) == 0
    made = texts(here / "payments-rules")
    project = tomllib.loads(made["pyproject.toml"])
    assert project["project"]["name"] == "payments-rules"
    assert project["project"]["entry-points"]["yoimem"] == {
        "payments-rules": "payments_rules.plugin"
    }
    page = made["src/payments_rules/rationale_missing.md"]
    assert page.startswith("# PAYMENTS001 payments-rationale-missing\n")
    assert 'code="PAYMENTS002"' in made["src/payments_rules/incident_closed_early.py"]
    everything = "".join((*made, *made.values()))
    assert not any(name in everything for name in ("example_team", "example-team", "ACME"))
    assert capsys.readouterr().out == (
        "made payments-rules\nnow run: cd payments-rules && pip install -e '.[test]' && pytest\n"
    )


def test_nothing_of_the_example_is_left_out(here: Path) -> None:
    assert main(["new-plugin", "example-team-rules", "--prefix", "ACME"]) == 0
    made = texts(here / "example-team-rules")
    assert made.keys() >= {".gitignore", "README.md", "src/example_team_rules/py.typed"}
    assert all((EXAMPLE / path).read_text() == text for path, text in made.items())
    tracked = {path.relative_to(EXAMPLE).as_posix() for path in EXAMPLE.rglob("*.[pm][yd]")}
    assert {path for path in tracked if "." not in path[0]} <= made.keys()


def test_two_plugins_hand_in_no_name_twice(here: Path) -> None:
    assert main(["new-plugin", "payments-rules"]) == 0
    assert main(["new-plugin", "shipping-rules"]) == 0
    handed_in = re.compile(
        r'(?:name|code)="([^"]+)"|^    name = "(.+)"|"(memory/[^"]+)"', re.MULTILINE
    )
    first, second = (
        {
            found.group()
            for path, text in texts(here / name / "src").items()
            if path.endswith(".py")
            for found in handed_in.finditer(text)
        }
        for name in ("payments-rules", "shipping-rules")
    )
    assert len(first) == len(second) >= 7
    assert not first & second


def test_another_folder_and_prefix(here: Path) -> None:
    (here / "empty").mkdir()
    assert main(["new-plugin", "db-rules", "--folder", "empty", "--prefix", "STORE"]) == 0
    assert 'code="STORE001"' in texts(here / "empty")["src/db_rules/rationale_missing.py"]


def test_what_is_there_is_left_as_it_is(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "payments-rules").mkdir()
    (here / "payments-rules" / "mine.txt").write_text("mine")
    (here / "file").write_text("mine")
    assert main(["new-plugin", "payments-rules"]) == 2
    assert main(["new-plugin", "payments-rules", "--folder", "file"]) == 2
    assert capsys.readouterr().err.count("is there already, and is left as it is") == 2
    assert texts(here) == {"payments-rules/mine.txt": "mine", "file": "mine"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Payments Rules"], "is not in kebab-case"),
        (["../payments"], "is not in kebab-case"),
        (["json"], "cannot be the name of your package"),
        (["class"], "cannot be the name of your package"),
        (["yoimem-rules"], "cannot be the name of your package"),
        (["x1-rules"], "give --prefix"),
        (["a-rules", "--prefix", "acme"], "is not 2 to 12 capitals"),
        (["platform-rules"], "would mix with those of yoimem"),
        (["a-rules", "--prefix", "FM"], "would mix with those of yoimem"),
    ],
)
def test_a_name_that_cannot_be_is_refused(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new-plugin", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert os.listdir() == []
