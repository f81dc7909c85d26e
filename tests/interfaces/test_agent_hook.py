"""The hooks of Claude Code, driven as it drives them: a process, JSON on standard input."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DECISION, KNOWLEDGE, Memory
from yoimem.interfaces.agent_hook import (
    AFTER,
    BEFORE,
    COMPACT,
    PROMPT,
    START,
    STOP,
    WRITE_TOOLS,
    answer,
)
from yoimem.interfaces.cli.main import main
from yoimem.lint.trust import trust_file
from yoimem.tools import MemoryTools

COMMAND = [sys.executable, "-m", "yoimem", "agent-hook", "claude-code"]
BAD = DECISION.replace("open", "done")
Done = subprocess.CompletedProcess[str]


def run(data: str | bytes, cwd: Path, *options: str, **environ: str) -> Done:
    kept = {k: v for k, v in os.environ.items() if k not in {"YOIMEM_ROOT", "CLAUDE_PROJECT_DIR"}}
    done = subprocess.run(
        [*COMMAND, *options],
        cwd=cwd,
        env={**kept, **environ},
        input=data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"),
        capture_output=True,
        timeout=60,
        check=False,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def call(cwd: Path, event: str, tool: str, arguments: object) -> str:
    given = {
        "session_id": "s1",
        "transcript_path": "/nowhere/s1.jsonl",
        "cwd": str(cwd),
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": arguments,
        "tool_response": {"success": True},
    }
    return json.dumps(given)


def hook(
    cwd: Path, event: str, tool: str, arguments: object, *options: str, **environ: str
) -> Done:
    return run(call(cwd, event, tool, arguments), cwd, *options, **environ)


def before(cwd: Path, tool: str, path: object, *options: str, **environ: str) -> Done:
    arguments = {WRITE_TOOLS[tool]: str(path), "content": "text"}
    return hook(cwd, "PreToolUse", tool, arguments, *options, **environ)


def after(cwd: Path, tool: str = "Bash", **environ: str) -> Done:
    return hook(cwd, "PostToolUse", tool, {"command": "true"}, **environ)


def reason_of_denial(done: Done) -> str:
    assert (done.returncode, done.stderr) == (0, "")
    content: dict[str, Any] = json.loads(done.stdout)
    assert list(content) == ["hookSpecificOutput"]
    decision = content["hookSpecificOutput"]
    assert decision.keys() == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    assert decision["hookEventName"] == "PreToolUse"
    assert decision["permissionDecision"] == "deny"
    return str(decision["permissionDecisionReason"])


def ask(data: str | bytes) -> Done:
    """Ask without a process, for the long lists."""
    raw = data if isinstance(data, bytes) else data.encode()
    answered = answer(raw, environ={})
    return subprocess.CompletedProcess([], answered.exit_code, answered.output, answered.note)


def is_denied(cwd: Path, path: object) -> bool:
    done = ask(call(cwd, "PreToolUse", "Write", {"file_path": str(path), "content": "text"}))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout != ""


def shell(memory: Memory, redirection: str = "", path: str = ".yoi/memory/a") -> Done:
    """Run the hook from a shell, with streams that are closed."""
    given = call(memory.workspace, "PreToolUse", "Write", {"file_path": path})
    return subprocess.run(
        ["sh", "-c", f"{shlex.join(COMMAND)} {redirection}"], input=given, cwd=memory.workspace,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def assert_silent(done: Done) -> None:
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def assert_blocks(done: Done, words: str) -> None:
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


class TestBeforeAWrite:
    @pytest.mark.parametrize("tool", WRITE_TOOLS)
    def test_the_memory_is_left_to_its_tools(self, memory: Memory, tool: str) -> None:
        path = memory.root / "memory/decisions/use-sqlite.md"
        reason = reason_of_denial(before(memory.workspace, tool, path))
        assert "memory_write, memory_edit" in reason
        assert "memory/decisions/use-sqlite.md" in reason.replace(str(path), "")
        assert "the MCP server `yoimem`" in reason

    @pytest.mark.parametrize(
        "path",
        [
            ".yoi/knowledge/a.md",
            ".yoi/workflow/release.md",
            ".yoi/memory/_logs/audit.jsonl",
            "src/../.yoi/memory/summary.md",
            "./.yoi/memory/summary.md",
            "yoimem.toml",
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".mcp.json",
            "../.claude/settings.json",
            "../../.claude/settings.local.json",
            "../.mcp.json",
            "~/.claude/settings.json",
            "~/.claude.json",
            trust_file(),
        ],
        ids=str,
    )
    def test_denied_from_the_working_folder(self, memory: Memory, path: str | Path) -> None:
        assert is_denied(memory.workspace, path)
        assert is_denied(memory.workspace, memory.workspace / Path(path).expanduser())

    def test_the_file_with_the_configuration_is_denied(self, memory: Memory) -> None:
        shared = memory.workspace / "pyproject.toml"
        shared.write_text("[tool.other]\n")
        assert_silent(before(memory.workspace, "Edit", shared))
        shared.write_text("[tool.yoimem]\n")
        assert "ask a person" in reason_of_denial(before(memory.workspace, "Edit", shared))

    @pytest.mark.parametrize("path", ["src/memory/pool.c", "memory2/a.md", ".yoi-old/memory/a.md"])
    def test_other_files_are_none_of_its_business(self, memory: Memory, path: str) -> None:
        assert not is_denied(memory.workspace, path)
        assert not is_denied(memory.workspace, memory.workspace / path)

    @pytest.mark.parametrize("tool", ["Read", "mcp__yoimem__memory_write"])
    def test_other_tools_go_on(self, memory: Memory, tool: str) -> None:
        arguments = {"file_path": str(memory.root / "memory/summary.md")}
        assert_silent(hook(memory.workspace, "PreToolUse", tool, arguments))

    def test_an_agent_that_went_elsewhere_is_denied_too(
        self, memory: Memory, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        path = memory.root / "memory/summary.md"
        assert reason_of_denial(before(elsewhere, "Write", path))
        assert_silent(before(elsewhere, "Write", elsewhere / "memory/summary.md"))

    def test_the_way_there_may_be_a_link(
        self, memory: Memory, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        (elsewhere / "notes").symlink_to(memory.root / "memory", target_is_directory=True)
        assert reason_of_denial(before(elsewhere, "Write", elsewhere / "notes/new.md"))

    def test_the_project_counts_wherever_the_agent_is(
        self, memory: Memory, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        hard = elsewhere / "copy.md"
        hard.hardlink_to(memory.write("memory/decisions/a.md", DECISION))
        assert_silent(before(elsewhere, "Edit", hard))
        project = {"CLAUDE_PROJECT_DIR": str(memory.workspace)}
        assert reason_of_denial(before(elsewhere, "Edit", hard, **project))

    def test_the_settings_of_a_project_elsewhere_are_denied(
        self, memory: Memory, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        project = tmp_path_factory.mktemp("project")
        environ = {"CLAUDE_PROJECT_DIR": str(project), "YOIMEM_ROOT": str(memory.root)}
        for name in (".claude/settings.json", ".claude/settings.local.json", ".mcp.json"):
            done = before(project, "Write", project / name, **environ)
            assert "decides what guards the memory" in reason_of_denial(done)
        assert_silent(before(project, "Write", project / ".claude/commands/x.md", **environ))

    def test_while_the_configuration_fails_the_root_is_denied(self, memory: Memory) -> None:
        assert not is_denied(memory.workspace, ".yoi/incidents/a.md")
        (memory.workspace / "yoimem.toml").write_text("selct = []\n")
        assert is_denied(memory.workspace, ".yoi/incidents/a.md")
        assert is_denied(memory.workspace, ".yoi/memory/a.md")
        assert not is_denied(memory.workspace, "src/app.py")

    def test_without_a_memory_there_is_nothing_to_protect(self, tmp_path: Path) -> None:
        assert_silent(before(tmp_path, "Write", tmp_path / "memory/summary.md"))

    def test_an_older_root_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "memory").mkdir()
        path = tmp_path / "memory/summary.md"
        assert_silent(before(tmp_path, "Write", path))
        newer = before(tmp_path, "Write", tmp_path / ".yoi/x.txt", "--root", str(tmp_path))
        assert "would hide the memory" in reason_of_denial(newer)
        assert reason_of_denial(before(tmp_path, "Write", path, "--root", str(tmp_path)))
        assert reason_of_denial(before(tmp_path, "Write", path, YOIMEM_ROOT=str(tmp_path)))

    def test_every_path_of_a_call_counts(self, memory: Memory) -> None:
        arguments = {"file_path": "a.md", "notebook_path": str(memory.root / "memory/summary.md")}
        assert reason_of_denial(hook(memory.workspace, "PreToolUse", "Write", arguments))


class TestAWriteThatCannotBeJudged:
    @pytest.mark.parametrize(
        "arguments",
        [{}, {"file_path": None}, {"file_path": ["a"]}, {"notebook_path": "a"}, [], "a", None],
        ids=str,
    )
    def test_wrong_arguments(self, memory: Memory, arguments: object) -> None:
        done = ask(call(memory.workspace, "PreToolUse", "Write", arguments))
        assert_blocks(done, "the write is refused, since it could not be judged")

    @pytest.mark.parametrize("key", ["cwd", "hook_event_name"])
    def test_wrong_members(self, memory: Memory, key: str) -> None:
        given = {
            "hook_event_name": "PreToolUse",
            "cwd": str(memory.workspace),
            "tool_name": "Edit",
            "tool_input": {"file_path": "a"},
        }
        assert_silent(ask(json.dumps(given)))
        assert_blocks(ask(json.dumps({**given, key: 7})), f"`{key}`")

    @pytest.mark.parametrize(
        "text",
        [
            '{"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_p',
            '{"tool_name": "NotebookEdit"',
            '["Write"]',
            '{"hook_event_name": "PreToolUse", "tool_name": ["Write"]}',
            '{"tool_name": "Write"} and more',
            '{"tool_name": "Write", "tool_input": ' + "[" * 200_000,
            '{"hook_event_name": "PreToolUse", "tool_n',
            '{"tool_input": {"hook_event_name": "PostToolUse"},, "hook_event_name": "PreToolUse"}',
            '{"tool_name": "Edit", "tool_input": {"hook_event_name": "PostToolUse", ',
            '{"hook_event_name": "PostToolUse"},,{"hook_event_name": "PreToolUse"}',
        ],
        ids=lambda text: text[:60],
    )
    def test_broken_json_that_names_a_write_tool(self, text: str) -> None:
        assert_blocks(ask(text), "could not be judged")

    def test_the_process_says_so_and_exits_with_2(self, memory: Memory) -> None:
        assert_blocks(run('{"tool_name": "Write", ', memory.workspace), "could not be judged")
        done = hook(memory.workspace, "PreToolUse", "Edit", {})
        assert_blocks(done, "yoimem: the write is refused, since it could not be judged")

    def test_a_standard_input_that_is_closed(self, memory: Memory) -> None:
        done = shell(memory, "<&-")
        assert_blocks(done, "standard input cannot be read")

    def test_a_denial_that_cannot_be_written(self, memory: Memory) -> None:
        assert "belongs to the memory" in reason_of_denial(shell(memory))
        assert_blocks(shell(memory, ">&-"), "belongs to the memory")
        assert shell(memory, ">&- 2>&-").returncode == 2
        if Path("/dev/full").exists():
            assert_blocks(shell(memory, ">/dev/full"), "belongs to the memory")

    def test_a_denial_that_nobody_reads(self, memory: Memory) -> None:
        given = call(memory.workspace, "PreToolUse", "Write", {"file_path": ".yoi/memory/a"})
        reads, writes = os.pipe()
        os.close(reads)
        done = subprocess.run(
            COMMAND, cwd=memory.workspace, input=given.encode(), stdout=writes,
            stderr=subprocess.PIPE, timeout=60, check=False,
        )  # fmt: skip
        os.close(writes)
        assert done.returncode == 2
        assert done.stderr.decode().startswith("yoimem: '")
        assert b"belongs to the memory" in done.stderr

    def test_what_is_allowed_needs_no_output(self, memory: Memory) -> None:
        assert_silent(shell(memory, ">&-", path="src/app.py"))

    def test_bytes_that_are_no_text(self, memory: Memory) -> None:
        raw = b'{"hook_event_name": "PreToolUse", "tool_name": "Write", "x": "\xff"}'
        assert_blocks(run(raw, memory.workspace), "UnicodeDecodeError")

    def test_an_error_within_blocks_a_write_and_nothing_else(self, memory: Memory) -> None:
        arguments = {"file_path": str(memory.workspace / "a")}
        write = call(memory.workspace, "PreToolUse", "Write", arguments).encode()
        written = call(memory.workspace, "PostToolUse", "Write", arguments).encode()

        class Broken(dict[str, str]):
            def get(self, *_: object) -> str:
                raise SystemExit("a fault of our own")

        assert answer(write, environ={}).exit_code == 0
        blocked = answer(write, environ=Broken())
        assert (blocked.exit_code, blocked.output) == (2, "")
        assert "a fault of our own" in blocked.note
        told = answer(written, environ=Broken())
        assert (told.exit_code, told.output) == (0, "")
        assert "a fault of our own" in told.note

    def test_a_memory_that_is_named_and_not_there(self, tmp_path: Path) -> None:
        done = before(tmp_path, "Write", tmp_path / "a", "--root", str(tmp_path / "gone"))
        assert_blocks(done, "gone")


class TestWhatNeverBlocks:
    @pytest.mark.parametrize("text", ["", "{", "null", "[]", "7", '{"tool_name": "Bash"'])
    def test_input_that_names_no_write_tool(self, text: str) -> None:
        done = ask(text)
        assert (done.returncode, done.stdout) == (0, "")
        assert "could not do its work" in done.stderr

    @pytest.mark.parametrize(
        "event", ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SomethingNew"]
    )
    def test_events_that_are_not_handled(self, event: str) -> None:
        assert_silent(ask(json.dumps({"hook_event_name": event})))

    @pytest.mark.parametrize(
        "text",
        [
            '{"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_inp',
            '{"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": 7}',
            '{"hook_event_name": "Stop", "cwd": 7, "tool_name": "Write"}',
        ],
    )
    def test_wrong_input_of_other_events(self, text: str) -> None:
        done = ask(text)
        assert (done.returncode, done.stdout) == (0, "")
        assert "could not do its work" in done.stderr

    def test_the_process_exits_with_0(self, memory: Memory) -> None:
        assert_silent(run('{"hook_event_name": "SessionStart"}', memory.workspace))
        done = run("", memory.workspace)
        assert (done.returncode, done.stdout) == (0, "")
        assert "yoimem: the hook could not do its work" in done.stderr

    def test_a_configuration_that_cannot_be_used(self, memory: Memory) -> None:
        memory.write("memory/decisions/a.md", BAD)
        (memory.workspace / "yoimem.toml").write_text("selct = []\n")
        done = after(memory.workspace)
        assert (done.returncode, done.stdout) == (0, "")
        assert "selct" in done.stderr


class TestAfterATool:
    def test_what_a_shell_wrote_goes_back_to_the_model(self, memory: Memory) -> None:
        memory.write("memory/decisions/a.md", BAD)
        memory.write("knowledge/b.md", KNOWLEDGE.replace("kind: guide\n", ""))
        done = after(memory.workspace)
        assert (done.returncode, done.stderr) == (0, "")
        content = json.loads(done.stdout)
        assert content["decision"] == "block"
        lines = content["reason"].splitlines()
        assert lines[0].startswith("records of the memory were changed past the memory tools")
        assert lines[1].startswith("- knowledge/b.md:8:1: FM101 missing-field: ")
        assert lines[2].startswith("- memory/decisions/a.md:4:9: FM106 invalid-status: ")
        assert "to mend it:" in lines[2]
        assert "memory_edit or memory_write of the MCP server `yoimem`" in lines[3]

    def test_nothing_is_said_of_records_that_are_right(self, memory: Memory) -> None:
        memory.write("memory/decisions/a.md", DECISION)
        assert_silent(after(memory.workspace))

    def test_nothing_is_said_of_what_the_tools_wrote(self, memory: Memory) -> None:
        tools = MemoryTools(memory.root)
        tools.memory_write("memory/decisions/a.md", DECISION)
        (memory.workspace / "yoimem.toml").write_text("rules.body-too-long.decision = 1\n")
        assert memory.lint().errors
        assert_silent(after(memory.workspace))

    def test_a_record_that_the_shell_took_away_is_missed(self, memory: Memory) -> None:
        tools = MemoryTools(memory.root)
        tools.memory_write("knowledge/b.md", KNOWLEDGE)
        tools.memory_write("memory/decisions/a.md", DECISION + "See #b.\n")
        assert_silent(after(memory.workspace))
        (memory.root / "knowledge/b.md").unlink()
        reason = json.loads(after(memory.workspace).stdout)["reason"]
        assert "memory/decisions/a.md" in reason
        assert "RF006" in reason

    def test_a_long_list_is_cut_and_says_so(self, memory: Memory) -> None:
        for number in range(25):
            memory.write(f"memory/decisions/d{number}.md", BAD)
        reason = json.loads(after(memory.workspace).stdout)["reason"]
        assert reason.count("FM106") == 20
        assert "and 5 more" in reason

    def test_the_project_is_looked_at_from_elsewhere(
        self, memory: Memory, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        memory.write("memory/decisions/a.md", BAD)
        elsewhere = tmp_path_factory.mktemp("elsewhere")
        assert_silent(after(elsewhere))
        assert after(elsewhere, CLAUDE_PROJECT_DIR=str(memory.workspace)).stdout

    def test_a_plugin_that_prints_does_not_spoil_the_answer(
        self, memory: Memory, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        site = tmp_path_factory.mktemp("site")
        (site / "noisy.py").write_text("print('hello from a plugin')\n")
        info = site / "noisy-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[yoimem]\nnoisy = noisy\n")
        memory.write("memory/decisions/a.md", BAD)
        done = after(memory.workspace, PYTHONPATH=str(site))
        assert json.loads(done.stdout)["decision"] == "block"
        assert "hello from a plugin" in done.stderr


def test_the_help_names_every_event(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agent-hook", "--help"]) == 0
    told = capsys.readouterr().out
    for event in (BEFORE, AFTER, START, PROMPT, STOP, COMPACT):
        assert event in told


def test_an_unknown_host_is_refused(memory: Memory) -> None:
    done = subprocess.run(
        [*COMMAND[:-1], "other"], cwd=memory.workspace, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert b"claude-code" in done.stderr
