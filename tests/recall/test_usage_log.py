"""The file of events: what is written is read, what is none is told, no append is lost or torn."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recall.usage_events import A, B, event_id, invoke, lines, put, spent
from yoimem.recall.usage import UsageEvent, UsageLog, UsedRecord
from yoimem.workspace.folder import LinkError

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
FILE = "memory/_usage/events.jsonl"


@pytest.fixture
def log(tmp_path: Path) -> UsageLog:
    return UsageLog(tmp_path, lambda: NOW)


class TestWhatIsWritten:
    def test_is_read_again_in_its_order(self, log: UsageLog) -> None:
        log.invoke([UsedRecord(A, 100, 25), UsedRecord(B, 8, 2)], session="s", actor="agent")
        log.exposure([UsedRecord(B, 8, 12)], session=None, actor="human")
        log.spent(1200, session="s", actor="agent", until=40)
        log.spent(0, session="s", actor="agent")
        history = log.history()
        assert history.faults == ()
        at = "2026-03-01T12:00:00.000+00:00"
        assert [event[1:] for event in history.events] == [
            ("invoke", at, "s", "agent", (UsedRecord(A, 100, 25), UsedRecord(B, 8, 2)), 0, None),
            ("exposure", at, None, "human", (UsedRecord(B, 8, 12),), 0, None),
            ("tokens", at, "s", "agent", (), 1200, 40),
            ("tokens", at, "s", "agent", (), 0, None),
        ]

    def test_is_one_line_of_ascii_with_its_keys_in_order(
        self, log: UsageLog, tmp_path: Path
    ) -> None:
        log.invoke([UsedRecord("knowledge/メモ.md", 9, 3)], session="セッ\n", actor="agent")
        log.spent(7, session=None, actor="agent", until=0)
        read, tokens = (tmp_path / FILE).read_text("ascii").splitlines()
        assert list(json.loads(read)) == ["id", "type", "at", "session", "actor", "records"]
        assert list(json.loads(read)["records"][0]) == ["path", "bytes", "tokens"]
        assert list(json.loads(tokens)) == [
            "id", "type", "at", "session", "actor", "tokens", "until",
        ]  # fmt: skip
        assert log.history().events[0].session == "セッ\n"

    def test_nothing_read_is_no_event(self, log: UsageLog, tmp_path: Path) -> None:
        log.invoke([], session="s", actor="agent")
        log.exposure([UsedRecord("../a.md", 1, 1)], session="s", actor="agent")
        assert not (tmp_path / FILE).exists()

    def test_a_host_may_give_any_id_and_a_part_of_it_is_kept(self, log: UsageLog) -> None:
        log.spent(1, session="é" * 1_000_000, actor="agent")
        (event,) = log.history().events
        assert event.session == "é" * 200

    def test_a_thousand_in_one_millisecond_keep_their_order(self, log: UsageLog) -> None:
        for number in range(1000):
            log.spent(number, session="s", actor="agent")
        assert [event.tokens for event in log.history().events] == list(range(1000))

    def test_a_link_is_not_followed(self, log: UsageLog, tmp_path: Path) -> None:
        target = tmp_path / "elsewhere"
        target.write_text("")
        put(tmp_path, "").unlink()
        (tmp_path / FILE).symlink_to(target)
        with pytest.raises(LinkError):
            log.spent(1, session="s", actor="agent")
        with pytest.raises(LinkError):
            log.history()
        assert target.read_text() == ""


class TestTornLines:
    def test_one_is_told_and_the_next_append_closes_it(self, log: UsageLog, tmp_path: Path) -> None:
        first, second = lines([invoke(), spent(5)])
        path = put(tmp_path, f"{first}\n{second[:40]}")
        assert [event.id for event in log.history().events] == [event_id(0)]
        log.spent(9, session="s", actor="agent")
        history = log.history()
        assert [event.tokens for event in history.events] == [0, 9]
        assert history.faults == (
            f"{FILE}:2: it is no whole JSON object: {second[:40]!r}",
        )  # fmt: skip
        assert path.read_text().startswith(f"{first}\n{second[:40]}\n")

    def test_every_cut_of_an_event_is_told_or_is_the_event(
        self, log: UsageLog, tmp_path: Path
    ) -> None:
        (line,) = lines([invoke()])
        for length in range(1, len(line)):
            put(tmp_path, line[:length])
            history = log.history()
            assert (history.events, len(history.faults)) == ((), 1)
        put(tmp_path, line)  # only its end of line is missing: nothing of it is
        assert len(log.history().events) == 1
        log.spent(1, session="s", actor="agent")
        assert len(log.history().events) == 2

    def test_empty_lines_are_nothing(self, log: UsageLog, tmp_path: Path) -> None:
        (line,) = lines([spent(5)])
        put(tmp_path, f"\n\r\n{line}\r\n\n  \n")
        history = log.history()
        assert (len(history.events), history.faults) == (1, ())


RIGHT = {"id": event_id(1), **invoke()}
TOKENS = {"id": event_id(1), **spent(5, until=3)}


class TestForeignLines:
    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ("<<<<<<< ours", "it is no whole JSON object"),
            ("[1]", "it is no JSON object"),
            ("null", "it is no JSON object"),
            ("[" * 100_000, "it is no whole JSON object"),
            ("9" * 5000, "it is no whole JSON object"),
            (RIGHT | {"id": "1"}, "`id`"),
            (RIGHT | {"id": event_id(1).replace("-7", "-4")}, "`id`"),
            (RIGHT | {"id": event_id(1) + "\n"}, "`id`"),
            (RIGHT | {"id": [event_id(1)]}, "`id`"),
            (RIGHT | {"type": "read"}, "`type`"),
            (RIGHT | {"type": {}}, "`type`"),
            (RIGHT | {"at": 5}, "`at`"),
            (RIGHT | {"session": 5}, "`session`"),
            (RIGHT | {"actor": None}, "`actor`"),
            (RIGHT | {"records": None}, "`records`"),
            (RIGHT | {"records": {"path": A}}, "`records`"),
            (RIGHT | {"records": [A]}, "it is no JSON object"),
            (RIGHT | {"records": [{"path": A, "bytes": 1}]}, "`tokens`"),
            *[
                (RIGHT | {"records": [{"path": path, "bytes": 1, "tokens": 1}]}, "`path`")
                for path in ("/etc/passwd", "../a.md", "a/../../b.md", "a//b.md", "", ".", "a/",
                             "..\\a.md", "C:/a.md", "C:a.md", 5, None, ["a"])
            ],
            (TOKENS | {"tokens": float("nan")}, "`tokens`"),
            (TOKENS | {"tokens": float("inf")}, "`tokens`"),
            (TOKENS | {"tokens": -1}, "`tokens`"),
            (TOKENS | {"tokens": True}, "`tokens`"),
            (TOKENS | {"tokens": 1.5}, "`tokens`"),
            (TOKENS | {"tokens": 10**300}, "`tokens`"),
            (TOKENS | {"tokens": "5"}, "`tokens`"),
            (TOKENS | {"until": -1}, "`until`"),
            (TOKENS | {"until": "3"}, "`until`"),
        ],
    )  # fmt: skip
    def test_one_is_told_by_its_number_and_passed_over(
        self, line: object, why: str, log: UsageLog, tmp_path: Path
    ) -> None:
        text = line if isinstance(line, str) else json.dumps(line)
        (right,) = lines([spent(5)])
        put(tmp_path, f"{text}\n{right}\n")
        history = log.history()
        assert [event.tokens for event in history.events] == [5]
        (fault,) = history.faults
        assert fault.startswith(f"{FILE}:1: {why}")
        assert text.strip()[:20] in fault
        assert len(fault) < 250

    @given(st.lists(st.binary(max_size=60), max_size=10))
    def test_whatever_stands_there_nothing_fails(
        self, tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]
    ) -> None:
        root = tmp_path_factory.mktemp("root")
        put(root, b"\n".join(parts))
        history = UsageLog(root).history()
        assert history.events == ()
        assert all(fault.isprintable() for fault in history.faults)

    def test_keys_that_are_not_known_yet_are_passed_over(
        self, log: UsageLog, tmp_path: Path
    ) -> None:
        put(tmp_path, json.dumps(RIGHT | {"model": "m"}))
        assert isinstance(log.history().events[0], UsageEvent)

    def test_a_folder_in_the_place_of_the_file_is_told(self, log: UsageLog, tmp_path: Path) -> None:
        (tmp_path / FILE).mkdir(parents=True)
        with pytest.raises(LinkError, match="no regular file"):
            log.history()


WRITER = """
import sys
from pathlib import Path
from yoimem.recall.usage import UsageLog, UsedRecord

