"""Plugins that the repository holds: loaded by path, and by open doors only as they are trusted."""

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import DECISION, Memory
from yoimem import lint, lint_text
from yoimem.interfaces.agent_hook import answer
from yoimem.interfaces.cli.main import main
from yoimem.lint.errors import ConfigError
from yoimem.lint.host import load_plugins
from yoimem.lint.trust import trust_file
from yoimem.tools import MemoryToolError, MemoryTools
from yoimem.workspace.layout import root_at

PATH = "memory/decisions/a.md"
RULE = '''
from yoimem import Finding, RecordRule, RuleMeta, Severity, hookimpl

class {name}(RecordRule):
    """The team's own."""
    meta = RuleMeta("{code}", "{code_name}", Severity.WARNING, "1.0")

    def check(self, record, ctx):
        yield Finding("{message}")
'''
HOOK = """
@hookimpl
def yoimem_register_rules():
    return [{names}]
"""
Output = pytest.CaptureFixture[str]
Configure = Callable[..., None]


def rule(code: str = "TEAM001", message: str = "seen") -> str:
    name = code.capitalize()
    return RULE.format(name=name, code=code, code_name=f"team-{code[-3:]}", message=message)


def plugin(code: str = "TEAM001", message: str = "seen") -> str:
    return rule(code, message) + HOOK.format(names=code.capitalize())


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    for variable in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(home))
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)


