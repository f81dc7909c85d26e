"""`yoimem show`, `complete`, `expand` and `resident`, as a person and a script meet them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, WORKFLOW, Memory
from yoimem.interfaces.cli.main import main
from yoimem.recall.usage import UsageEvent, UsageLog

Output = pytest.CaptureFixture[str]

SQLITE = "knowledge/use-sqlite.md"
SHOWN = KNOWLEDGE.replace("model_invokation: false", "model_invokation: true")
HIDDEN = KNOWLEDGE.replace("user_invocable: true", "user_invocable: false")


@pytest.fixture(autouse=True)
def _here(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(memory.workspace)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    memory.write(SQLITE, SHOWN.replace("Body.", "One file is enough."))


def answer(arguments: list[str], capsys: Output) -> str:
    """Return what a command prints that has nothing to complain of."""
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def as_json(arguments: list[str], capsys: Output) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(answer([*arguments, "--output-format", "json"], capsys))
    assert content.pop("version") == 1
    return content


def complaint(code: int, arguments: list[str], capsys: Output) -> str:
    """Return what a command that exits with `code` says on standard error."""
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def events(memory: Memory) -> list[UsageEvent]:
    history = UsageLog(memory.root).history()
    assert history.faults == ()
    return list(history.events)


@pytest.mark.parametrize(
    "name", ["use-sqlite", "#use-sqlite", SQLITE, f".yoi/{SQLITE}", f"./.yoi/{SQLITE}"]
)
def test_a_record_is_shown_whole(name: str, memory: Memory, capsys: Output) -> None:
    text = (memory.root / SQLITE).read_text("utf-8")
    assert answer(["show", name, "--session-id", "s1"], capsys) == text
    (event,) = events(memory)
    assert (event.type, event.session, event.actor) == ("invoke", "s1", "human")
    assert [record.path for record in event.records] == [SQLITE]


def test_a_path_is_also_seen_from_the_working_folder(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(memory.root / "knowledge")
    assert "One file is enough." in answer(["show", "use-sqlite.md"], capsys)


def test_a_record_in_json(memory: Memory, capsys: Output) -> None:
    assert as_json(["show", "use-sqlite"], capsys) == {
        "path": SQLITE,
        "slug": "use-sqlite",
        "record_kind": "knowledge",
        "text": (memory.root / SQLITE).read_text("utf-8"),
    }


ODD = KNOWLEDGE.replace("Body.", "\x1b[31mred\tمی\u200cشود \udcff")


def test_what_would_act_on_a_terminal_is_spelled_out_there(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    memory.write("knowledge/odd.md", ODD)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "\\x1b[31mred\\tمی\\u200cشود \\xff\n" in answer(["show", "odd"], capsys)


def test_a_pipe_gets_the_text_itself(memory: Memory) -> None:
    memory.write("knowledge/odd.md", ODD)
    done = subprocess.run(
        [sys.executable, "-m", "yoimem", "show", "odd"],
        cwd=memory.workspace,
        capture_output=True,
        check=True,
    )
    assert done.stdout == (memory.root / "knowledge/odd.md").read_bytes()


def test_json_has_no_half_of_a_surrogate_pair(memory: Memory, capsys: Output) -> None:
    memory.write("knowledge/odd.md", ODD)
    assert "\\udcff" in as_json(["show", "odd"], capsys)["text"]


def test_several_that_are_called_so_are_listed_and_none_is_noted(
    memory: Memory, capsys: Output
) -> None:
    memory.write("memory/decisions/use-sqlite.md", DECISION)
    said = complaint(2, ["show", "use-sqlite"], capsys)
    assert "memory/decisions/use-sqlite.md" in said
    assert SQLITE in said
    assert "One file" in answer(["show", "#use-sqlite"], capsys)
    assert len(events(memory)) == 1


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("use-sqllite", ", did you mean `use-sqlite`?"),
        ("#use-sqllite", ", did you mean `use-sqlite`?"),
        ("/use-sqlite", ", did you mean `use-sqlite`?"),
        ("knowledge/use-sqlite", ", did you mean `use-sqlite`?"),
        ("knowledge/use-sqllite.md", ", did you mean `use-sqlite`?"),
        ("zzz", ".yoi\n"),
        ("", ".yoi\n"),
        ("../../etc/passwd", ".yoi\n"),
        ("memory/_usage/events.jsonl", ".yoi\n"),
        ("knowledge/../knowledge/use-sqlite.markdown", ".yoi"),
        ("\x1b[31m", "\\x1b[31m"),
    ],
)
def test_what_is_not_there_is_told(name: str, hint: str, memory: Memory, capsys: Output) -> None:
    said = complaint(1, ["show", "--", name], capsys)
    assert said.startswith("yoimem: there is no record")
    assert hint in said
    assert events(memory) == []


def test_a_link_is_not_followed(memory: Memory, tmp_path: Path, capsys: Output) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text(KNOWLEDGE.replace("Body.", "top secret"))
    (memory.root / "knowledge" / "linked.md").symlink_to(secret)
    said = complaint(2, ["show", "linked"], capsys)
    assert "knowledge/linked.md cannot be read" in said
    assert "top secret" not in said
    assert events(memory) == []


def test_a_slug_is_completed(memory: Memory, capsys: Output) -> None:
    memory.write("knowledge/sqlite-backup.md", KNOWLEDGE)
    memory.write("knowledge/sqlite-secret.md", HIDDEN)
    memory.write("workflow/sqlite-restore.md", WORKFLOW)
    assert answer(["complete", "#sqlite"], capsys) == (
        "#sqlite-backup  What there is to know.\n#use-sqlite  What there is to know.\n"
    )
    assert as_json(["complete", "/sq"], capsys)["completions"] == [
        {"slug": "sqlite-restore", "typed": "/sqlite-restore", "description": "Make a release."}
    ]
    assert events(memory) == []  # what is merely listed is not read


def test_nothing_to_complete_is_1(capsys: Output) -> None:
    assert complaint(1, ["complete", "#zzz"], capsys) == ""


def test_a_text_is_expanded(memory: Memory, capsys: Output) -> None:
    said = answer(["expand", "As #use-sqlite says.", "--session-id", "s1"], capsys)
    assert said == (
        "As #use-sqlite says.\n\n## #use-sqlite: What there is to know.\n\nOne file is enough.\n"
    )
    (event,) = events(memory)
    assert (event.type, event.session) == ("invoke", "s1")


def test_a_text_from_standard_input(memory: Memory) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "yoimem", "expand"],
        cwd=memory.workspace,
        input=b"nothing of note\xff\tbut a byte",
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"nothing of note\xff\tbut a byte\n"
    assert done.stderr == b""
    assert events(memory) == []


@pytest.mark.skipif(os.name == "nt", reason="a shell closes standard input")
def test_no_standard_input_is_an_empty_text(memory: Memory) -> None:
    command = f"{sys.executable} -m yoimem expand <&-"
    done = subprocess.run(
        ["sh", "-c", command], cwd=memory.workspace, capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")


def test_what_is_not_brought_in_is_told(memory: Memory, capsys: Output) -> None:
    memory.write("knowledge/secret.md", HIDDEN.replace("Body.", "Hush."))
    arguments = ["expand", "#secret #use-sqllite", "--output-format", "json"]
    assert main(arguments) == 0
    captured = capsys.readouterr()
    content = json.loads(captured.out)
    assert content["records"] == []
    assert [note["slug"] for note in content["refused"]] == ["#secret"]
    assert [note["slug"] for note in content["unknown"]] == ["#use-sqllite"]
    assert "users cannot call it" in captured.err
    assert "did you mean `#use-sqlite`?" in captured.err
    assert "Hush." not in content["text"]


def test_a_slug_with_the_wrong_mark_is_told_with_the_right_one(
    memory: Memory, capsys: Output
) -> None:
    memory.write("workflow/release.md", WORKFLOW)
    assert main(["expand", "/use-sqlite and #release"]) == 0
    out, err = capsys.readouterr()
    assert out == "/use-sqlite and #release\n"
    assert "did you mean `#use-sqlite`?" in err
    assert "did you mean `/release`?" in err


def test_the_block_of_every_session(memory: Memory, capsys: Output) -> None:
    memory.write("memory/summary.md", SUMMARY.replace("Body.", "We ship on Fridays."))
    block = answer(["resident"], capsys)
    assert block.startswith("# The memory of this project\n\nWe ship on Fridays.\n")
    assert block.endswith("- use-sqlite: What there is to know.\n")
    assert events(memory) == []  # a look at it costs no session anything


def test_the_block_that_is_injected_is_noted(memory: Memory, capsys: Output) -> None:
    content = as_json(["resident", "--session-id", "s1"], capsys)
    (event,) = events(memory)
    assert (event.type, event.session) == ("exposure", "s1")
    assert content["records"] == [{"path": SQLITE, "tokens": event.records[0].tokens}]
    assert content["tokens"] > event.records[0].tokens > 0
    assert (content["left_out"], content["unreadable"]) == ([], [])


def test_what_a_budget_leaves_out_is_told(memory: Memory, capsys: Output) -> None:
    whole = as_json(["resident"], capsys)["tokens"]
    assert main(["resident", "--budget", str(whole - 1)]) == 0
    captured = capsys.readouterr()
    assert captured.err == f"yoimem: left out for the budget: {SQLITE}\n"
    assert "use-sqlite" in captured.out
    assert "What there is to know." not in captured.out
    (memory.workspace / "yoimem.toml").write_text(f"[resident]\nbudget = {whole}\n")
    assert "What there is to know." in answer(["resident"], capsys)
    (memory.workspace / "yoimem.toml").write_text("[resident]\nbudget = 1\n")
    assert "What there is to know." in answer(["resident", "--budget", "0"], capsys)


def test_an_empty_memory_has_an_empty_block(memory: Memory, capsys: Output) -> None:
    (memory.root / SQLITE).unlink()
    assert answer(["resident"], capsys) == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "#use-sqlite"],
        ["complete", "#"],
        ["expand", "#use-sqlite"],
        ["resident"],
        ["search", "file"],
        ["usage"],
        ["candidates"],
        ["sources", "use-sqlite"],
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_a_plugin_that_does_not_load_is_told_beside_the_answer(
    arguments: list[str], memory: Memory, capsys: Output
) -> None:
    code = main(arguments)
    whole = capsys.readouterr()
    assert whole.err == ""
    (memory.workspace / "pyproject.toml").write_text('[tool.yoimem]\nlocal-plugins = ["gone.py"]\n')
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert captured.out == whole.out
    assert captured.err.startswith("yoimem: plugin local gone.py: ")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["show", "x"], ["complete", "#"], ["expand", "x"], ["resident"]]
)
def test_without_a_memory_the_way_to_one_is_told(
    arguments: list[str], tmp_path_factory: pytest.TempPathFactory, capsys: Output
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert "holds no" in complaint(2, [*arguments, "--root", str(elsewhere)], capsys)


@pytest.mark.parametrize("budget", ["-3", "many"])
def test_a_budget_is_a_number_of_tokens(budget: str, capsys: Output) -> None:
    assert "--budget" in complaint(2, ["resident", "--budget", budget], capsys)