root, name, count, size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
records = [UsedRecord(f"knowledge/{name}-{number}.md", 1, 1) for number in range(size)]
log = UsageLog(root)
print("begins", flush=True)
for number in range(count):
    log.invoke(records, session=f"{name}-{number}", actor="agent")
"""


def writer(root: Path, name: str, count: int, size: int) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(root), name, str(count), str(size)],
        stdout=subprocess.PIPE,
        text=True,
    )


class TestProcesses:
    def test_eight_of_them_lose_and_tear_no_event(self, tmp_path: Path) -> None:
        # Every second one writes lines that are longer than any buffer.
        writers = [writer(tmp_path, f"w{n}", 200, 1 if n % 2 else 300) for n in range(8)]
        for process in writers:
            process.communicate(timeout=100)
            assert process.returncode == 0
        history = UsageLog(tmp_path).history()
        assert history.faults == ()
        assert {event.session for event in history.events} == {
            f"w{name}-{number}" for name in range(8) for number in range(200)
        }
        assert {len(event.records) for event in history.events} == {1, 300}

    @pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
    @pytest.mark.parametrize("size", [1, 2000])
    def test_one_that_is_killed_leaves_all_but_its_last(self, size: int, tmp_path: Path) -> None:
        process = writer(tmp_path, "killed", 10**9, size)
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        log = UsageLog(tmp_path)
        while len(log.history().events) < 20:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        log.spent(5, session="after", actor="agent")
        history = log.history()
        assert len(history.faults) <= 1
        sessions = [event.session for event in history.events]
        sessions.remove("after")  # its place among events of the same millisecond is anyone's
        assert sessions == [f"killed-{number}" for number in range(len(sessions))]
