"""`yoimem consolidate`: what it prints, what it exits with, and a dry run that changes nothing."""

import json
from collections.abc import Callable
from typing import Any

import click
import pytest

from tests.pipeline.provider import Request, ScriptedProvider, Step, failure, text, tools
from tests.pipeline.tree import (
    consumed_ids,
    decision,
    records,
    source,
    spend,
    stage,
    staged_ids,
    use,
    whole_tree,
    write,
)
from yoimem.interfaces.cli.consolidate import command
from yoimem.pipeline.run_lock import run_lock
from yoimem.workspace.layout import Root

Start = Callable[..., ScriptedProvider]
Output = pytest.CaptureFixture[str]
PATH = "memory/decisions/use-sqlite.md"
OLD = "memory/decisions/use-files.md"


@pytest.fixture(autouse=True)
def _in_the_workspace(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.workspace)


def run(*arguments: str) -> int:
    result: int = command.main(
        list(arguments), prog_name="yoimem consolidate", standalone_mode=False
    )
    return result


def create(content: str = decision(times=False)) -> Step:
    arguments = {"path": PATH, "content": content, "reasons": ["integrate"]}
    return tools(("memory_write", arguments))


def test_what_was_done_is_told(root: Root, scripted: Start, capsys: Output) -> None:
    stage(root)
    scripted(create(), text("integrated"), text("One decision, \x1b[1mnothing\x1b[0m to tidy."))
    assert run("--force") == 0
    out = capsys.readouterr().out
    said, head, *rest = out.splitlines()
    assert said == r"One decision, \x1b[1mnothing\x1b[0m to tidy."
    assert head.endswith(": 1 record changed, 1 staged entry consumed")
    assert rest == ["integrate:", f"  created {PATH}"]


def test_json_tells_the_same(root: Root, scripted: Start, capsys: Output) -> None:
    entry = stage(root)
    scripted(create(), text("integrated"), text("tidied"))
    assert run("--force", "--output-format", "json") == 0
    content = json.loads(capsys.readouterr().out)
    assert content.keys() == {"version", "runs", "error"}
    (done,) = content["runs"]
    assert done.pop("run")
    assert done == {
        "consumed": [entry.id],
        "changes": [{"path": PATH, "what": "created", "reasons": ["integrate"]}],
        "offers": [],
        "said": "tidied",
        "failure": None,
        "faults": [],
    }


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ((), "--force consolidates all the same"),
        (("--dry-run",), "--dry-run --force shows what a run would do"),
    ],
)
def test_not_due_says_when_it_is_and_what_to_do(
    options: tuple[str, ...], advice: str, root: Root, capsys: Output
) -> None:
    entry = stage(root)
    assert run(*options) == 0
    assert capsys.readouterr().out == (
        f"no run is due: 1 of 50 files are staged, {entry.size} of 1,048,576 bytes; {advice}\n"
    )


def test_if_due_says_nothing_where_it_is_not(root: Root, capsys: Output) -> None:
    stage(root)
    assert run("--if-due") == 0
    assert capsys.readouterr().out == ""


def test_if_due_works_where_it_is(root: Root, scripted: Start, capsys: Output) -> None:
    config = root.workspace / "yoimem.toml"
    config.write_text(config.read_text() + "files = 1\n")
    stage(root)
    scripted()
    assert run("--if-due") == 0
    assert "1 staged entry consumed" in capsys.readouterr().out


def test_a_failure_is_1(root: Root, scripted: Start, capsys: Output) -> None:
    stage(root)
    scripted(create(), failure(400, "bad request"))
    assert run("--force") == 1
    out = capsys.readouterr().out
    assert "failed, with 1 record changed and nothing consumed: the provider of" in out
    assert len(staged_ids(root)) == 1


def test_a_lock_that_is_held_is_1(root: Root, capsys: Output) -> None:
    stage(root)
    with run_lock(root.path):
        assert run("--force") == 1
    assert "another process consolidates this memory" in capsys.readouterr().out


@pytest.mark.parametrize(
    "options", [("--if-due", "--force"), ("--prompt", "--dry-run"), ("--if-due", "--prompt")]
)
def test_options_that_contradict_are_refused(options: tuple[str, ...]) -> None:
    with pytest.raises(click.UsageError):
        run(*options)


def test_the_prompt_is_the_whole_input_and_calls_nobody(root: Root, capsys: Output) -> None:
    stage(root, chosen="A quite particular choice")
    before = whole_tree(root)
    assert run("--prompt") == 0
    out = capsys.readouterr().out
    for part in ("# Consolidate the memory", "A quite particular choice", "Second step", "reasons"):
        assert part in out
    assert run("--prompt", "--output-format", "json") == 0
    content = json.loads(capsys.readouterr().out)
    assert content.keys() == {"version", "instructions", "integrate", "tidy", "tools"}
    assert whole_tree(root) == before


