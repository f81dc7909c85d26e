"""Extracting a session: through the real provider code, against a provider that replays a script."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from tests.pipeline.conftest import Session
from tests.pipeline.provider import Request, ScriptedProvider, Step, failure, text, tools
from tests.sessions.transcripts import LOGS, READERS, write_log
from yoimem.lint.settings import ExtractSettings
from yoimem.pipeline.after_turn import extractor_of
from yoimem.pipeline.extract import ExtractResult, opener, stretch_of
from yoimem.pipeline.staging import StagedEntry, Staging
from yoimem.sessions.log import open_log
from yoimem.sessions.pointer import read_pointer
from yoimem.workspace.layout import Root

Scripted = Callable[..., ScriptedProvider]
NOTHING: dict[str, Any] = {"decisions": [], "discussions": [], "attempts": [], "requests": []}
forks = pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")


def found(chosen: str = "SQLite") -> Step:
    """Answer with one decision."""
    decision = {"options": [], "chosen": chosen, "rationale": ""}
    return tools(("submit_activity", {**NOTHING, "decisions": [decision]}))


def nothing() -> Step:
    return tools(("submit_activity", NOTHING))


def extract(
    root: Root, session: Session, *, force: bool = True, threshold: int = 1_000, wait: float = 0.0
) -> ExtractResult:
    settings = ExtractSettings(model="openai-chat:scripted", threshold=threshold)
    reopen = opener(str(session.path), root, READERS)
    return extractor_of(root, settings).run(session.id, reopen, force=force, wait=wait)


def staged(root: Root) -> tuple[StagedEntry, ...]:
    listing = Staging(root.path).listing()
    assert listing.faults == ()
    return listing.entries


def ranges(root: Root) -> list[tuple[int, int]]:
    return [(entry.source.start, entry.source.end) for entry in staged(root)]


def pointer(session: Session) -> int | None:
    read = read_pointer(open_log(session.path, READERS))
    return read.next if read else None


class TestOneExtract:
    def test_what_the_model_finds_is_staged_with_its_source(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        provider = scripted(found())
        result = extract(root, session)
        (entry,) = staged(root)
        assert (result.outcome, result.error, result.staged) == ("extracted", "", (entry,))
        assert entry.source == ("session-1", 0, 2)
        assert entry.activity.decisions[0].chosen == "SQLite"
        assert pointer(session) == 3
        assert len(provider.requests) == 1

    def test_the_model_is_given_every_entry_and_no_source(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        provider = scripted(found())
        extract(root, session)
        (request,) = provider.requests
        told, given = (message["content"] for message in request["messages"])
        assert "activity log" in told
        assert given == (
            "[0] user\nKeep orders in SQLite, please.\n\n"
            "[1] assistant\nDone: orders.db it is.\n\n[2] user\nThanks."
        )
        assert session.id not in json.dumps(request)
        (tool,) = request["tools"]
        assert list(tool["function"]["parameters"]["properties"]) == list(NOTHING)

    def test_the_next_one_begins_where_it_ended(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        provider = scripted(found(), found("files"))
        extract(root, session)
        assert extract(root, session).outcome == "nothing new"
        session.say("Use files after all.")
        extract(root, session)
        assert ranges(root) == [(0, 2), (4, 4)]  # line 3 is the pointer
        assert provider.requests[-1]["messages"][-1]["content"] == "[4] user\nUse files after all."

    def test_nothing_found_moves_the_pointer_and_stages_nothing(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(nothing())
        result = extract(root, session)
        assert (result.outcome, result.staged, staged(root)) == ("extracted", (), ())
        assert pointer(session) == 3

    def test_a_torn_line_is_left_for_the_next_one(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        session.tear()
        scripted(found(), found())
        extract(root, session)
        assert ranges(root) == [(0, 2)]
        session.say("And then?")
        extract(root, session)
        assert ranges(root)[1][1] == open_log(session.path, READERS).entries[-1].index

    @pytest.mark.parametrize("name", LOGS)
    def test_every_host_s_log(
        self, name: str, root: Root, tmp_path: Path, scripted: Scripted
    ) -> None:
        provider = scripted(found())
        session = Session(write_log(tmp_path, name))
        session.id = open_log(session.path, READERS).session_id
        assert extract(root, session).error == ""
        (entry,) = staged(root)
        given = provider.requests[0]["messages"][-1]["content"]
        entries = open_log(session.path, READERS).entries
        assert all(f"[{e.index}] {e.role}\n{e.text}" in given for e in entries)
        assert entry.source == (session.id, entries[0].index, entries[-1].index)
        assert extract(root, session).outcome == "nothing new"


class TestDue:
    def test_below_the_threshold_nothing_is_asked(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        provider = scripted(found())
        result = extract(root, session, force=False, threshold=1_501)
        assert result.outcome == "not due"
        assert result.notes == ("1,500 of 1,501 tokens were spent",)
        assert provider.requests == []

    def test_at_the_threshold_it_is_due(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(found())
        assert extract(root, session, force=False, threshold=1_500).outcome == "extracted"

    def test_tokens_count_from_the_last_extract_on(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(nothing(), found())
        extract(root, session, force=False)
        session.say("More.", tokens=999)
        assert extract(root, session, force=False).outcome == "not due"
        session.say("And more.", tokens=1)
        assert extract(root, session, force=False).outcome == "extracted"
        assert ranges(root) == [(4, 5)]

    def test_a_threshold_of_0_switches_it_off(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        provider = scripted(found())
        assert extract(root, session, force=False, threshold=0).outcome == "not due"
        assert provider.requests == []


class TestAnswersThatDoNotFit:
    def test_every_fault_is_told_and_the_answer_asked_for_again(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        source = {"source": {"session_id": "s9", "range": [0, 9]}}
        wrong = {"decisions": [{"options": [], "chosen": ""}], **source}
        provider = scripted(tools(("submit_activity", wrong)), found())
        assert extract(root, session).outcome == "extracted"
        told = json.dumps(provider.requests[1]["messages"][-1])
        assert "`decisions[0].chosen` must say something" in told
        assert "`decisions[0].rationale` is missing" in told
        assert "`source` is no part of an activity log" in told
        assert ranges(root) == [(0, 2)]

    @pytest.mark.parametrize(
        "wrong",
        [
            text("I found nothing of note."),
            tools(("submit_activity", '{"decisions": [')),
            tools(("submit_activity", "[]")),
            tools(("submit_everything", NOTHING)),
            tools(("submit_activity", {"decisions": "SQLite"})),
        ],
        ids=str,
    )
    def test_it_is_asked_three_times_more_and_then_given_up(
        self, wrong: Step, root: Root, session: Session, scripted: Scripted
    ) -> None:
        provider = scripted(*[wrong] * 9)
        result = extract(root, session)
        assert result.outcome == "failed"
        assert "nothing was lost" in result.error
        assert len(provider.requests) == 4
        assert (staged(root), pointer(session)) == ((), None)


class TestFailures:
    @pytest.mark.parametrize(
        ("step", "words"),
        [
            (failure(401), "its key is not the right one"),
            (failure(404), "there may be no model of this name"),
            (failure(429), "try again later"),
            (failure(500, "out of order"), "status 500: out of order"),
            (failure(400, "too long: " + "x" * 10_000), "status 400"),
        ],
        ids=["401", "404", "429", "500", "400"],
    )
    def test_a_provider_that_refuses_loses_nothing(
        self, step: Step, words: str, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(step, found())
        result = extract(root, session)
        assert result.outcome == "failed"
        assert words in result.error
        assert len(result.error) < 600
        assert "the next extract takes the same entries" in result.error
        assert (staged(root), pointer(session)) == ((), None)
        assert extract(root, session).outcome == "extracted"
        assert ranges(root) == [(0, 2)]

    def test_a_provider_that_is_not_there(
        self, root: Root, session: Session, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        provider = scripted()
        provider.__exit__(None, None, None)
        monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
        result = extract(root, session)
        assert result.outcome == "failed"
        assert "the provider of `scripted` gave no answer" in result.error
        assert pointer(session) is None

    def test_a_full_disk_moves_no_pointer(
        self, root: Root, session: Session, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        scripted(found(), found())
        with monkeypatch.context() as patch:
            patch.setattr("yoimem.workspace.folder.Folder.write", full)
            result = extract(root, session)
        assert "No space left" in result.error
        assert (staged(root), pointer(session)) == ((), None)
        assert extract(root, session).outcome == "extracted"

    def test_a_pointer_that_cannot_be_written_doubles_nothing(
        self, root: Root, session: Session, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        provider = scripted(found(), found())
        with monkeypatch.context() as patch:
            patch.setattr("yoimem.sessions.pointer._append", _raise_os_error)
            result = extract(root, session)
        assert "cannot be written: OSError: [Errno 30] Read-only file system" in result.error
        assert "what was found is staged" in result.error
        assert ranges(root) == [(0, 2)]
        assert extract(root, session).outcome == "nothing new"
        assert len(provider.requests) == 1


def _raise_os_error(*_: object) -> None:
    raise OSError(30, "Read-only file system")


class TestALogThatChanged:
    def extracted(self, root: Root, session: Session, scripted: Scripted) -> None:
        scripted(found(), found())
        assert extract(root, session).outcome == "extracted"

    def test_one_that_was_replaced_is_read_from_its_start(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        self.extracted(root, session, scripted)
        session.path.unlink()
        for number in range(5):
            session.say(f"Something else, {number}.")
        result = extract(root, session)
        (note,) = result.notes
        assert "shrank or was replaced" in note
        assert ranges(root)[1] == (0, 4)
        session.say("More.")
        assert extract(root, session).notes == ()

    def test_one_that_shrank_goes_on_from_the_furthest_pointer_that_fits(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(found(), found(), found())
        extract(root, session)
        kept = session.path.read_text()
        session.say("Second.")
        extract(root, session)
        session.path.write_text(kept.rpartition('{"type": "extension"')[0])
        session.say("Another second.")
        result = extract(root, session)
        assert "read from line 3 on" in result.notes[0]
        assert ranges(root) == [(0, 2), (4, 4), (3, 3)]

    def test_an_odd_pointer_is_none(self, root: Root, session: Session, scripted: Scripted) -> None:
        scripted(found())
        odd = {"type": "extension", "domain": "memory.extract", "payload": {"next": 10**30}}
        session._append(odd)
        assert extract(root, session).outcome == "extracted"
        assert ranges(root) == [(0, 2)]


class TestTwoAtOnce:
    def test_a_trigger_meanwhile_is_dropped_and_one_extract_follows(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        """Ten turns past the threshold while an extract runs."""
        dropped: list[str] = []

        def ten_turns_meanwhile(_: Request) -> Step:
            for number in range(10):
                session.say(f"Turn {number}.", tokens=1_000)
                dropped.append(extract(root, session, force=False).outcome)
            return found()

        provider = scripted(ten_turns_meanwhile, found("the rest"))
        result = extract(root, session, force=False)
        assert dropped == ["in flight"] * 10
        assert len(provider.requests) == 2
        assert ranges(root) == [(0, 2), (3, 12)]
        assert [source[1:] for source in result.sources] == [(0, 2), (3, 12)]
        assert result.staged == staged(root)
        assert extract(root, session, force=False).outcome == "not due"

    def test_a_second_look_that_fails_keeps_the_first(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        def a_turn_meanwhile(_: Request) -> Step:
            session.say("More.", tokens=1_000)
            return found()

        scripted(a_turn_meanwhile, failure(500))
        result = extract(root, session)
        assert result.outcome == "failed"
        assert result.staged == staged(root)
        assert ranges(root) == [(0, 2)]
        assert pointer(session) == 3


EXTRACT = """
import os, signal, sys
from pathlib import Path
from tests.pipeline.test_extract import Session, extract
from tests.sessions.transcripts import READERS
from yoimem.pipeline import extract as steps
from yoimem.workspace.folder import Folder
from yoimem.workspace.layout import root_at

