"""`yoimem sources`: the entries a record came from, judged by what a user sees."""

import json
from pathlib import Path

import pytest

from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, Memory
from tests.sessions.transcripts import CLAUDE_ID, READERS, jsonl, write_log
from yoimem.interfaces.cli.main import COMMANDS, main
from yoimem.sessions.known import remember
from yoimem.sessions.log import open_log

Output = pytest.CaptureFixture[str]
PATH = "memory/decisions/use-sqlite.md"


def with_sources(*sources: str) -> str:
    return DECISION.replace("sources: []", f"sources: [{', '.join(sources)}]")


S1 = "{session_id: s1, range: [0, 3]}"


@pytest.fixture(autouse=True)
def logs(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(COMMANDS, "sources", "Show the session entries that a record came from.")
    monkeypatch.chdir(memory.workspace)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(memory.workspace / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(memory.workspace / "codex"))
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    folder = memory.workspace / "logs"
    folder.mkdir()
    return folder


def used(memory: Memory, logs: Path, name: str = "yoimem") -> Path:
    path = write_log(logs, name)
    remember(memory.root.resolve(), open_log(path, READERS))
    return path


@pytest.mark.parametrize("record", ["use-sqlite", PATH, f".yoi/{PATH}", f"./.yoi/memory/../{PATH}"])
def test_a_record_is_named_in_any_way(
    record: str, memory: Memory, logs: Path, capsys: Output
) -> None:
    memory.write(PATH, with_sources(S1))
    used(memory, logs)
    assert main(["sources", record]) == 0
    assert capsys.readouterr().out == (
        "session s1, entries 0 to 3\n"
        "  0 user: Use SQLite?\n"
        "  1 tool: shell: ok\n"
        "    orders.db\n"
        "  3 assistant: Yes: one process writes.\n"
    )


def test_a_missing_log_is_told_and_no_error(memory: Memory, logs: Path, capsys: Output) -> None:
    memory.write(PATH, with_sources("{session_id: gone, range: [4, 5]}", S1))
    used(memory, logs)
    assert main(["sources", "use-sqlite"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "session gone, entries 4 to 5\n"
        "  no log of the session `gone` is known here\n"
        "  help: name the log with --session-log FILE\n"
        "\n"
        "session s1, entries 0 to 3\n"
        "  0 user: "
    )


def test_one_source_by_its_index(memory: Memory, logs: Path, capsys: Output) -> None:
    memory.write(PATH, with_sources("{session_id: gone, range: [4, 5]}", S1))
    used(memory, logs)
    assert main(["sources", "use-sqlite", "--index", "1"]) == 0
    out = capsys.readouterr().out
    assert "s1" in out
    assert "gone" not in out
    assert main(["sources", "use-sqlite", "--index", "2"]) == 2
    assert "has 2 sources, counted from 0" in capsys.readouterr().err


def test_a_log_given_by_name(memory: Memory, logs: Path, capsys: Output) -> None:
    memory.write(PATH, with_sources(S1))
    path = write_log(logs, "yoimem", "a-copy")
    assert main(["sources", "use-sqlite", "--session-log", str(path)]) == 0
    assert "  0 user: Use SQLite?\n" in capsys.readouterr().out


def test_a_given_log_that_is_another_sessions_is_refused(
    memory: Memory, logs: Path, capsys: Output
) -> None:
    memory.write(PATH, with_sources(S1))
    path = write_log(logs, "claude-code")
    assert main(["sources", "use-sqlite", "--session-log", str(path)]) == 2
    assert f"is the log of another session, `{CLAUDE_ID}`" in capsys.readouterr().err


def test_a_given_log_cannot_stand_for_two_sessions(
    memory: Memory, logs: Path, capsys: Output
) -> None:
    memory.write(PATH, with_sources(S1, "{session_id: s2, range: [0, 0]}"))
    path = write_log(logs, "yoimem")
    assert main(["sources", "use-sqlite", "--session-log", str(path)]) == 2
    assert "choose one with --index" in capsys.readouterr().err
    assert main(["sources", "use-sqlite", "--index", "0", "--session-log", str(path)]) == 0


def test_json_holds_all_of_it(memory: Memory, logs: Path, capsys: Output) -> None:
    long = {"type": "message", "role": "user", "text": "長" * 5_000}
    path = logs / "s1.jsonl"
    path.write_text(jsonl(long), "utf-8")
    memory.write(PATH, with_sources("{session_id: s1, range: [0, 0]}", S1))
    remember(memory.root.resolve(), open_log(path, READERS))
    assert main(["sources", "use-sqlite", "--output-format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    first, second = shown.pop("sources")
    assert shown == {"version": 1, "path": PATH}
    assert first == {
        "session_id": "s1",
        "range": [0, 0],
        "log": str(path.resolve()),
        "missing": None,
        "entries": [{"index": 0, "role": "user", "text": "長" * 5_000}],
    }
    assert "has 1 line, and the range [0, 3] goes beyond it" in second["missing"]


def test_text_is_cut_and_cannot_act_on_a_terminal(
    memory: Memory, logs: Path, capsys: Output
) -> None:
    told = {"type": "message", "role": "user", "text": "\x1b[31mred\u202e\n" + "x" * 9_999}
    (logs / "s1.jsonl").write_text(jsonl(told), "utf-8")
    memory.write(PATH, with_sources('{session_id: "s1", range: [0, 0]}'))
    remember(memory.root.resolve(), open_log(logs / "s1.jsonl", READERS))
    assert main(["sources", "use-sqlite"]) == 0
    out = capsys.readouterr().out
    assert "  0 user: \\x1b[31mred\\u202e\n    xxx" in out
    assert out.endswith("x…\n")
    assert len(out) < 2_200


def test_last_sources_and_the_range_of_a_summary_count(
    memory: Memory, logs: Path, capsys: Output
) -> None:
    used(memory, logs)
    memory.write("knowledge/guide.md", KNOWLEDGE.replace("[]", f"[{S1}]"))
    memory.write(
        "memory/summary.md", SUMMARY.replace("---\nB", f"last_rewritten_from_range: {S1}\n---\nB")
    )
    for record in ("guide", "summary"):
        assert main(["sources", record]) == 0
        assert "session s1, entries 0 to 3\n  0 user" in capsys.readouterr().out


def test_no_source_is_1(memory: Memory, capsys: Output) -> None:
    memory.write(PATH, DECISION)
    assert main(["sources", "use-sqlite"]) == 1
    assert capsys.readouterr().out == f"{PATH} has no source\n"
    memory.write(PATH, with_sources("{session_id: s1}"))
    assert main(["sources", "use-sqlite"]) == 1
    assert "`yoimem check` names what cannot be read" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "there is no record `nowhere`"),
        (["knowledge/nowhere.md"], "there is no record"),
        (["memory/_logs/audit.jsonl"], "there is no record"),
        (["../outside.md"], "there is no record"),
        ([".yoi/memory/_logs/audit.jsonl"], "there is no record"),
        (["a\0b"], "there is no record"),
        (["x" * 5_000], "there is no record"),
        (["twice"], "name one of memory/decisions/twice.md, knowledge/twice.md"),
        (["use-sqlite", "--session-log", "none.jsonl"], "there is no session log at"),
        (["use-sqlite", "--index", "-1"], "--index"),
    ],
    ids=lambda value: value[0][:20] if isinstance(value, list) else "",
)
def test_what_cannot_be_answered_is_2(
    arguments: list[str], words: str, memory: Memory, capsys: Output
) -> None:
    memory.write(PATH, with_sources(S1))
    memory.write("memory/decisions/twice.md", DECISION)
    memory.write("knowledge/twice.md", KNOWLEDGE)
    memory.write("memory/_logs/audit.jsonl", "{}\n")
    assert main(["sources", *arguments]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err


def test_a_plugin_that_does_not_load_is_told(memory: Memory, logs: Path, capsys: Output) -> None:
    (memory.workspace / "pyproject.toml").write_text('[tool.yoimem]\nlocal-plugins = ["mine.py"]\n')
    (memory.workspace / "mine.py").write_text("raise SystemExit('no')\n")
    memory.write(PATH, with_sources(S1))
    used(memory, logs)
    assert main(["sources", "use-sqlite"]) == 0
    captured = capsys.readouterr()
    assert "mine.py" in captured.err
    assert "SystemExit: no" in captured.err
    assert "  0 user: Use SQLite?\n" in captured.out


def test_a_reader_of_a_local_plugin_is_asked(memory: Memory, logs: Path, capsys: Output) -> None:
    reader = (
        "from pathlib import Path\n"
        "from yoimem import SessionEntry, hookimpl\n"
        "class Chat:\n"
        "    name, keeps_pointer = 'chat', False\n"
        "    def recognises(self, lines): print('noise'); return lines[0].startswith('> ')\n"
        "    def entries(self, lines): return [SessionEntry(0, 'user', lines[0])]\n"
        "    def session_id(self, lines): return 's1'\n"
        "    def find(self, session_id, workspace): return workspace / 'logs' / 'any.txt'\n"
        "@hookimpl\n"
        "def yoimem_register_session_readers(): return [Chat()]\n"
    )
    (memory.workspace / "pyproject.toml").write_text('[tool.yoimem]\nlocal-plugins = ["mine.py"]\n')
    (memory.workspace / "mine.py").write_text(reader)
    (logs / "any.txt").write_text("> Hello\n")
    memory.write(PATH, with_sources("{session_id: s1, range: [0, 0]}"))
    assert main(["sources", "use-sqlite"]) == 0
    assert capsys.readouterr().out == "session s1, entries 0 to 0\n  0 user: > Hello\n"


def test_another_root(
    memory: Memory, logs: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    memory.write(PATH, with_sources(S1))
    used(memory, logs)
    monkeypatch.chdir("/")
    assert main(["sources", "use-sqlite", "--root", str(memory.workspace)]) == 0
    assert "  0 user: Use SQLite?\n" in capsys.readouterr().out