def test_what_is_sent_is_what_the_prompt_shows(root: Root, scripted: Start, capsys: Output) -> None:
    stage(root)
    write(root, {OLD: decision("# Use files\n", source("s0"))})
    run("--prompt", "--output-format", "json")
    shown: dict[str, Any] = json.loads(capsys.readouterr().out)
    provider = scripted()
    run("--force")
    first, second = provider.requests
    assert [m["content"] for m in first["messages"]] == [shown["instructions"], shown["integrate"]]
    assert second["messages"][-1]["content"] == shown["tidy"]
    sent = {tool["function"]["name"]: tool["function"]["parameters"] for tool in first["tools"]}
    assert sent == {tool["name"]: tool["inputSchema"] for tool in shown["tools"]}


class TestDryRun:
    def test_it_shows_the_difference_and_changes_nothing(
        self, root: Root, scripted: Start, capsys: Output
    ) -> None:
        stage(root)
        write(root, {OLD: decision("# Use files\n\nPlain.\n", source("s0")), "workflow/a.md": "x"})
        use(root, PATH)
        spend(root)
        edit = {"path": OLD, "old_string": "Plain.", "new_string": "Old.", "reasons": ["outdated"]}
        offer = {"slug": "b", "content": "---\ndescription: B.\n---\n", "why": "y"}
        provider = scripted(
            create(), tools(("memory_edit", edit), ("workflow_offer", offer)), text("i"), text("t")
        )
        before = whole_tree(root)
        assert run("--force", "--dry-run") == 0
        assert whole_tree(root) == before
        out = capsys.readouterr().out
        assert f"--- /dev/null\n+++ b/{PATH}\n" in out
        assert f"--- a/{OLD}\n+++ b/{OLD}\n" in out
        assert "-Plain.\n+Old.\n" in out
        assert "offered: `b`" in out
        assert out.endswith("nothing of this was written: it was done to a copy\n")
        assert len(provider.requests) == 4

    def test_json_has_the_differences(self, root: Root, scripted: Start, capsys: Output) -> None:
        stage(root)
        scripted(create())
        run("--force", "--dry-run", "--output-format", "json")
        content = json.loads(capsys.readouterr().out)
        (diff,) = content["diffs"]
        assert diff.startswith(f"--- /dev/null\n+++ b/{PATH}\n")

    def test_a_locked_record_is_locked_in_the_copy(self, root: Root, scripted: Start) -> None:
        stage(root)
        write(root, {OLD: decision("# Use files\n", source("s0"))})
        (root.path / OLD).chmod(0o444)
        edit = {"path": OLD, "old_string": "# Use", "new_string": "# No", "reasons": ["noisy"]}
        provider = scripted(tools(("memory_edit", edit)))
        run("--force", "--dry-run")
        assert "a person locked it" in str(provider.requests[1]["messages"][-1])

    def test_it_hides_secrets(self, root: Root, scripted: Start, capsys: Output) -> None:
        stage(root)
        secret = "ghp_" + "a1B2" * 9
        write(root, {OLD: decision(f"# Use files\n\nWith {secret}.\n", source("s0"))})
        edit = {"path": OLD, "old_string": secret, "new_string": "a key", "reasons": ["noisy"]}
        scripted(tools(("memory_edit", edit)))
        run("--force", "--dry-run")
        out = capsys.readouterr().out
        assert "+With a key." in out
        assert secret not in out

    def test_it_is_gone_when_it_fails(self, root: Root, scripted: Start, capsys: Output) -> None:
        stage(root)
        scripted(failure(401))
        before = whole_tree(root)
        assert run("--force", "--dry-run") == 1
        assert "nothing consumed" in capsys.readouterr().out
        assert whole_tree(root) == before


def test_an_edit_by_a_person_meanwhile_is_not_written_over(root: Root, scripted: Start) -> None:
    stage(root)
    write(root, {OLD: decision("# Use files\n\nPlain.\n", source("s0"))})
    by_hand = decision("# Use files\n\nA person was here.\n", source("s0"))

    def meanwhile(request: Request) -> Step:
        said = request["messages"][1]["content"]
        sha = said.partition(f"===== {OLD} sha256 ")[2][:64]
        write(root, {OLD: by_hand})
        arguments = {
            "path": OLD,
            "content": decision("# Rewritten\n", source("s0"), times=False),
            "mode": "update",
            "expect": sha,
            "reasons": ["noisy"],
        }
        return tools(("memory_write", arguments))

    provider = scripted(meanwhile)
    assert run("--force") == 0
    assert "has changed since it was read" in str(provider.requests[1]["messages"][-1])
    assert (root.path / OLD).read_text() == by_hand
    assert len(consumed_ids(root)) == 1
    assert records(root).keys() == {OLD}
