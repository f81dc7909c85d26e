"""The hooks around a session: what is injected, what is noted, what follows a turn."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import KNOWLEDGE, SUMMARY, WORKFLOW, Memory
from tests.interfaces.test_agent_hook import Done, run
from yoimem.recall.usage import UsageEvent
from yoimem.tools.recall import Recall

SHOWN = KNOWLEDGE.replace("model_invokation: false", "model_invokation: true")
HIDDEN = KNOWLEDGE.replace("user_invocable: true", "user_invocable: false")


def hook(memory: Memory, event: str, **given: Any) -> Done:
    told = {"session_id": "s1", "cwd": str(memory.workspace), "hook_event_name": event, **given}
    return run(json.dumps(told), memory.workspace)


def context(done: Done) -> str:
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""


def events(memory: Memory, kind: str) -> list[UsageEvent]:
    history = Recall(memory.root)._log.history()
    assert history.faults == ()
    return [event for event in history.events if event.type == kind]


def test_a_session_starts_with_the_summary_and_what_can_be_looked_up(memory: Memory) -> None:
    memory.write("memory/summary.md", SUMMARY.replace("Body.", "We ship on Fridays."))
    memory.write("knowledge/use-sqlite.md", SHOWN)
    memory.write("knowledge/for-people.md", KNOWLEDGE)
    shown = context(hook(memory, "SessionStart", source="startup"))
    assert "We ship on Fridays." in shown
    assert "- use-sqlite: What there is to know." in shown
    assert "for-people" not in shown
    (exposure,) = events(memory, "exposure")
    assert (exposure.session, exposure.actor) == ("s1", "agent")
    assert [r.path for r in exposure.records] == ["memory/summary.md", "knowledge/use-sqlite.md"]
    assert all(record.tokens > 0 for record in exposure.records)


def test_an_empty_memory_has_nothing_to_say(memory: Memory) -> None:
    assert hook(memory, "SessionStart").stdout == ""
    assert events(memory, "exposure") == []


def test_a_broken_summary_is_told(memory: Memory) -> None:
    memory.write("memory/summary.md", "no frontmatter\n")
    assert "memory/summary.md cannot be read" in context(hook(memory, "SessionStart"))


def test_a_prompt_gets_the_records_that_it_names(memory: Memory) -> None:
    memory.write("knowledge/use-sqlite.md", KNOWLEDGE.replace("Body.", "One file is enough."))
    memory.write("knowledge/secret-ways.md", HIDDEN)
    shown = context(
        hook(memory, "UserPromptSubmit", prompt="詳細は#use-sqlite と #secret-ways を見て")
    )
    assert "One file is enough." in shown
    assert "`user_invocable: false`" in shown
    assert "詳細は" not in shown  # the host has the prompt itself
    (read,) = events(memory, "invoke")
    assert [record.path for record in read.records] == ["knowledge/use-sqlite.md"]


def test_a_workflow_comes_after_what_it_requires(memory: Memory) -> None:
    memory.write("knowledge/use-sqlite.md", KNOWLEDGE.replace("Body.", "One file is enough."))
    memory.write(
        "workflow/release.md", WORKFLOW.replace("---\n1.", "requires: [use-sqlite]\n---\n1.")
    )
    shown = context(hook(memory, "UserPromptSubmit", prompt="/release today"))
    assert shown.index("One file is enough.") < shown.index("1. Tag.")


def test_a_name_that_is_near_to_one_is_told_and_no_other(memory: Memory) -> None:
    memory.write("knowledge/use-sqlite.md", KNOWLEDGE)
    memory.write("workflow/release.md", WORKFLOW)
    prompt = "/relase as #use-sqlit and #define say, and #use-sqlite"
    shown = context(hook(memory, "UserPromptSubmit", prompt=prompt))
    records, found, missing = shown.partition("Not found:\n")
    assert (found, records.count("## ")) == ("Not found:\n", 1)
    assert missing.splitlines() == [
        "- /relase: there is no such record; did you mean `/release`?",
        "- #use-sqlit: there is no such record; did you mean `#use-sqlite`?",
    ]
    alone = context(hook(memory, "UserPromptSubmit", prompt="As #use-sqlit says"))
    assert alone.startswith("Not found:\n- #use-sqlit: ")


@pytest.mark.parametrize(
    "prompt",
    ["Fix #123 and #fff", "`#use-sqlite`", "/usr/bin is full", "/help", "#define X", ""],
)
def test_a_prompt_that_names_nothing_gets_nothing(memory: Memory, prompt: str) -> None:
    memory.write("knowledge/use-sqlite.md", KNOWLEDGE)
    assert hook(memory, "UserPromptSubmit", prompt=prompt).stdout == ""
    assert events(memory, "invoke") == []


def test_a_generic_read_of_a_record_counts_as_read(memory: Memory) -> None:
    path = memory.write("knowledge/use-sqlite.md", KNOWLEDGE)
    other = memory.workspace / "code.py"
    other.write_text("pass\n")
    for read in (path, other):
        done = hook(memory, "PostToolUse", tool_name="Read", tool_input={"file_path": str(read)})
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (event,) = events(memory, "invoke")
    assert event.records[0].path == "knowledge/use-sqlite.md"
    assert event.records[0].bytes == len(KNOWLEDGE.encode())


def test_use_that_cannot_be_noted_keeps_nobody_from_reading(memory: Memory) -> None:
    memory.write("knowledge/use-sqlite.md", SHOWN)
    (memory.root / "memory/_usage").write_text("a file where a folder belongs")
    assert "use-sqlite" in context(hook(memory, "SessionStart"))


def transcript(memory: Memory, tokens: int) -> Path:
    answer = {
        "type": "assistant",
        "sessionId": "s1",
        "message": {
            "id": "m1",
            "role": "assistant",
            "content": [{"type": "text", "text": "Done."}],
            "usage": {"input_tokens": tokens, "output_tokens": 1},
        },
    }
    asked = {"type": "user", "sessionId": "s1", "message": {"role": "user", "content": "Do it."}}
    path = memory.workspace / "s1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (asked, answer)))
    return path


def test_after_a_turn_the_tokens_are_counted_in_the_background(memory: Memory) -> None:
    memory.write("memory/summary.md", SUMMARY)
    path = transcript(memory, 1234)
    assert hook(memory, "Stop", transcript_path=str(path)).stdout == ""
    until = time.monotonic() + 30
    while not (spent := events(memory, "tokens")) and time.monotonic() < until:
        time.sleep(0.1)
    assert [(event.session, event.tokens, event.until) for event in spent] == [("s1", 1234, 2)]


def after_turn_log(memory: Memory) -> Path:
    return memory.root / "memory/_logs/after-turn.log"


def until_told(memory: Memory, words: str) -> str:
    """Return the log of what follows a turn, as soon as it holds `words`."""
    until = time.monotonic() + 30
    while words not in (told := after_turn_log(memory).read_text()) and time.monotonic() < until:
        time.sleep(0.1)
    return told


def test_what_fails_after_a_turn_stands_in_a_log_of_its_own(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (memory.workspace / "yoimem.toml").write_text('[extract]\nmodel = "openai:m"\nthreshold = 1\n')
    path = str(transcript(memory, 1234))
    hook(memory, "Stop", transcript_path=path)
    head, error = until_told(memory, "OPENAI_API_KEY").splitlines()
    assert head.endswith("+00:00 session s1")
    assert error.startswith("error: ")
    after_turn_log(memory).write_text("x" * ((1 << 20) + 1))
    hook(memory, "Stop", transcript_path=path)
    assert len(until_told(memory, "OPENAI_API_KEY").splitlines()) == 2


def test_a_transcript_that_is_gone_holds_up_nobody(memory: Memory) -> None:
    memory.write("memory/summary.md", SUMMARY)
    for event in ("Stop", "PreCompact"):
        done = hook(memory, event, transcript_path=str(memory.workspace / "gone.jsonl"))
        assert (done.returncode, done.stdout) == (0, "")


def test_before_a_compaction_the_tokens_are_counted(memory: Memory) -> None:
    memory.write("memory/summary.md", SUMMARY)
    done = hook(memory, "PreCompact", transcript_path=str(transcript(memory, 99)))
    assert (done.returncode, done.stdout) == (0, "")
    assert [event.tokens for event in events(memory, "tokens")] == [99]
