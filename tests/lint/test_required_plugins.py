"""`required-plugins`: what is asked for is there before anything runs."""

import json
from pathlib import Path

import pytest

from tests.conftest import DECISION, Memory
from yoimem.interfaces.cli.main import main
from yoimem.lint.errors import ConfigError
from yoimem.tools import MemoryTools

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _acme_is_installed(tmp_path: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a plugin that leaves a trace when it is loaded."""
    site = tmp_path / "site"
    info = site / "Acme_Rules-1.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: Acme_Rules\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text("[yoimem]\nacme = acme_required_rules\n")
    trace = f"open({str(tmp_path / 'loaded')!r}, 'w').close()\n"
    (site / "acme_required_rules.py").write_text(trace)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(__import__("sys").modules, "acme_required_rules", raising=False)
    monkeypatch.chdir(memory.workspace)
    memory.write("memory/decisions/a.md", DECISION)


def require(memory: Memory, *names: str) -> None:
    text = f"required-plugins = {json.dumps(names)}\n"
    (memory.workspace / "yoimem.toml").write_text(text)


@pytest.mark.parametrize(
    "name",
    [
        "acme-rules",
        "ACME.rules>=1.2,<2",
        "yoimem",
        'nothing; python_version < "3"',
        "acme-rules==1.5",
    ],
)
def test_what_is_there_is_enough(name: str, memory: Memory, capsys: Output) -> None:
    require(memory, name)
    assert main(["check"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("acme-rules>=2", "asks for `acme-rules>=2`, and the plugins that are installed are: "),
        ("acme-rulez", "asks for `acme-rulez`"),
        ("click", "asks for `click`"),
        ("acme rules", "`acme rules` is no requirement"),
        ("acme-rules @ https://example.org/a.whl", "names an address"),
    ],
)
def test_what_is_missing_is_2_and_nothing_runs(
    name: str, words: str, memory: Memory, tmp_path: Path, capsys: Output
) -> None:
    require(memory, name)
    for command in (["check"], ["check", "."], ["rules"], ["check", "--fix"]):
        assert main(command) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert words in captured.err
    assert not (tmp_path / "loaded").exists()


def test_all_that_is_missing_is_named_with_what_is_there(memory: Memory) -> None:
    require(memory, "acme-rules>=2", "other-rules~=1.0", "yoimem")
    with pytest.raises(ConfigError) as raised:
        memory.lint()
    message = str(raised.value)
    assert "`acme-rules>=2`, `other-rules~=1.0`" in message
    assert "Acme_Rules 1.5, yoimem 0.1.0" in message


def test_the_tools_do_not_start_without_them(memory: Memory) -> None:
    require(memory, "acme-rules>=2")
    with pytest.raises(ConfigError, match="acme-rules>=2"):
        MemoryTools(memory.root)