@pytest.fixture
def configure(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Configure:
    """Return what names local plugins in the workspace's configuration."""
    monkeypatch.chdir(memory.workspace)
    memory.write(PATH, DECISION)

    def write(*names: str, files: dict[str, str] | None = None) -> None:
        for name, text in (files or {}).items():
            target = memory.workspace / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        (memory.workspace / "pyproject.toml").write_text(
            f"[tool.yoimem]\nlocal-plugins = {json.dumps(names)}\n"
        )

    return write


class TestLoading:
    def test_a_file_is_a_plugin_with_its_path_for_a_name(
        self, memory: Memory, configure: Configure
    ) -> None:
        configure("rules/team.py", files={"rules/team.py": plugin()})
        report = memory.lint()
        assert [(d.code, d.message) for d in report.diagnostics] == [("TEAM001", "seen")]
        assert report.failures == ()
        root = root_at(memory.root)
        labels = {r.meta.code: r.plugin for r in load_plugins(root).rules}
        assert labels["TEAM001"] == "local rules/team.py"
        assert "TEAM001" not in {r.meta.code for r in load_plugins().rules}

    def test_a_package_imports_its_parts_by_relative_names(
        self, memory: Memory, configure: Configure
    ) -> None:
        configure(
            "team",
            files={
                "team/__init__.py": "from .parts import deep, one\n"
                "from yoimem import hookimpl\n" + HOOK.format(names="one.Team001, deep.Team002"),
                "team/parts/__init__.py": "",
                "team/parts/one.py": rule("TEAM001"),
                "team/parts/deep.py": "from ..words import WORD\n" + rule("TEAM002").replace(
                    '"seen"', "late()"
                ) + "\ndef late():\n    from .. import later\n    return WORD + later.WORD\n",
                "team/words.py": "WORD = 'both '\n",
                "team/later.py": "WORD = 'seen'\n",
            },
        )  # fmt: skip
        assert [d.message for d in memory.lint().diagnostics] == ["seen", "both seen"]

    def test_a_rule_of_a_file_has_its_page_beside_it(
        self, configure: Configure, capsys: Output
    ) -> None:
        configure("team.py", files={"team.py": plugin(), "team.md": "# TEAM001 team-001\n\nWhy.\n"})
        assert main(["explain", "team-001"]) == 0
        assert capsys.readouterr().out == "# TEAM001 team-001\n\nWhy.\n"

    def test_it_shows_among_the_rules(self, configure: Configure, capsys: Output) -> None:
        configure("team.py", files={"team.py": plugin()})
        assert main(["rules", "--output-format", "json"]) == 0
        rows = {row["code"]: row for row in json.loads(capsys.readouterr().out)}
        assert (rows["TEAM001"]["plugin"], rows["TEAM001"]["state"]) == ("local team.py", "on")

    def test_its_kinds_have_places_that_a_path_may_name(
        self, memory: Memory, configure: Configure
    ) -> None:
        configure(
            "kinds.py",
            files={
                "kinds.py": "from dataclasses import dataclass\nfrom marshmallow import Schema, fields\n"
                "from yoimem import RecordKind, hookimpl\n"
                "class S(Schema):\n    level = fields.Integer(required=True, strict=True)\n"
                "@dataclass(frozen=True)\nclass Incident:\n    level: int\n"
                "@hookimpl\ndef yoimem_register_record_kinds():\n"
                "    return [RecordKind('incident', S, Incident, ('incidents/<slug>.md',))]\n"
            },
        )
        memory.write("incidents/down.md", "---\nlevel: high\n---\n")
        assert main(["check", ".yoi/incidents"]) == 1
        assert main(["check", ".yoi/incidents/down.md"]) == 1

    def test_two_workspaces_have_their_own(self, tmp_path: Path, capsys: Output) -> None:
        for name, code in (("one", "TEAM001"), ("two", "TEAM002")):
            memory = Memory(tmp_path / name)
            memory.write(PATH, DECISION)
            (memory.workspace / "team.py").write_text(plugin(code))
            (memory.workspace / "pyproject.toml").write_text(
                '[tool.yoimem]\nlocal-plugins = ["team.py"]\n'
            )
        paths = [str(tmp_path / "one"), str(tmp_path / "two")]
        assert main(["check", *paths, "--output-format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)["diagnostics"]
        assert [d["code"] for d in found] == ["TEAM001", "TEAM002"]

    def test_a_change_is_seen_by_the_next_check(self, memory: Memory, configure: Configure) -> None:
        configure("team.py", files={"team.py": plugin()})
        memory.lint()
        (memory.workspace / "team.py").write_text(plugin(message="seen again"))
        assert [d.message for d in memory.lint().diagnostics] == ["seen again"]

    def test_compiled_files_are_neither_made_nor_used(
        self, memory: Memory, configure: Configure
    ) -> None:
        configure("team", files={"team/__init__.py": plugin(), "team/x.py": ""})
        memory.lint()
        names = {path.name for path in memory.workspace.rglob("*")}
        assert "__pycache__" not in names


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("team.py", "import no_such_dependency", "ModuleNotFoundError: No module named 'no_such"),
        ("team.py", "raise SystemExit(3)", "SystemExit: 3"),
        ("team.py", "def (", "SyntaxError"),
        ("team.py", "\0", "team.py does not load"),
        ("nowhere.py", "", "there is no nowhere.py"),
        ("team.txt", "", "is no `.py` file"),
        ("empty", "", "there is no empty"),
        ("folder", "", "has no `__init__.py`"),
        ("../outside.py", "", "stands outside the workspace"),
        ("link.py", "", "link that leads out of it"),
        ("linked", "", "linked/part.py stands outside"),
        ("/etc/passwd", "", "is no path relative to the workspace"),
        ("", "", "is no path relative to the workspace"),
    ],
)
def test_what_does_not_load_is_a_failure_and_hides_nothing(
    name: str, text: str, words: str, memory: Memory, configure: Configure, tmp_path: Path
) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.py"
    outside.write_text(plugin())
    configure(
        name, "good.py", files={"team.py": text, "team.txt": "", "good.py": plugin("TEAM009")}
    )
    (memory.workspace / "folder").mkdir()
    (memory.workspace / "link.py").symlink_to(outside)
    (memory.workspace / "linked").mkdir()
    (memory.workspace / "linked" / "__init__.py").touch()
    (memory.workspace / "linked" / "part.py").symlink_to(outside)

    report = memory.lint()

    (failure,) = report.failures
    assert (failure.plugin, failure.where) == (f"local {name}", f"plugin local {name}")
    assert words in failure.message
    assert [d.code for d in report.diagnostics] == ["TEAM009"]
    assert main(["check"]) == 2
    gate = lint_text(memory.root, PATH, DECISION, actor="agent", operation="update")
    assert gate.failures == report.failures


def test_an_installed_plugin_has_its_code_first(memory: Memory, configure: Configure) -> None:
    configure("team.py", files={"team.py": plugin("FM001")})
    (failure,) = memory.lint().failures
    assert "`FM001` is taken: local team.py hands in FM001" in failure.message


def test_only_pyproject_may_name_code_to_run(memory: Memory) -> None:
    (memory.workspace / "yoimem.toml").write_text('local-plugins = ["team.py"]\n')
    with pytest.raises(
        ConfigError, match=r"is read from `\[tool.yoimem\]` in pyproject.toml alone"
    ):
        memory.lint()


class TestTrust:
    """Doors that stay open run what somebody trusted, and nothing else."""

    @pytest.fixture(autouse=True)
    def _team(self, memory: Memory, configure: Configure) -> None:
        files = {
            "team/__init__.py": "from .one import Team001\nfrom yoimem import hookimpl\n"
            + HOOK.format(names="Team001"),
            "team/one.py": rule().replace(
                "class", f"open({str(self.ran(memory))!r}, 'w').close()\n\nclass"
            ),
        }
        configure("team", files=files)

    def ran(self, memory: Memory) -> Path:
        return memory.workspace / "it-ran"

    def refusal(self, memory: Memory) -> str:
        """Return the words of a write that the gate refuses."""
        text = DECISION.replace("Body", "Another body")
        with pytest.raises(MemoryToolError) as raised:
            MemoryTools(memory.root).memory_write("memory/decisions/new.md", text)
        assert not (memory.root / "memory/decisions/new.md").exists()
        return raised.value.message

    def accepted(self, memory: Memory) -> bool:
        written = MemoryTools(memory.root).memory_write("memory/decisions/new.md", DECISION)
        return any("TEAM001" in warning for warning in written.warnings)

    def test_nothing_runs_before_and_the_gate_is_closed(self, memory: Memory) -> None:
        message = self.refusal(memory)
        assert "plugin local team: nobody trusted it" in message
        assert "run `yoimem trust`" in message
        assert not self.ran(memory).exists()

    def test_the_command_line_needs_no_trust(self, memory: Memory) -> None:
        assert main(["check"]) == 0
        assert self.ran(memory).exists()

    def test_the_hook_runs_nothing_either(self, memory: Memory) -> None:
        for event, tool in (("PreToolUse", "Write"), ("PostToolUse", "Bash")):
            call = {
                "hook_event_name": event, "tool_name": tool, "cwd": str(memory.workspace),
                "tool_input": {"file_path": str(memory.workspace / "x.txt"), "content": "x"},
            }  # fmt: skip
            answer(json.dumps(call).encode(), None)
        assert not self.ran(memory).exists()

    def test_what_is_trusted_runs(self, memory: Memory, capsys: Output) -> None:
        assert main(["trust"]) == 0
        assert capsys.readouterr().out.startswith(f"trusted {memory.workspace / 'team'} sha256 ")
        assert not self.ran(memory).exists()
        assert self.accepted(memory)

    @pytest.mark.parametrize("change", ["edit", "add", "remove", "rename"])
    def test_any_change_takes_the_trust_away(self, change: str, memory: Memory) -> None:
        folder = memory.workspace / "team"
        (folder / "more.py").write_text("X = 1\n")
        assert main(["trust"]) == 0
        if change == "edit":
            (folder / "one.py").write_text((folder / "one.py").read_text() + "\n")
        elif change == "add":
            (folder / "sub").mkdir()
            (folder / "sub" / "late.py").write_text("")
        elif change == "remove":
            (folder / "more.py").unlink()
        else:
            (folder / "more.py").rename(folder / "moore.py")
        assert "it has changed since it was trusted" in self.refusal(memory)
        assert main(["trust"]) == 0
        assert self.accepted(memory)

    def test_a_compiled_file_beside_a_trusted_source_is_not_run(
        self, memory: Memory, tmp_path: Path
    ) -> None:
        import importlib.util
        import py_compile

        assert main(["trust"]) == 0
        source = memory.workspace / "team" / "one.py"
        evil = tmp_path / "evil.py"
        evil.write_text(f"open({str(tmp_path / 'evil-ran')!r}, 'w').close()\n" + plugin())
        compiled = importlib.util.cache_from_source(str(source))
        py_compile.compile(
            str(evil), compiled, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
        assert self.accepted(memory)
        assert not (tmp_path / "evil-ran").exists()

    def test_what_a_trusted_plugin_does_not_hold_it_cannot_import(self, memory: Memory) -> None:
        init = memory.workspace / "team" / "__init__.py"
        init.write_text(init.read_text() + "from . import late\n")
        assert main(["trust"]) == 0
        (memory.workspace / "team" / "late").mkdir()
        (memory.workspace / "team" / "late" / "notes.txt").touch()
        assert "cannot import name 'late'" in self.refusal(memory)

    def test_revoking_closes_the_door_again(self, memory: Memory, capsys: Output) -> None:
        assert main(["trust", "team"]) == 0
        capsys.readouterr()
        assert main(["trust", "--list"]) == 0
        assert capsys.readouterr().out.startswith(f"{memory.workspace / 'team'} sha256 ")
        assert main(["trust", "--revoke"]) == 0
        assert "nobody trusted it" in self.refusal(memory)
        assert main(["trust", "--list"]) == 0
        assert capsys.readouterr().out == f"revoked {memory.workspace / 'team'}\n"

    def test_what_is_gone_can_be_revoked(self, memory: Memory) -> None:
        assert main(["trust"]) == 0
        team = memory.workspace / "team"
        team.rename(memory.workspace / "elsewhere")
        assert main(["trust", "--revoke", str(team)]) == 0
        assert json.loads(trust_file().read_text())["plugins"] == {}

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["nowhere"], "there is no local plugin at"),
            (["team/one.py"], "lists: team"),
            (["--revoke"], "nothing at"),
            (["--revoke", "--list"], "--list changes nothing"),
        ],
    )
    def test_what_cannot_be_done_is_2(
        self, arguments: list[str], words: str, capsys: Output
    ) -> None:
        assert main(["trust", *arguments]) == 2
        assert words in capsys.readouterr().err

    def test_a_workspace_is_trusted_by_its_path(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
    ) -> None:  # fmt: skip
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        assert main(["trust", str(memory.workspace)]) == 0
        assert self.accepted(memory)

    @pytest.mark.skipif(os.name == "nt", reason="mode bits")
    def test_nobody_else_may_read_or_write_it(self, memory: Memory) -> None:
        trust_file().parent.mkdir(mode=0o755)
        assert main(["trust"]) == 0
        assert stat.S_IMODE(trust_file().stat().st_mode) == 0o600
        assert stat.S_IMODE(trust_file().parent.stat().st_mode) == 0o700
        assert [path.name for path in trust_file().parent.iterdir()] == ["trust.json"]

    @pytest.mark.skipif(os.name == "nt", reason="mode bits")
    @pytest.mark.parametrize("where", ["file", "folder"])
    def test_what_others_may_write_is_not_believed(self, where: str, memory: Memory) -> None:
        assert main(["trust"]) == 0
        place = trust_file() if where == "file" else trust_file().parent
        place.chmod(0o777)
        assert f"others may write to {place}" in self.refusal(memory)
        assert not self.ran(memory).exists()

    @pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can")
    def test_what_belongs_to_another_is_not_believed(self, memory: Memory) -> None:
        assert main(["trust"]) == 0
        os.chown(trust_file().parent, 12345, 12345)
        assert "belongs to another user" in self.refusal(memory)
        assert main(["trust"]) == 2

    @pytest.mark.parametrize("text", ["", "[]", '{"version": 1}', '{"version": 9, "plugins": {}}'])
    def test_what_cannot_be_read_is_not_believed(self, text: str, memory: Memory) -> None:
        assert main(["trust"]) == 0
        trust_file().write_text(text)
        assert "remove it, and trust again" in self.refusal(memory)

    def test_a_plugin_that_is_already_there_is_not_asked_for_by_others(
        self, memory: Memory
    ) -> None:
        """A check of the same process has run it; the door still does not."""
        assert [d.code for d in lint(memory.root).diagnostics] == ["TEAM001"]
        assert any(name.startswith("yoimem_local_") for name in sys.modules)
        assert "nobody trusted it" in self.refusal(memory)
