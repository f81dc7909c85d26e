"""After a turn tokens are noted once, and what is due is done; a compaction waits for it."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from tests.pipeline.conftest import CONFIG, Session
from tests.pipeline.provider import Request, ScriptedProvider, Step, failure
from tests.pipeline.test_extract import found, ranges, staged
from tests.sessions.transcripts import READERS
from yoimem.pipeline import AfterTurn, ExtractResult, after_turn, before_compaction
from yoimem.pipeline.after_turn import note_session
from yoimem.recall.usage.events import UsageLog
from yoimem.sessions.known import find_log
from yoimem.sessions.log import open_log
from yoimem.workspace.layout import Root, root_at

Scripted = Callable[..., ScriptedProvider]


def counted(root: Root) -> list[tuple[str | None, int, int | None]]:
    history = UsageLog(root.path).history()
    assert history.faults == ()
    return [(event.session, event.tokens, event.until) for event in history.events]


def turn(root: Root, session: Session) -> AfterTurn:
    return after_turn(root, session.path)


class TestTokens:
    def test_each_token_is_counted_once(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(found())
        assert turn(root, session).tokens == 1_500
        assert turn(root, session).tokens == 0
        session.say("More.", tokens=20)
        assert turn(root, session).tokens == 20
        assert counted(root) == [(session.id, 1_500, 3), (session.id, 20, 5)]

    def test_so_is_that_of_a_session_with_a_long_name(self, root: Root, session: Session) -> None:
        log = open_log(session.path, READERS, session_id="s" * 1_000)
        assert note_session(root, log) == (1_500, ())
        assert note_session(root, log) == (0, ())

    def test_a_log_that_was_replaced_counts_anew(self, root: Root, session: Session) -> None:
        note_session(root, open_log(session.path, READERS))
        session.path.unlink()
        session.say("Another session of this name.", tokens=7)
        assert note_session(root, open_log(session.path, READERS)) == (7, ())

    def test_several_processes_at_once_count_once(self, root: Root, session: Session) -> None:
        context = multiprocessing.get_context("spawn")
        arguments = (root.path, session.path)
        processes = [context.Process(target=_note, args=arguments) for _ in range(6)]
        for process in processes:
            process.start()
        for process in processes:
            process.join(30)
        assert [process.exitcode for process in processes] == [0] * 6
        assert counted(root) == [(session.id, 1_500, 3)]

    @pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
    def test_a_kill_counts_nothing_twice(self, root: Root, session: Session) -> None:
        process = multiprocessing.get_context("spawn").Process(
            target=_note_and_die, args=(root.path, session.path)
        )
        process.start()
        process.join(30)
        assert process.exitcode == -signal.SIGKILL
        assert counted(root) == [(session.id, 1_500, 3)]
        assert note_session(root, open_log(session.path, READERS)) == (0, ())

    def test_what_cannot_be_noted_keeps_nobody_from_extracting(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(found())
        (root.path / "memory/_logs").write_text("no folder")
        done = turn(root, session)
        assert "could not be noted" in done.faults[0]
        assert done.tokens == 0


def _note(root: Path, log: Path) -> None:
    place = root_at(root)
    assert place is not None
    note_session(place, open_log(log, READERS))


def _note_and_die(root: Path, log: Path) -> None:
    append = UsageLog.spent

    def append_and_die(*args: object, **options: object) -> None:
        append(*args, **options)  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGKILL)

    UsageLog.spent = append_and_die  # type: ignore[method-assign]
    _note(root, log)


class TestExtract:
    def test_what_is_due_is_extracted(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(found())
        done = turn(root, session)
        assert (done.extract.outcome, done.consolidate) == ("extracted", None)
        assert ranges(root) == [(0, 2)]

    def test_the_log_is_found_again_by_its_session(self, root: Root, session: Session) -> None:
        (root.workspace / "yoimem.toml").unlink()
        turn(root, session)
        log = find_log(root, session.id, READERS)
        assert log is not None
        assert log.path == session.path.resolve()

    def test_without_a_model_it_is_off(self, root: Root, session: Session) -> None:
        (root.workspace / "yoimem.toml").unlink()
        done = turn(root, session)
        assert (done.tokens, done.extract.outcome, done.extract.error) == (1_500, "off", "")

    def test_a_model_that_fails_is_told(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(failure(500))
        done = turn(root, session)
        assert done.extract.outcome == "failed"
        assert "status 500" in done.extract.error
        assert done.tokens == 1_500

    def test_a_log_that_is_not_there_is_told(self, root: Root, tmp_path: Path) -> None:
        path = tmp_path / "x.jsonl"
        for result in (after_turn(root, path).extract, before_compaction(root, path)):
            assert result.outcome == "failed"
            assert "there is no session log at" in result.error

    def test_then_what_is_due_is_consolidated(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        (root.workspace / "yoimem.toml").write_text(f"{CONFIG}files = 1\n")
        provider = scripted(found())
        done = turn(root, session)
        assert done.consolidate is not None
        assert staged(root) == ()
        assert len(provider.requests) > 1
        assert turn(root, session).consolidate is None


class TestBeforeACompaction:
    def test_a_due_extract_is_finished_first(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        scripted(found())
        assert before_compaction(root, session.path).outcome == "extracted"
        assert ranges(root) == [(0, 2)]

    def test_one_that_is_at_work_is_waited_for(
        self, root: Root, session: Session, scripted: Scripted
    ) -> None:
        def slow(_: Request) -> Step:
            compaction.start()
            time.sleep(0.5)
            return found()

        results: list[tuple[ExtractResult, int]] = []

        def compact() -> None:
            result = before_compaction(root, session.path)
            results.append((result, len(staged(root))))

        compaction = Thread(target=compact)
        provider = scripted(slow)
        turn(root, session)
        compaction.join(30)
        ((result, entries),) = results
        assert (result.outcome, entries, len(provider.requests)) == ("not due", 1, 1)

    def test_but_not_for_ever(self, root: Root, session: Session, scripted: Scripted) -> None:
        results: list[ExtractResult] = []

        def compacts_meanwhile(_: Request) -> Step:
            results.append(before_compaction(root, session.path, wait=0.1))
            return found()

        scripted(compacts_meanwhile)
        turn(root, session)
        assert [result.outcome for result in results] == ["in flight"]
        assert ranges(root) == [(0, 2)]
