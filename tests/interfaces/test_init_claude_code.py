"""`yoimem init --claude-code`: what Claude Code is told, and what of its files stays as it is."""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from yoimem.interfaces.claude_code import SERVERS_FILE, SETTINGS_FILE
from yoimem.interfaces.cli.main import main

REPOSITORY = Path(__file__).parent.parent.parent
GUIDE = (REPOSITORY / "docs" / "claude-code.md").read_text("utf-8")
Output = pytest.CaptureFixture[str]
BOTH = (SETTINGS_FILE, SERVERS_FILE)
COMMAND = f"{shlex.quote(Path(sys.executable).as_posix())} -P -m yoimem agent-hook claude-code"
DENIED = ["Edit(/.yoi/memory/**)", "Edit(/.yoi/knowledge/**)", "Edit(/.yoi/workflow/**)"]

FULL = {
    "model": "opus",
    "permissions": {"allow": ["Bash(ls *)"], "deny": ["Read(.env)"], "defaultMode": "plan"},
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}
        ],
    },
    "größe": "日本 \u2028",
}


@pytest.fixture(autouse=True)
def _in_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)


def init(*arguments: str) -> int:
    return main(["init", "--claude-code", *arguments])


def settings(workspace: Path = Path()) -> Any:
    return json.loads((workspace / SETTINGS_FILE).read_text("utf-8"))


def servers(workspace: Path = Path()) -> Any:
    return json.loads((workspace / SERVERS_FILE).read_text("utf-8"))


def write_settings(text: str) -> Path:
    path = Path(SETTINGS_FILE)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def commands(event: str) -> list[str]:
    return [hook["command"] for group in settings()["hooks"][event] for hook in group["hooks"]]


class TestANewWorkspace:
    def test_gets_a_memory_hooks_permissions_and_a_server(
        self, tmp_path: Path, capsys: Output
    ) -> None:
        assert init() == 0
        assert settings() == {
            "hooks": {
                "PreToolUse": [
                    {
                        "matcher": "Write|Edit|MultiEdit|NotebookEdit",
                        "hooks": [{"type": "command", "command": COMMAND}],
                    }
                ],
                "PostToolUse": [
                    {
                        "matcher": "Bash|PowerShell|Read|Write|Edit|MultiEdit|NotebookEdit",
                        "hooks": [{"type": "command", "command": COMMAND}],
                    }
                ],
                "SessionStart": [{"hooks": [{"type": "command", "command": COMMAND}]}],
                "UserPromptSubmit": [{"hooks": [{"type": "command", "command": COMMAND}]}],
                "Stop": [{"hooks": [{"type": "command", "command": COMMAND}]}],
                "PreCompact": [
                    {"hooks": [{"type": "command", "command": COMMAND, "timeout": 300}]}
                ],
            },
            "permissions": {"deny": DENIED},
        }
        arguments = ["-P", "-m", "yoimem", "mcp", "--root", str(tmp_path / ".yoi")]
        server = {"type": "stdio", "command": sys.executable, "args": arguments}
        assert servers() == {"mcpServers": {"yoimem": server}}
        assert "made .yoi/memory/summary.md" in capsys.readouterr().out
        assert main(["check"]) == 0

    def test_in_a_folder_that_is_named(self, tmp_path: Path) -> None:
        assert init("sub") == 0
        assert (tmp_path / "sub/.yoi/memory/summary.md").exists()
        assert settings(tmp_path / "sub")["permissions"]["deny"] == DENIED

    def test_without_the_option_the_host_is_told_nothing(self, tmp_path: Path) -> None:
        assert main(["init"]) == 0
        assert [path.name for path in tmp_path.iterdir()] == [".yoi"]


def test_a_memory_that_is_there_is_used(tmp_path: Path) -> None:
    (tmp_path / ".yoi/memory").mkdir(parents=True)
    assert init() == 0
    assert list((tmp_path / ".yoi").rglob("*.md")) == []
    assert settings()["permissions"]["deny"] == DENIED


