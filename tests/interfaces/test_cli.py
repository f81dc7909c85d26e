"""The command line: exit codes, messages, formats, all judged by what a user sees."""

import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, Memory
from yoimem.interfaces.cli.main import main

SCHEMA = json.loads(files("yoimem.formatters").joinpath("report.schema.json").read_text("utf-8"))
BAD = DECISION.replace("open", "done")


@pytest.fixture(autouse=True)
def _in_the_workspace(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(memory.workspace)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)


Output = pytest.CaptureFixture[str]


class TestExitCodes:
    def test_no_errors_is_0(self, memory: Memory, capsys: Output) -> None:
        memory.write("memory/summary.md", SUMMARY)
        assert main(["check"]) == 0
        assert capsys.readouterr().out == "checked 1 record: no findings\n"

    def test_errors_are_1(self, memory: Memory, capsys: Output) -> None:
        memory.write("memory/decisions/a.md", BAD)
        assert main(["check"]) == 1
        out = capsys.readouterr().out
        assert out.startswith(".yoi/memory/decisions/a.md:4:9: FM106 invalid-status ")
        assert "    4 | status: done\n      |         ^^^^ error\n" in out
        assert out.endswith("checked 1 record: 1 error\n")

    def test_three_hundred_findings_are_1_too(self, memory: Memory) -> None:
        for number in range(300):
            memory.write(f"memory/decisions/d{number}.md", BAD)
        assert main(["check"]) == 1

    def test_warnings_are_0_unless_they_count_as_errors(self, memory: Memory) -> None:
        memory.write("memory/decisions/a.md", DECISION.replace("status", "owner: me\nstatus"))
        assert main(["check"]) == 0
        assert main(["check", "--warnings-as-errors"]) == 1

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["check", "nowhere"], "there is no nowhere"),
            (["check", "--selct", "FM"], "No such option"),
            (["check", "--select", "FM999"], "unknown rule `FM999`"),
            (["check", "--output-format", "txt"], "did you mean `text`?"),
            (["check", "notes.txt"], "is not below the memory"),
            (["check", ".yoi/notes.md"], "is no place of a record"),
            (["check", "-"], "--stdin-filename"),
            (["check", "--stdin-filename", "a.md", "b"], "--stdin-filename"),
            (["check", "-", "--stdin-filename", "x.md", "--fix"], "--fix"),
            (["chek"], "No such command"),
            (["explain", "FM1O6"], "did you mean `FM106`?"),
        ],
        ids=" ".join,
    )
    def test_no_verdict_is_2_with_a_message(
        self, arguments: list[str], words: str, memory: Memory, capsys: Output
    ) -> None:
        (memory.workspace / "notes.txt").write_text("x")
        (memory.root / "notes.md").write_text("x")
        assert main(arguments) == 2
        captured = capsys.readouterr()
        assert words in captured.err
        assert "Traceback" not in captured.err

    def test_no_memory_is_2(
        self, tmp_path_factory: pytest.TempPathFactory, capsys: Output,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        monkeypatch.chdir(tmp_path_factory.mktemp("empty"))
        assert main(["check"]) == 2
        assert "yoimem init" in capsys.readouterr().err

    def test_a_configuration_that_cannot_be_used_is_2(self, memory: Memory, capsys: Output) -> None:
        (memory.workspace / "yoimem.toml").write_text('select = ["FM"\n')
        assert main(["check"]) == 2
        assert "is no TOML" in capsys.readouterr().err

    def test_help_and_version_are_0(self, capsys: Output) -> None:
        assert main(["--help"]) == 0
        assert main(["check", "-h"]) == 0
        assert main(["--version"]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == "yoimem 0.1.0"


class TestTargets:
    @pytest.fixture(autouse=True)
    def _two_records(self, memory: Memory) -> None:
        memory.write("memory/decisions/a.md", BAD)
        memory.write("knowledge/b.md", KNOWLEDGE.replace("guide", "''"))
        memory.write("knowledge/README.md", "# What this folder is\n")
        memory.write("memory/_staging/x.md", "nothing")

    @pytest.mark.parametrize(
        ("target", "codes"),
        [
            (".", {"FM106", "FM102"}),
            (".yoi", {"FM106", "FM102"}),
            (".yoi/memory", {"FM106"}),
            (".yoi/knowledge", {"FM102"}),
            (".yoi/knowledge/", {"FM102"}),
            (".yoi/memory/decisions/a.md", {"FM106"}),
            (".yoi/memory/../knowledge/b.md", {"FM102"}),
            (".yoi/knowledge/README.md", set()),
            (".yoi/memory/_staging/x.md", set()),
        ],
    )
    def test_a_path_means_the_records_at_or_below_it(
        self, target: str, codes: set[str], capsys: Output
    ) -> None:
        assert main(["check", target, "--output-format", "json"]) == (1 if codes else 0)
        assert {d["code"] for d in json.loads(capsys.readouterr().out)["diagnostics"]} == codes

    def test_a_subfolder_finds_the_root_above_it(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: Output
    ) -> None:
        (memory.workspace / "src").mkdir()
        monkeypatch.chdir(memory.workspace / "src")
        assert main(["check"]) == 1
        assert "../.yoi/memory/decisions/a.md:4:9" in capsys.readouterr().out

    def test_two_memories_are_one_report(self, tmp_path: Path, capsys: Output) -> None:
        for name in ("one", "two"):
            Memory(tmp_path / name).write("memory/decisions/a.md", BAD)
        assert main(["check", "one", "two", "--output-format", "concise"]) == 1
        assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == [
            "one/.yoi/memory/decisions/a.md",
            "two/.yoi/memory/decisions/a.md",
        ]

    def test_the_older_layout_is_a_root_when_it_is_named(
        self, tmp_path_factory: pytest.TempPathFactory, capsys: Output
    ) -> None:
        old = tmp_path_factory.mktemp("old")
        (old / "memory" / "decisions").mkdir(parents=True)
        (old / "memory" / "decisions" / "a.md").write_text(BAD)
        for target in (old, old / "memory", old / "memory" / "decisions" / "a.md"):
            assert main(["check", str(target)]) == 1
            assert "FM106" in capsys.readouterr().out


class TestStandardInput:
    def test_a_text_is_judged_as_if_it_stood_there(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: Output
    ) -> None:
        _stdin(monkeypatch, BAD.encode())
        path = ".yoi/memory/decisions/new.md"
        assert main(["check", "-", "--stdin-filename", path]) == 1
        assert f"{path}:4:9: FM106" in capsys.readouterr().out
        assert not (memory.workspace / path).exists()

    def test_bytes_that_are_no_utf8(self, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
        _stdin(monkeypatch, b"---\nstatus: \xff\n---\n")
        assert main(["check", "--stdin-filename", ".yoi/knowledge/new.md"]) == 1
        out = capsys.readouterr().out
        assert ".yoi/knowledge/new.md:2:9: FM011 not-utf8" in out
        assert "byte 0xff at offset 12" in out


def _stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


class TestFormats:
    def test_json_obeys_its_schema_and_names_the_root(self, memory: Memory, capsys: Output) -> None:
        memory.write("memory/decisions/a.md", BAD)
        main(["check", "--output-format", "json"])
        report = json.loads(capsys.readouterr().out)
        jsonschema.validate(report, SCHEMA)
        assert report["root"] == ".yoi"
        assert report["summary"] == {"records": 1, "errors": 1, "warnings": 0, "failures": 0}
        (diagnostic,) = report["diagnostics"]
        assert (diagnostic["path"], diagnostic["line"], diagnostic["column"]) == (
            "memory/decisions/a.md", 4, 9,
        )  # fmt: skip
        assert diagnostic["end_column"] == 13

    @pytest.mark.parametrize("name", ["text", "concise", "json", "github", "sarif", "junit"])
    def test_every_format_names_the_finding(
        self, name: str, memory: Memory, capsys: Output
    ) -> None:
        memory.write("memory/decisions/a.md", BAD)
        assert main(["check", "--output-format", name]) == 1
        assert "FM106" in capsys.readouterr().out

    def test_the_configuration_names_the_format(self, memory: Memory, capsys: Output) -> None:
        (memory.workspace / "yoimem.toml").write_text('output-format = "json"\n')
        main(["check"])
        json.loads(capsys.readouterr().out)


class TestFix:
    def test_diff_shows_and_writes_nothing(self, memory: Memory, capsys: Output) -> None:
        path = memory.write("memory/decisions/a.md", DECISION.replace("---", "---  ", 1))
        before = path.read_bytes()
        assert main(["check", "--diff"]) == 0
        assert "----  \n+---\n" in capsys.readouterr().out
        assert path.read_bytes() == before

    def test_fix_mends_and_reports_what_is_left(self, memory: Memory, capsys: Output) -> None:
        path = memory.write("memory/decisions/a.md", BAD.replace("---", "---  ", 1))
        path.chmod(0o640)
        assert main(["check", "--fix"]) == 1
        assert path.read_text() == BAD
        assert path.stat().st_mode & 0o777 == 0o640
        assert capsys.readouterr().out.endswith("checked 1 record: 1 error\n")
        assert [p.name for p in path.parent.iterdir()] == ["a.md"]


class TestInit:
    def test_what_it_writes_passes(self, tmp_path: Path, capsys: Output) -> None:
        folder = tmp_path / "fresh"
        assert main(["init", str(folder)]) == 0
        assert main(["check", str(folder)]) == 0
        assert capsys.readouterr().out.endswith("checked 3 records: no findings\n")

    def test_it_keeps_what_is_there(self, memory: Memory, capsys: Output) -> None:
        mine = memory.write("memory/summary.md", SUMMARY + "Mine.\n")
        assert main(["init"]) == 0
        assert mine.read_text() == SUMMARY + "Mine.\n"
        assert "kept .yoi/memory/summary.md" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("name", "mine", "after", "added"),
        [
            (".gitignore", b"", b"# What.*\n/memory/_lock\n/memory/_logs/\n/memory/_staging/\n", 4),
            (".gitignore", b"/memory/_logs/  \n*.tmp", b".*tmp\n# .*_lock\n/memory/_staging/\n", 3),
            (".gitignore", b"a\r\nb", b"a\r\nb\r\n# .*\r\n/memory/_staging/\r\n", 4),
            (".gitattributes", b"*.md text\n", b".*text\n# .*\n/.*jsonl merge=union\n", 2),
            (".gitattributes", b"\xff", b"\xff\n# .*\n/.*jsonl merge=union\n", 2),
        ],
    )
    def test_what_git_is_not_told_yet_is_added_once(
        self, name: str, mine: bytes, after: bytes, added: int, memory: Memory, capsys: Output
    ) -> None:
        path = memory.root / name
        path.write_bytes(mine)
        assert main(["init"]) == 0
        whole = path.read_bytes()
        assert whole.startswith(mine)
        assert re.fullmatch(after, whole, re.DOTALL)
        told = capsys.readouterr().out.partition(f"kept .yoi/{name}, and added to its end:\n")[2]
        lines = [line.strip() for line in told.splitlines() if line.startswith("    ")]
        assert lines == whole.decode(errors="replace").splitlines()[-added:]
        assert main(["init"]) == 0
        assert path.read_bytes() == whole
        assert f"kept .yoi/{name}\n" in capsys.readouterr().out

    def test_a_comment_alone_is_not_added(self, memory: Memory) -> None:
        rules = "/memory/_staging/\n/memory/_logs/\n/memory/_lock\n"
        (memory.root / ".gitignore").write_text(rules)
        assert main(["init"]) == 0
        assert (memory.root / ".gitignore").read_text() == rules

    @pytest.mark.skipif("os.name == 'nt'", reason="links need a privilege there")
    def test_what_cannot_be_added_to_is_told_with_the_lines(
        self, memory: Memory, capsys: Output
    ) -> None:
        mine = memory.workspace / "mine"
        mine.write_text("*.tmp\n")
        (memory.root / ".gitignore").symlink_to(mine)
        (memory.root / ".gitattributes").mkdir()
        assert main(["init"]) == 0
        out, err = capsys.readouterr()
        assert mine.read_text() == "*.tmp\n"
        assert "made .yoi/memory/summary.md" in out
        assert ".yoi/.gitignore is left as it is" in err
        assert "is a link" in err
        assert "    /memory/_staging/\n" in err
        assert ".yoi/.gitattributes is no regular file" in err
        assert "    /memory/_usage/events.jsonl merge=union\n" in err

    @pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
    @pytest.mark.parametrize(
        ("rules", "told"),
        [("x\n.*\n", ".gitignore:2:.*"), (".*\n!/.yoi/\n!/.yoi/**\n", ""), ("", "")],
    )
    def test_a_memory_that_git_ignores_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output, rules: str, told: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        subprocess.run(["git", "init", "--quiet"], check=True)
        Path(".gitignore").write_text(rules)
        assert main(["init"]) == 0
        err = capsys.readouterr().err
        assert told in err
        assert bool(err) is bool(told)

    def test_it_does_not_hide_an_older_memory(self, tmp_path: Path, capsys: Output) -> None:
        (tmp_path / "old" / "knowledge").mkdir(parents=True)
        assert main(["init", str(tmp_path / "old")]) == 2
        assert "older layout" in capsys.readouterr().err
        assert not (tmp_path / "old" / ".yoi").exists()


class TestRulesAndExplain:
    def test_every_rule_is_listed_with_its_plugin_and_state(
        self, memory: Memory, capsys: Output
    ) -> None:
        (memory.workspace / "yoimem.toml").write_text(
            'ignore = ["FM110"]\n[severity]\nunknown-key = "error"\n'
        )
        assert main(["rules", "--output-format", "json"]) == 0
        rows = {row["code"]: row for row in json.loads(capsys.readouterr().out)}
        assert rows["FM110"]["state"] == "off: ignored by `FM110`"
        assert rows["FM108"]["severity"] == "error"
        assert rows["FM001"]["plugin"] == "yoimem 0.1.0"
        assert rows["FM001"]["state"] == "on"

    @pytest.mark.parametrize("word", ["FM106", "fm106", "invalid-status"])
    def test_a_rule_is_explained_by_code_or_name(self, word: str, capsys: Output) -> None:
        assert main(["explain", word]) == 0
        out = capsys.readouterr().out
        assert out.startswith("# FM106 invalid-status\n")
        assert "## Good" in out
