"""The built-in readers, on made-up logs in the shapes of their hosts."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sessions.transcripts import (
    CLAUDE,
    CLAUDE_ID,
    CODEX_ID,
    IMAGE,
    LOGS,
    READERS,
    claude,
    codex,
    item,
    jsonl,
    message,
    returned,
    said,
    text,
    tokens,
    write_log,
)
from yoimem.lint.host import load_plugins
from yoimem.sessions.log import SessionLog, open_log
from yoimem.sessions.transcript import LONGEST_SUMMARY, tool_summary

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)


def log_of(tmp_path: Path, *values: object, name: str | None = None) -> SessionLog:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(jsonl(*values).encode())
    return open_log(path, READERS, reader_name=name)


def told(log: SessionLog) -> list[tuple[int, str, str]]:
    return [(entry.index, entry.role, entry.text) for entry in log.entries]


def test_they_come_in_through_the_entry_point() -> None:
    assert list(load_plugins().session_readers) == ["yoimem", "claude-code", "codex"]


@pytest.mark.parametrize(
    ("name", "session_id"), [("yoimem", "s1"), ("claude-code", CLAUDE_ID), ("codex", CODEX_ID)]
)
def test_each_recognises_its_own(name: str, session_id: str, tmp_path: Path) -> None:
    log = open_log(write_log(tmp_path, name), READERS)
    assert (log.reader.name, log.session_id) == (name, session_id)
    lines = log.lines
    assert [r.name for r in READERS.values() if r.recognises(lines)] == [name]


def test_an_own_log(tmp_path: Path) -> None:
    log = open_log(write_log(tmp_path, "yoimem"), READERS)
    assert told(log) == [
        (0, "user", "Use SQLite?"),
        (1, "tool", "shell: ok\norders.db"),
        (3, "assistant", "Yes: one process writes."),
    ]
    assert log.tokens_since(0) == log.tokens_since(3) == 9
    assert log.tokens_since(4) == 0


def test_a_transcript_of_claude_code(tmp_path: Path) -> None:
    log = open_log(write_log(tmp_path, "claude-code"), READERS)
    assert told(log) == [
        (2, "user", "SQLite を使う？"),
        (5, "assistant", "I look at the folder."),
        (7, "tool", "Bash(command=ls -l): ok\ntotal 1\n-rw-r--r-- orders.db"),
        (9, "user", "Hurry."),
        (12, "tool", "Read(file_path=/a.png): error\n[image]\nFile does not exist."),
        (15, "user", "And this?\n[image]"),
        (16, "assistant", "Yes: SQLite."),
    ]


def test_claude_code_repeats_the_usage_of_a_message_and_it_counts_once(tmp_path: Path) -> None:
    log = open_log(write_log(tmp_path, "claude-code"), READERS)
    assert log.tokens_since(0) == 1_203 + 100 + 5
    assert log.tokens_since(5) == 100 + 5


def test_a_transcript_that_was_resumed_bears_the_last_id(tmp_path: Path) -> None:
    old = [claude("user", {"role": "user", "content": "Begin."}, sessionId="older-one")]
    assert log_of(tmp_path, *old, *CLAUDE).session_id == CLAUDE_ID
    assert log_of(tmp_path, *old, {"type": "summary", "summary": "x"}).session_id == "older-one"


def test_a_rollout_of_codex(tmp_path: Path) -> None:
    log = open_log(write_log(tmp_path, "codex"), READERS)
    assert told(log) == [
        (2, "user", "Use SQLite?"),
        (11, "tool", "exec_command(cmd=ls): error\nls: no"),
        (13, "tool", f"apply_patch({' '.join(LOGS['codex'][12]['payload']['input'].split())}): ok\nSuccess."),  # type: ignore[index]
        (15, "tool", "shell(bash -lc w): ok\nup 2 days"),
        (16, "tool", "tool: ok\n[image]"),
        (17, "tool", "web_search(sqlite wal)"),
        (19, "assistant", "Yes: SQLite."),
    ]  # fmt: skip


def test_codex_repeats_a_count_and_reads_again_what_is_cached(tmp_path: Path) -> None:
    log = open_log(write_log(tmp_path, "codex"), READERS)
    assert log.tokens_since(0) == 1_000 + 200
    assert log.tokens_since(10) == 200


def test_a_rollout_that_goes_on_from_another_keeps_its_own_id(tmp_path: Path) -> None:
    head, other = codex("session_meta", id="mine"), codex("session_meta", id="the-parents")
    assert log_of(tmp_path, head, other, message("user", "Go on.")).session_id == "mine"


@pytest.mark.parametrize(
    "mark", [{"thread_source": "subagent"}, {"source": {"subagent": {"thread_spawn": {}}}}]
)
def test_the_rollout_of_a_sub_agent_has_no_entries(mark: dict[str, Any], tmp_path: Path) -> None:
    rest = LOGS["codex"][1:]
    log = log_of(tmp_path, codex("session_meta", id="child", **mark), *rest)
    assert (log.reader.name, log.session_id) == ("codex", "child")
    assert (log.entries, log.tokens_since(0)) == ((), 0)
    assert log_of(tmp_path, codex("session_meta", id="x", source="cli"), *rest).entries


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nfine", "tool: ok\nfine"),
        ("Exit code: 127\nWall time: 1 seconds\nOutput:\n", "tool: error"),
        ("A text that says\nExit code: 3\namid the rest", "tool: ok\nA text that says\nExit code: 3\namid the rest"),
        ({"content": "denied", "success": False}, "tool: error\ndenied"),
        ({"content": [{"type": "input_text", "text": "done"}], "success": True}, "tool: ok\ndone"),
        ('{"output":"x","metadata":{"exit_code":1}}', "tool: error\nx"),
        ('{"output', 'tool: ok\n{"output'),
        (None, "tool: ok"),
    ],
)  # fmt: skip
def test_the_ways_in_which_codex_tells_a_result(
    output: object, expected: str, tmp_path: Path
) -> None:
    result = item("function_call_output", call_id="x", output=output)
    assert told(log_of(tmp_path, result)) == [(0, "tool", expected)]


@pytest.mark.parametrize("odd", [None, True, -1, 1.5, "12", 10**40, [], {}])
def test_odd_counts_are_none(odd: object, tmp_path: Path) -> None:
    own = {"type": "message", "role": "user", "text": "x", "input_tokens": odd}
    event = said("m", text("x"), new=7, created=0)
    event["message"]["usage"]["input_tokens"] = odd
    count = tokens(10, 10, 0)
    count["payload"]["info"]["last_token_usage"]["input_tokens"] = odd
    for value in (own, event, count):
        assert log_of(tmp_path, value).tokens_since(0) == 0


def test_more_cached_than_read_is_nothing_new(tmp_path: Path) -> None:
    assert log_of(tmp_path, tokens(10, 10, 25)).tokens_since(0) == 0


def test_a_result_beside_a_text_of_the_host_is_a_tools(tmp_path: Path) -> None:
    both = returned("t", "x")
    both["message"]["content"].append(text("[Request interrupted by user]"))
    assert told(log_of(tmp_path, both)) == [
        (0, "tool", "tool: ok\nx\n[Request interrupted by user]")
    ]


@pytest.mark.parametrize(
    ("typed", "told_as"),
    [
        ("<system-reminder>Be brief.</system-reminder>", None),
        ("<local-command-stdout>Set model</local-command-stdout>", None),
        ("<command-name>/release</command-name>", "<command-name>/release</command-name>"),
        ("<div>is what I see</div>", "<div>is what I see</div>"),
        ("   \n", None),
    ],
)
def test_what_claude_code_puts_in_as_the_users_is_left_out(
    typed: str, told_as: str | None, tmp_path: Path
) -> None:
    event = claude("user", {"role": "user", "content": typed})
    assert told(log_of(tmp_path, event)) == ([(0, "user", told_as)] if told_as else [])


def test_surrogates_that_json_spells_end_nowhere(tmp_path: Path) -> None:
    log = log_of(tmp_path, r'{"type": "message", "role": "user", "text": "a \ud83d b"}')
    assert log.entries[0].text == "a ? b"


class TestToolSummary:
    def test_a_short_result_is_whole(self) -> None:
        summary = tool_summary("Bash", {"command": "git status\n", "timeout": 5}, "ok", "clean\n")
        assert summary == "Bash(command=git status, timeout=5): ok\nclean"

    def test_of_a_long_one_the_first_and_the_last_line_stay(self) -> None:
        output = "first line\n" + "between\n" * 99_999 + "last line\n"
        assert tool_summary("Bash", "", "error", output) == (
            "Bash: error\nfirst line\n…\nlast line"
        )

    def test_what_is_nested_in_arguments_is_left_out(self) -> None:
        given = {"edits": [{"old": "x"}], "paths": ["a", "b"], "all": True}
        assert tool_summary("Edit", given, "", "") == "Edit(edits=…, paths=a b, all=true)"

    @given(st.text(), json_values, st.text(), st.text() | st.text(min_size=500))
    def test_it_is_never_longer(
        self, name: str, arguments: object, status: str, output: str
    ) -> None:
        summary = tool_summary(name, arguments, status, output)
        assert 0 < len(summary) <= LONGEST_SUMMARY


def spoiled(value: object, odd: object) -> list[object]:
    """Return copies of `value`, each with one part that is `odd`."""
    if isinstance(value, dict):
        parts: list[tuple[object, object]] = list(value.items())
    elif isinstance(value, list):
        parts = list(enumerate(value))
    else:
        return [odd]
    found: list[object] = [odd]
    for key, part in parts:
        for other in spoiled(part, odd):
            copy = value.copy()
            copy[key] = other  # type: ignore[call-overload]
            found.append(copy)
    return found


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("odd", [None, 7, "x", [], [[]], {}, {"type": []}], ids=repr)
def test_no_shape_makes_a_reader_fail(name: str, odd: object) -> None:
    reader = READERS[name]
    lines = [json.dumps(other) for value in LOGS[name] for other in spoiled(value, odd)]
    reader.recognises(lines)
    reader.session_id(lines)
    entries = reader.entries(lines)
    assert all(entry.text or entry.input_tokens for entry in entries if name != "yoimem")
    assert [e.index for e in entries] == sorted({e.index for e in entries})


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["type", "message", "payload", "role", "text"]), json_values
        )
    )
)
def test_no_object_makes_a_reader_fail(values: list[object]) -> None:
    lines = [json.dumps(value) for value in values]
    for reader in READERS.values():
        reader.recognises(lines)
        reader.session_id(lines)
        reader.entries(lines)


class TestFinding:
    def test_claude_code_keeps_a_folder_for_each_workspace(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
        reader = READERS["claude-code"]
        workspace = Path("/home/some_one/my.app")
        projects = tmp_path / "projects"
        for folder in ("-home-some-one-my-app", "-home-some-one-my-app-core", "-home-else"):
            (projects / folder).mkdir(parents=True)
        here = write_log(projects / "-home-some-one-my-app", "claude-code", "here")
        below = write_log(projects / "-home-some-one-my-app-core", "claude-code", "below")
        write_log(projects / "-home-else", "claude-code", "elsewhere")
        assert reader.find("here", workspace) == here
        assert reader.find("below", workspace) == below
        assert reader.find("elsewhere", workspace) is None
        assert reader.find("../-home-else/elsewhere", workspace) is None

    def test_codex_keeps_a_folder_for_each_day(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CODEX_HOME", str(tmp_path))
        day, archive = tmp_path / "sessions/2026/03/04", tmp_path / "archived_sessions"
        for folder in (day, archive):
            folder.mkdir(parents=True)
        live = write_log(day, "codex", f"rollout-2026-03-04T00-53-03-{CODEX_ID}")
        old = write_log(archive, "codex", "rollout-2026-01-04T00-53-03-old-one")
        reader = READERS["codex"]
        assert reader.find(CODEX_ID, tmp_path) == live
        assert reader.find("old-one", tmp_path) == old
        assert reader.find("*", tmp_path) is None
        assert reader.find("one", tmp_path) is None

    @pytest.mark.parametrize("name", LOGS)
    @pytest.mark.parametrize(
        "session_id", ["", ".", "..", "a/b", "a\0b", "x" * 300, "~", "é", "[a]"], ids=repr
    )
    def test_an_id_that_is_no_name_finds_nothing(
        self, name: str, session_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CODEX_HOME", str(tmp_path))
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
        assert READERS[name].find(session_id, tmp_path) is None


def test_an_image_alone_is_a_word(tmp_path: Path) -> None:
    event = claude("user", {"role": "user", "content": [IMAGE]})
    assert told(log_of(tmp_path, event)) == [(0, "user", "[image]")]
