"""Opening logs: whole lines only, whatever is done to a log, and errors for the reader."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sessions.transcripts import CLAUDE, LOGS, OWN, READERS, jsonl, write_log
from yoimem import SessionEntry, SessionReader
from yoimem.sessions.log import SessionError, open_log


class Broken:
    """A reader of a plugin: each call raises what it is made with, or returns what it is told."""

    name = "broken"
    keeps_pointer = False

    def __init__(self, error: BaseException, entries: object = None) -> None:
        self.error = error
        self.made = entries

    def recognises(self, lines: Sequence[str]) -> bool:
        if self.made is None:
            raise self.error
        return True

    def entries(self, lines: Sequence[str]) -> Sequence[SessionEntry]:
        return self.made  # type: ignore[return-value]

    def session_id(self, lines: Sequence[str]) -> str | None:
        raise self.error

    def find(self, session_id: str, workspace: Path) -> Path | None:
        raise self.error


def test_since_counts_lines_and_not_entries(tmp_path: Path) -> None:
    log = open_log(write_log(tmp_path, "yoimem"), READERS)
    assert [entry.index for entry in log.since(1)] == [1, 3]
    assert [entry.index for entry in log.since(2)] == [3]
    assert log.since(4) == ()
    assert log.since(0) == log.entries


def test_a_host_names_the_session(tmp_path: Path) -> None:
    path = write_log(tmp_path, "claude-code")
    assert open_log(path, READERS, "as-the-host-says").session_id == "as-the-host-says"


def test_malformed_lines_are_no_entries_and_count(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    lines = ["", "{broken", "[]", "7", "\ufeff", OWN[0], '{"a":' * 100_000, OWN[3]]
    path.write_bytes(jsonl(*lines).encode() + b"\xff\xfe\n" + jsonl(OWN[0]).encode())
    log = open_log(path, READERS)
    assert [entry.index for entry in log.entries] == [5, 7, 9]
    assert len(log.lines) == 10


def test_bytes_that_are_no_utf8_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(b'{"type": "message", "role": "user", "text": "caf\xe9"}\n')
    assert open_log(path, READERS).entries[0].text == "caf\ufffd"


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_line_ends_and_a_mark_at_the_start_change_nothing(
    end: str, start: str, tmp_path: Path
) -> None:
    plain = open_log(write_log(tmp_path, "codex"), READERS)
    path = tmp_path / "other.jsonl"
    path.write_bytes((start + jsonl(*LOGS["codex"]).replace("\n", end)).encode())
    log = open_log(path, READERS)
    assert (log.lines, log.entries) == (plain.lines, plain.entries)


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    text = "a\u2028b\u0085c\x1cd"
    path.write_text(jsonl({"type": "message", "role": "user", "text": text}))
    assert open_log(path, READERS).entries[0].text == text


@pytest.mark.parametrize("name", LOGS)
def test_a_log_torn_at_any_byte_holds_a_beginning_of_its_entries(name: str, tmp_path: Path) -> None:
    path = write_log(tmp_path, name)
    data, whole = path.read_bytes(), open_log(path, READERS)
    torn = tmp_path / "torn.jsonl"
    for size in range(len(data)):
        torn.write_bytes(data[:size])
        log = open_log(torn, READERS, reader_name=name)
        rest = data[:size].rpartition(b"\n")[2]
        count = data[:size].count(b"\n") + (rest != b"" and data[size : size + 1] == b"\n")
        assert list(log.lines) == list(whole.lines)[:count]
        assert log.is_torn == (rest != b"" and data[size : size + 1] != b"\n")
        assert log.entries == tuple(e for e in whole.entries if e.index < count)
        assert log.spent == tuple(s for s in whole.spent if s[0] < count)


def test_a_last_line_without_its_end_is_whole_when_nothing_can_follow(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    data = jsonl(*OWN).encode()
    path.write_bytes(data[:-1])
    assert (len(open_log(path, READERS).lines), open_log(path, READERS).is_torn) == (4, False)
    path.write_bytes(data + b"12")
    assert (len(open_log(path, READERS).lines), open_log(path, READERS).is_torn) == (4, True)


@given(st.binary(max_size=300))
def test_no_bytes_make_opening_fail(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_bytes(data)
        for name in READERS:
            log = open_log(path, READERS, reader_name=name)
            assert len(log.lines) + log.is_torn == len(data.removesuffix(b"\n").split(b"\n")) * (
                data != b""
            )


class TestErrors:
    def test_there_is_none(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none.jsonl", tmp_path / "no/folder.jsonl"):
            with pytest.raises(SessionError, match=r"there is no session log at .*jsonl"):
                open_log(path, READERS)

    def test_it_is_no_file(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero"), Path("a\0b")):
            with pytest.raises(SessionError, match="is no session log"):
                open_log(path, READERS)

    def test_it_is_a_link_to_itself(self, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(SessionError, match=r"is no session log: .* is a link"):
            open_log(tmp_path / "loop", READERS)

    def test_it_is_too_large(self, tmp_path: Path) -> None:
        path = tmp_path / "s1.jsonl"
        path.touch()
        os.truncate(path, (1 << 30) + 1)
        with pytest.raises(SessionError, match=r"cannot be read: .*File too large"):
            open_log(path, READERS)

    def test_it_is_of_no_host(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("Notes.\n")
        with pytest.raises(SessionError, match=r"it is no log of yoimem, claude-code, codex"):
            open_log(path, READERS)

    def test_it_is_empty(self, tmp_path: Path) -> None:
        path = tmp_path / "s1.jsonl"
        path.write_text("")
        with pytest.raises(SessionError, match=r"recognises .*s1.jsonl: it is empty"):
            open_log(path, READERS)

    def test_there_is_no_such_reader(self, tmp_path: Path) -> None:
        with pytest.raises(SessionError, match="`claude-cod`, did you mean `claude-code`"):
            open_log(write_log(tmp_path, "claude-code"), READERS, reader_name="claude-cod")

    def test_a_reader_that_fails_hides_no_other(self, tmp_path: Path) -> None:
        readers: dict[str, SessionReader] = {"broken": Broken(SystemExit(3)), **READERS}
        assert open_log(write_log(tmp_path, "codex"), readers).reader.name == "codex"
        path = tmp_path / "notes.txt"
        path.write_text("Notes.\n")
        with pytest.raises(
            SessionError, match=r"`broken` \(.*test_log.Broken\) failed: SystemExit: 3"
        ):
            open_log(path, readers)

    @pytest.mark.parametrize(
        ("made", "words"),
        [
            (7, "failed: TypeError"),
            (["x"], "made no entry of .*: 'x'"),
            ([SessionEntry(99, "user", "x")], "made no entry of .*index=99"),
            ([SessionEntry(0, "system", "x")], "made no entry"),  # type: ignore[arg-type]
            ([SessionEntry(0, "user", "x", -1)], "made no entry"),
        ],
        ids=["no list", "no entry", "no such line", "no role", "negative"],
    )
    def test_a_reader_that_makes_nonsense_is_named(
        self, made: object, words: str, tmp_path: Path
    ) -> None:
        readers: dict[str, SessionReader] = {"broken": Broken(ValueError("no id"), made)}
        with pytest.raises(SessionError, match=rf"`broken`.*{words}"):
            open_log(write_log(tmp_path, "codex"), readers)

    def test_a_reader_that_knows_no_id_is_named(self, tmp_path: Path) -> None:
        readers: dict[str, SessionReader] = {"broken": Broken(ValueError("no id"), [])}
        with pytest.raises(SessionError, match=r"`broken`.*failed: ValueError: no id"):
            open_log(write_log(tmp_path, "codex"), readers)


def test_entries_that_come_in_any_order_are_sorted(tmp_path: Path) -> None:
    made = [
        SessionEntry(2, "user", "b"),
        SessionEntry(0, "user", "a \ud83d"),
        SessionEntry(1, "user", "", 5),
    ]
    readers: dict[str, SessionReader] = {"broken": Broken(ValueError(), made)}
    log = open_log(write_log(tmp_path, "codex"), readers, "s1")
    assert [(e.index, e.text) for e in log.entries] == [(0, "a ?"), (2, "b")]
    assert log.tokens_since(1) == 5


def test_a_linked_log_is_the_log_itself(tmp_path: Path) -> None:
    real = write_log(tmp_path, "claude-code", "real")
    link = tmp_path / "elsewhere.jsonl"
    link.symlink_to(real)
    log = open_log(link, READERS)
    assert log.path == real.resolve()
    assert len(log.lines) == len(CLAUDE)