def test_a_memory_of_the_older_layout_is_named_to_hook_and_server(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    assert init() == 0
    assert not (tmp_path / ".yoi").exists()
    assert commands("PreToolUse") == [f"{COMMAND} --root {shlex.quote(tmp_path.as_posix())}"]
    assert settings()["permissions"]["deny"][0] == "Edit(/memory/**)"
    assert servers()["mcpServers"]["yoimem"]["args"][-1] == str(tmp_path)
    before = [Path(path).read_bytes() for path in BOTH]
    assert init() == 0
    assert [Path(path).read_bytes() for path in BOTH] == before


def test_a_root_behind_a_link_is_denied_by_its_full_path(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (tmp_path / ".yoi").symlink_to(elsewhere, target_is_directory=True)
    assert init() == 0
    denied = settings()["permissions"]["deny"]
    assert denied[0] == f"Edit(/{elsewhere.resolve().as_posix()}/memory/**)"


class TestWhatIsThere:
    def test_stays_in_its_order(self) -> None:
        write_settings(json.dumps(FULL, ensure_ascii=False, indent=2) + "\n")
        assert init() == 0
        content = settings()
        assert list(content) == ["model", "permissions", "hooks", "größe"]
        assert list(content["permissions"]) == ["allow", "deny", "defaultMode"]
        assert content["permissions"]["deny"] == ["Read(.env)", *DENIED]
        assert list(content["hooks"]) == [
            *("Stop", "PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit"),
            "PreCompact",
        ]
        assert commands("Stop")[-1] == COMMAND
        assert commands("PreToolUse") == ["./guard.sh", COMMAND]
        assert content["größe"] == "日本 \u2028"

    def test_every_line_of_it_stays(self) -> None:
        text = json.dumps(FULL, ensure_ascii=False, indent=2) + "\n"
        path = write_settings(text)
        assert init() == 0
        after = path.read_text("utf-8").split("\n")
        for line in text.split("\n"):
            assert line in after or f"{line}," in after

    def test_other_servers_stay(self) -> None:
        other = {"command": "npx", "args": ["other"], "env": {"KEY": "value"}}
        Path(SERVERS_FILE).write_text(json.dumps({"mcpServers": {"other": other}, "x": 1}))
        assert init() == 0
        content = servers()
        assert list(content) == ["mcpServers", "x"]
        assert list(content["mcpServers"]) == ["other", "yoimem"]
        assert content["mcpServers"]["other"] == other

    @pytest.mark.parametrize(
        "before",
        [None, "{}", "", json.dumps(FULL), json.dumps(FULL, indent="\t"), '{"hooks": {}}\n\n'],
        ids=["no file", "empty object", "empty file", "one line", "tabs", "blank lines"],
    )
    def test_twice_gives_the_same_bytes(self, before: str | None, capsys: Output) -> None:
        if before is not None:
            write_settings(before)
        assert init() == 0
        first = [Path(path).read_bytes() for path in BOTH]
        capsys.readouterr()
        assert init() == 0
        assert [Path(path).read_bytes() for path in BOTH] == first
        assert capsys.readouterr().out.count("kept ") == 2

    def test_a_file_that_says_it_all_keeps_its_form(self) -> None:
        assert init() == 0
        path = write_settings(json.dumps(settings()))
        before = path.read_bytes()
        assert init() == 0
        assert path.read_bytes() == before

    @pytest.mark.parametrize("indent", ["  ", "    ", "\t", "   "])
    @pytest.mark.parametrize("end", ["", "\n"])
    @pytest.mark.parametrize("break_", ["\n", "\r\n"])
    def test_its_manner_is_kept(self, indent: str, end: str, break_: str) -> None:
        text = json.dumps({"model": "opus", "env": {"A": "1"}}, indent=indent)
        path = write_settings((text + end).replace("\n", break_))
        assert init() == 0
        after = path.read_bytes().decode()
        assert after.startswith(text[: text.index("}")].rstrip().replace("\n", break_))
        assert re.search(rf'{break_}{indent}"permissions": {{{break_}{indent * 2}"deny"', after)
        assert after.endswith("}" + end.replace("\n", break_))
        assert after.replace("\r\n", "").count("\n") == (
            0 if break_ == "\r\n" else after.count("\n")
        )

    def test_a_byte_order_mark_stays(self) -> None:
        path = write_settings("\ufeff{}\n")
        assert init() == 0
        assert path.read_bytes().startswith(b"\xef\xbb\xbf{\n")

    def test_escapes_stay_escapes(self) -> None:
        path = write_settings('{"env": {"A": "gr\\u00f6\\u00dfe \\ud800"}}\n')
        assert init() == 0
        assert r'"A": "gr\u00f6\u00dfe \ud800"' in path.read_text()

    def test_numbers_keep_their_spelling(self) -> None:
        spellings = ["1e5", "1.10", "-0", "0.1000", "1E400", "12345678901234567890.50", "7"]
        path = write_settings(f'{{"a": [{", ".join(spellings)}], "b": 1e5, "c": [], "d": {{}}}}')
        assert init() == 0
        after = path.read_text()
        assert re.findall(r"^    (-?\d\S*?),?$", after, re.MULTILINE) == spellings
        assert '"b": 1e5,\n  "c": [],\n  "d": {},' in after

    @pytest.mark.skipif(os.name == "nt", reason="modes mean nothing there")
    def test_its_mode_stays_and_a_link_stays_a_link(
        self, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        real = tmp_path_factory.mktemp("dotfiles") / "settings.json"
        real.write_text("{}")
        real.chmod(0o640)
        Path(".claude").mkdir()
        Path(SETTINGS_FILE).symlink_to(real)
        assert init() == 0
        assert Path(SETTINGS_FILE).is_symlink()
        assert stat.S_IMODE(real.stat().st_mode) == 0o640
        assert [path.name for path in real.parent.iterdir()] == ["settings.json"]
        assert "yoimem" in real.read_text()


class TestAnotherInstallation:
    def test_our_own_entries_are_brought_up_to_date(self) -> None:
        assert init() == 0
        for path in BOTH:
            text = Path(path).read_text()
            Path(path).write_text(text.replace(sys.executable, "/old/bin/python"))
        stale = servers()
        stale["mcpServers"]["yoimem"]["args"] += ["--session-id", "s1"]
        stale["mcpServers"]["yoimem"]["env"] = {"A": "1"}
        Path(SERVERS_FILE).write_text(json.dumps(stale))
        assert init() == 0
        assert commands("PreToolUse") == commands("PostToolUse") == [COMMAND]
        server = servers()["mcpServers"]["yoimem"]
        assert server["command"] == sys.executable
        assert server["args"][-2:] == ["--session-id", "s1"]
        assert server["env"] == {"A": "1"}

    def test_what_a_person_wrote_is_theirs(self) -> None:
        own = "uv run yoimem agent-hook claude-code"
        group = {"matcher": "*", "hooks": [{"type": "command", "command": own}]}
        write_settings(json.dumps({"hooks": {"PreToolUse": [group]}}))
        server = {"command": "uvx", "args": ["yoimem", "mcp"]}
        Path(SERVERS_FILE).write_text(json.dumps({"mcpServers": {"yoimem": server}}))
        assert init() == 0
        assert commands("PreToolUse") == [own]
        assert commands("PostToolUse") == [COMMAND]
        assert servers()["mcpServers"]["yoimem"] == server


class TestWhichHooksCount:
    @pytest.mark.parametrize("matcher", ["Bash", "Write", "Write|Edit", "(", 7, None, ["Write"]])
    @pytest.mark.parametrize("command", ["uv run yoimem agent-hook claude-code", COMMAND])
    def test_one_for_fewer_tools_does_not(self, matcher: object, command: str) -> None:
        group = {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}
        write_settings(json.dumps({"hooks": {"PreToolUse": [group]}}))
        assert init() == 0
        first = settings()
        assert first["hooks"]["PreToolUse"][0] == group
        assert first["hooks"]["PreToolUse"][1]["matcher"] == "Write|Edit|MultiEdit|NotebookEdit"
        assert init() == 0
        assert settings() == first

    @pytest.mark.parametrize(
        "group",
        [{}, {"matcher": ""}, {"matcher": "*"}, {"matcher": ".*"}, {"matcher": ".*Edit|Write"}],
        ids=str,
    )
    def test_one_for_all_of_them_does(self, group: dict[str, Any]) -> None:
        own = "uv run yoimem agent-hook claude-code"
        group = {**group, "hooks": [{"type": "command", "command": own}]}
        write_settings(json.dumps({"hooks": {"PreToolUse": [group]}}))
        assert init() == 0
        assert commands("PreToolUse") == [own]

    @pytest.mark.parametrize("name", [SETTINGS_FILE, ".claude/settings.local.json"])
    @pytest.mark.parametrize(("value", "told"), [("true", True), ("false", False)])
    def test_hooks_that_are_all_off_are_told_of(
        self, capsys: Output, name: str, value: str, told: bool
    ) -> None:
        Path(".claude").mkdir()
        Path(name).write_text(f'{{"disableAllHooks": {value}}}')
        assert init() == 0
        assert (f"`disableAllHooks` in {name} is true" in capsys.readouterr().out) is told
        assert json.loads(Path(name).read_text())["disableAllHooks"] is told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no plain JSON"),
        ('{"a": 1,}', "no plain JSON"),
        ('// a comment\n{"a": 1}', "no plain JSON"),
        ('{"a": 1, "a": 2}', "'a' is there twice"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ("[]", "no JSON object"),
        ('{"hooks": []}', "`hooks` in it is not an object"),
        ('{"hooks": {"PreToolUse": {}}}', "`hooks.PreToolUse` in it is not a list"),
        ('{"permissions": {"deny": "all"}}', "`permissions.deny` in it is not a list"),
        ('{"permissions": null}', "`permissions` in it is not an object"),
        ("[" * 100_000, "no plain JSON"),
        ('{"a": ' + "[" * 900 + "]" * 900 + "}", "recursion"),
    ],
    ids=lambda text: text[:40],
)
def test_a_file_that_cannot_be_added_to_is_left_and_nothing_is_written(
    tmp_path: Path, capsys: Output, text: str, words: str
) -> None:
    path = write_settings(text)
    assert init() == 2
    err = capsys.readouterr().err
    assert words in err
    assert str(path) in err
    assert path.read_text() == text
    assert sorted(p.name for p in tmp_path.iterdir()) == [".claude"]


def test_bytes_that_are_not_utf8_are_left(capsys: Output) -> None:
    Path(SERVERS_FILE).write_bytes(b'{"a": "\xff"}')
    assert init() == 2
    assert "not UTF-8" in capsys.readouterr().err
    assert not Path(SETTINGS_FILE).exists()


@pytest.mark.skipif(os.name == "nt", reason="the command is for a shell")
def test_the_commands_run_as_they_are_written(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    bin_ = tmp_path_factory.mktemp("a 'quoted' $HOME folder")
    python = bin_ / "python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    program = f"import sys; sys.executable = {str(python)!r}; from yoimem.interfaces.cli.main import main; main()"
    subprocess.run(
        [sys.executable, "-c", program, "init", "--claude-code"],
        cwd=tmp_path, check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    (command,) = commands("PreToolUse")
    assert shlex.split(command)[0] == str(python)
    given = {
        "hook_event_name": "PreToolUse",
        "cwd": str(tmp_path),
        "tool_name": "Write",
        "tool_input": {"file_path": str(tmp_path / ".yoi/memory/summary.md"), "content": ""},
    }
    done = subprocess.run(
        ["sh", "-c", command], input=json.dumps(given), cwd=tmp_path, capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    decision = json.loads(done.stdout)["hookSpecificOutput"]
    assert decision["permissionDecision"] == "deny"


class TestThePage:
    @pytest.mark.skipif(os.name == "nt", reason="the examples are for a shell")
    def test_its_commands_run(self, tmp_path: Path) -> None:
        (block,) = re.findall(r"^```sh\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
        scripts = Path(sys.executable).parent
        environ = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
        for command, expected in zip(block.splitlines(), (0, 1), strict=True):
            done = subprocess.run(
                ["sh", "-c", command.partition("#")[0]], cwd=tmp_path, env=environ,
                capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
            assert (done.returncode, done.stderr) == (expected, ""), command
        assert settings()["permissions"]["deny"] == DENIED

    def test_its_examples_are_what_is_written(self) -> None:
        assert init() == 0
        (deny, audit) = (
            json.loads(block)
            for block in re.findall(r"^```json\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
        )
        assert deny["permissions"] == settings()["permissions"]
        assert audit.keys() == {"version", "root", "paths", "unexplained"}

    def test_it_says_what_hooks_cannot_do(self) -> None:
        assert "detect what a shell wrote and do not prevent it" in " ".join(GUIDE.split())

    def test_its_links_lead_somewhere(self) -> None:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", GUIDE):
            assert (REPOSITORY / "docs" / target).exists(), target