def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)

{before}
extract(root_at(Path(sys.argv[1])), Session(Path(sys.argv[2])))
"""
BEFORE_THE_POINTER = "steps.write_pointer = kill"


@forks
class TestKilled:
    def started(self, root: Root, session: Session, before: str) -> subprocess.Popen[bytes]:
        """Run an extract in a process of its own, after `before`."""
        code = EXTRACT.format(before=before)
        return subprocess.Popen([sys.executable, "-c", code, root.path, session.path])

    def killed(self, root: Root, session: Session, before: str = "") -> None:
        assert self.started(root, session, before).wait(60) == -signal.SIGKILL

    def test_while_the_model_reads(self, root: Root, session: Session, scripted: Scripted) -> None:
        processes: Queue[subprocess.Popen[bytes]] = Queue()

        def kill(_: Request) -> Step:
            process = processes.get(timeout=60)
            process.kill()
            process.wait(60)
            return found()

        scripted(kill, found())
        process = self.started(root, session, "")
        processes.put(process)
        assert process.wait(60) == -signal.SIGKILL
        assert (staged(root), pointer(session)) == ((), None)
        assert extract(root, session).outcome == "extracted"
        assert ranges(root) == [(0, 2)]

    def test_before_staging(self, root: Root, session: Session, scripted: Scripted) -> None:
        scripted(found(), found())
        self.killed(root, session, "steps.keep = kill")
        assert (staged(root), pointer(session)) == ((), None)
        assert extract(root, session).outcome == "extracted"
        assert ranges(root) == [(0, 2)]

    def test_after_staging_before_the_pointer(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        provider = scripted(found(), found("files"))
        self.killed(root, session, BEFORE_THE_POINTER)
        assert (ranges(root), pointer(session)) == ([(0, 2)], None)
        assert extract(root, session).outcome == "nothing new"
        session.say("Files after all.")
        assert extract(root, session).outcome == "extracted"
        assert ranges(root) == [(0, 2), (3, 3)]
        assert len(provider.requests) == 2

    def test_also_where_the_entry_was_consumed_meanwhile(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(found(), found("files"))
        self.killed(root, session, BEFORE_THE_POINTER)
        Staging(root.path).consume(staged(root))
        assert extract(root, session).outcome == "nothing new"

    def test_at_every_step_of_staging(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        for step in ("write", "replace", "sync"):
            scripted(found())
            self.killed(root, session, f"Folder.{step} = kill")
        scripted(found())
        extract(root, session)
        assert ranges(root) == [(0, 2)]
        assert {path.suffix for path in (root.path / "memory/_staging").iterdir()} == {
            ".json", ".lock",
        }  # fmt: skip


def test_what_is_left_is_told_without_a_model(root: Root, session: Session) -> None:
    stretch = stretch_of(open_log(session.path, READERS), Staging(root.path))
    assert (stretch.source, stretch.tokens, stretch.is_reset) == ((session.id, 0, 2), 1_500, False)
