"""`yoimem check --audit`: what was changed past the tools is named."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import DECISION, KNOWLEDGE, Memory
from yoimem.interfaces.cli.main import main
from yoimem.tools import MemoryTools
from yoimem.workspace.audit import AUDIT_PATH, AuditLine, AuditLog, sha256
from yoimem.workspace.unexplained import Unexplained, find_unexplained, unexplained_records

Output = pytest.CaptureFixture[str]
FOLDERS = frozenset({"memory", "knowledge", "workflow"})
PATH = "memory/decisions/a.md"
OLD, NEW, OTHER = "0" * 64, "1" * 64, "2" * 64


@pytest.fixture(autouse=True)
def _in_the_workspace(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(memory.workspace)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)


@pytest.fixture
def tools(memory: Memory) -> MemoryTools:
    return MemoryTools(memory.root)


def found(memory: Memory) -> list[tuple[str, str]]:
    return [(path, why) for path, why in unexplained_records(memory.root, FOLDERS)]


class TestWhatTheToolsDo:
    def test_is_explained(self, memory: Memory, tools: MemoryTools) -> None:
        written = tools.memory_write(PATH, DECISION)
        assert found(memory) == []
        tools.memory_edit(PATH, "Body.", "Another body.", expect=written.sha256)
        assert found(memory) == []
        tools.memory_delete(PATH)
        assert found(memory) == []

    def test_a_move_is_followed(self, memory: Memory, tools: MemoryTools) -> None:
        tools.memory_write(PATH, DECISION)
        tools.move(PATH, "memory/decisions/b.md")
        assert found(memory) == []
        memory.write(PATH, DECISION)
        assert found(memory) == [(PATH, "unlogged")]

    def test_a_write_that_was_refused_leaves_nothing(
        self, memory: Memory, tools: MemoryTools
    ) -> None:
        with pytest.raises(Exception, match="refused"):
            tools.memory_write(PATH, "no record")
        assert found(memory) == []


class TestWhatIsDonePastThem:
    def test_a_new_record(self, memory: Memory) -> None:
        memory.write(PATH, DECISION)
        assert found(memory) == [(PATH, "unlogged")]

    def test_a_changed_record(self, memory: Memory, tools: MemoryTools) -> None:
        tools.memory_write(PATH, DECISION)
        tools.memory_write("knowledge/k.md", KNOWLEDGE)
        text = (memory.root / PATH).read_text()
        memory.write(PATH, text + "More.\n")
        assert found(memory) == [(PATH, "changed")]
        memory.write(PATH, text)
        assert found(memory) == []

    def test_what_the_tools_write_next_is_explained(
        self, memory: Memory, tools: MemoryTools
    ) -> None:
        memory.write(PATH, DECISION)
        tools.memory_edit(PATH, "Body.", "Another body.")
        assert found(memory) == []

    def test_a_deleted_record(self, memory: Memory, tools: MemoryTools) -> None:
        tools.memory_write(PATH, DECISION)
        (memory.root / PATH).unlink()
        assert found(memory) == [(PATH, "gone")]

    def test_a_moved_record(self, memory: Memory, tools: MemoryTools) -> None:
        tools.memory_write(PATH, DECISION)
        (memory.root / PATH).rename(memory.root / "memory/decisions/b.md")
        assert found(memory) == [(PATH, "gone"), ("memory/decisions/b.md", "unlogged")]

    def test_a_record_that_cannot_be_read(self, memory: Memory) -> None:
        (memory.root / "memory/decisions").mkdir()
        (memory.root / PATH).symlink_to("nowhere")
        assert found(memory) == [(PATH, "unreadable")]

    def test_files_that_are_no_records_do_not_count(self, memory: Memory) -> None:
        memory.write("memory/README.md", "Read me.\n")
        memory.write("memory/_staging/a.md", "Staged.\n")
        memory.write("knowledge/a.txt", "Text.\n")
        assert found(memory) == []


def line(stage: str, before: str | None, after: str | None, **more: str) -> AuditLine:
    base = AuditLine("done", "1", "t", "agent", None, None, "memory_write", PATH, before, after)
    return replace(base, stage=stage, **more)  # type: ignore[arg-type]


class TestTheLog:
    @pytest.mark.parametrize("there", [None, OLD, NEW, OTHER])
    def test_an_intent_without_an_end_may_have_been_carried_out_or_not(
        self, there: str | None
    ) -> None:
        lines = [line("done", None, OLD), line("intent", OLD, NEW)]
        expected = {OLD: [], NEW: [], OTHER: [Unexplained(PATH, "changed")]}
        hashes = {PATH: there} if there else {}
        if there is None:
            assert find_unexplained(hashes, lines) == (Unexplained(PATH, "gone"),)
        else:
            assert list(find_unexplained(hashes, lines)) == expected[there]

    def test_an_intent_to_delete(self) -> None:
        lines = [line("done", None, OLD), line("intent", OLD, None)]
        assert find_unexplained({}, lines) == ()
        assert find_unexplained({PATH: OLD}, lines) == ()

    def test_a_change_that_was_undone_explains_nothing(self) -> None:
        lines = [line("done", None, OLD), line("intent", OLD, NEW), line("undone", OLD, NEW)]
        assert find_unexplained({PATH: OLD}, lines) == ()
        assert find_unexplained({PATH: NEW}, lines) == (Unexplained(PATH, "changed"),)

    def test_a_new_record_that_was_undone(self) -> None:
        lines = [line("intent", None, NEW), line("undone", None, NEW)]
        assert find_unexplained({}, lines) == ()
        assert find_unexplained({PATH: NEW}, lines) == (Unexplained(PATH, "unlogged"),)

    def test_an_unfinished_move_may_be_at_either_end(self) -> None:
        target = "memory/decisions/b.md"
        lines = [line("done", None, OLD), line("intent", OLD, OLD, moved_to=target)]
        assert find_unexplained({PATH: OLD}, lines) == ()
        assert find_unexplained({target: OLD}, lines) == ()
        assert find_unexplained({target: NEW}, lines) == (Unexplained(target, "changed"),)

    def test_torn_and_foreign_lines_are_passed_over(
        self, memory: Memory, tools: MemoryTools
    ) -> None:
        tools.memory_write(PATH, DECISION)
        log = memory.root / AUDIT_PATH
        whole = log.read_bytes()
        odd = [
            b'{"x": 1}',
            b"nonsense",
            b"[" * 100_000,
            b"\xff",
            whole.replace(b'"' + PATH.encode() + b'"', b"[]"),
        ]
        log.write_bytes(b"\n".join(odd) + whole + b'{"stage": "do')
        assert found(memory) == []

    def test_a_log_that_names_a_place_outside_reads_nothing_there(self, memory: Memory) -> None:
        outside = memory.workspace / "secret.md"
        outside.write_text("secret")
        AuditLog(memory.root).append(replace(line("done", None, NEW), path="../secret.md"))
        assert found(memory) == []


class TestTheCommand:
    def test_a_memory_that_the_tools_wrote(self, tools: MemoryTools, capsys: Output) -> None:
        tools.memory_write(PATH, DECISION)
        assert main(["check", "--audit"]) == 0
        assert capsys.readouterr().out == "the audit log explains every record\n"

    def test_what_is_not_explained_is_named(
        self, memory: Memory, tools: MemoryTools, capsys: Output
    ) -> None:
        for slug in "abc":
            tools.memory_write(f"memory/decisions/{slug}.md", DECISION)
        memory.write(PATH, DECISION)
        (memory.root / "memory/decisions/b.md").unlink()
        memory.write("knowledge/k.md", KNOWLEDGE)
        assert main(["check", "--audit"]) == 1
        assert capsys.readouterr().out.splitlines() == [
            ".yoi/knowledge/k.md: the tools did not write it",
            ".yoi/memory/decisions/a.md: its bytes are not those that the tools left",
            ".yoi/memory/decisions/b.md: it is not there any more, and the tools did not delete it",
            "the audit log does not explain 3 records",
        ]

    def test_json(self, memory: Memory, capsys: Output) -> None:
        memory.write(PATH, DECISION)
        assert main(["check", "--audit", "--output-format", "json"]) == 1
        assert json.loads(capsys.readouterr().out) == {
            "version": 1,
            "root": ".yoi",
            "paths": "root",
            "unexplained": [PATH],
        }

    def test_nothing_to_name_in_json(self, capsys: Output) -> None:
        assert main(["check", "--audit", "--output-format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["unexplained"] == []

    def test_only_the_paths_that_are_given(self, memory: Memory, capsys: Output) -> None:
        memory.write(PATH, DECISION)
        memory.write("knowledge/k.md", KNOWLEDGE)
        assert main(["check", "--audit", ".yoi/knowledge"]) == 1
        out = capsys.readouterr().out
        assert "knowledge/k.md" in out
        assert PATH not in out

    def test_two_memories(self, tmp_path: Path, capsys: Output) -> None:
        for name in ("one", "two"):
            place = tmp_path / name / ".yoi" / PATH
            place.parent.mkdir(parents=True)
            place.write_text(DECISION)
        assert main(["check", "--audit", "--output-format", "json", "one", "two"]) == 1
        content = json.loads(capsys.readouterr().out)
        assert content["unexplained"] == [f"one/.yoi/{PATH}", f"two/.yoi/{PATH}"]
        assert content["root"] == "."

    def test_a_broken_record_is_not_judged(self, tools: MemoryTools, capsys: Output) -> None:
        tools.memory_write(PATH, DECISION)
        Path("yoimem.toml").write_text("rules.body-too-long.decision = 1\n")
        assert main(["check"]) == 1
        capsys.readouterr()
        assert main(["check", "--audit"]) == 0

    @pytest.mark.parametrize(
        "options",
        [
            ["--fix"],
            ["--diff"],
            ["--select", "FM"],
            ["--ignore", "FM"],
            ["-", "--stdin-filename", ".yoi/memory/summary.md"],
            ["--output-format", "sarif"],
        ],
        ids=" ".join,
    )
    def test_options_that_would_mean_nothing_are_refused(
        self, options: list[str], capsys: Output
    ) -> None:
        assert main(["check", "--audit", *options]) == 2
        assert "--audit" in capsys.readouterr().err

    def test_a_log_behind_a_link_is_not_followed(self, memory: Memory, capsys: Output) -> None:
        memory.write(PATH, DECISION)
        elsewhere = memory.workspace / "elsewhere"
        elsewhere.mkdir()
        log = f'{{"stage": "done", "path": "{PATH}", "after": "{sha256(DECISION.encode())}"}}\n'
        (elsewhere / "audit.jsonl").write_text(log)
        (memory.root / "memory/_logs").symlink_to(elsewhere, target_is_directory=True)
        assert main(["check", "--audit"]) == 2
        assert "link" in capsys.readouterr().err
