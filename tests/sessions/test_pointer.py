"""The pointer of a log: it says how far, survives kills and other writers, and finds a swap."""

import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.sessions.transcripts import LOGS, OWN, READERS, jsonl, write_log
from yoimem.sessions.log import SessionError, SessionLog, open_log
from yoimem.sessions.pointer import Pointer, pointer_at, read_pointer, write_pointer
from yoimem.workspace import folder

forks = pytest.mark.skipif(
    "forkserver" not in multiprocessing.get_all_start_methods(), reason="needs SIGKILL and fork"
)
STEPS = {"open", "write", "flush", "fsync", "replace", "rename", "unlink", "close"}


def opened(path: Path) -> SessionLog:
    return open_log(path, READERS)


@pytest.mark.parametrize("name", LOGS)
class TestAnyLog:
    def test_there_is_none_at_first(self, name: str, tmp_path: Path) -> None:
        assert read_pointer(opened(write_log(tmp_path, name))) is None

    def test_the_last_one_written_is_read(self, name: str, tmp_path: Path) -> None:
        path = write_log(tmp_path, name)
        for index in (2, 4, 3):
            log = opened(path)
            write_pointer(log, pointer_at(log, index))
            again = opened(path)
            pointer = read_pointer(again)
            assert pointer is not None
            assert (pointer.next, pointer.fits(again)) == (index, True)

    def test_it_changes_neither_lines_nor_entries(self, name: str, tmp_path: Path) -> None:
        path = write_log(tmp_path, name)
        before = opened(path)
        write_pointer(before, pointer_at(before, len(before.lines)))
        after = opened(path)
        assert list(after.lines)[: len(before.lines)] == list(before.lines)
        assert after.entries == before.entries
        assert after.since(len(before.lines)) == ()

    def test_a_log_that_grew_still_fits(self, name: str, tmp_path: Path) -> None:
        path = write_log(tmp_path, name)
        log = opened(path)
        write_pointer(log, pointer_at(log, len(log.lines)))
        with path.open("ab") as file:
            file.write(jsonl(*LOGS[name]).encode())
        grown = opened(path)
        pointer = read_pointer(grown)
        assert pointer is not None
        assert pointer.fits(grown)
        assert [e.text for e in grown.since(pointer.next)] == [
            e.text for e in grown.entries[len(log.entries) :]
        ]

    def test_a_log_that_shrank_or_was_replaced_does_not_fit(
        self, name: str, tmp_path: Path
    ) -> None:
        path = write_log(tmp_path, name)
        log = opened(path)
        pointer = pointer_at(log, 4)
        lines = jsonl(*LOGS[name]).splitlines(keepends=True)
        path.write_text("".join(lines[:3]))
        assert not pointer.fits(opened(path))
        path.write_text("".join([*lines[:3], lines[2], *lines[4:]]))
        assert not pointer.fits(opened(path))
        path.write_text("".join([*lines[:4], lines[0]]))
        assert pointer.fits(opened(path))
        assert Pointer(0, "").fits(opened(path))
        assert not Pointer(0, "x").fits(opened(path))

    def test_a_linked_log_has_one_pointer(self, name: str, tmp_path: Path) -> None:
        real = write_log(tmp_path, name, "real")
        (tmp_path / "other").mkdir()
        link = tmp_path / "other" / "link.jsonl"
        link.symlink_to(real)
        log = opened(link)
        write_pointer(log, pointer_at(log, 3))
        assert read_pointer(opened(real)) == read_pointer(opened(link)) == pointer_at(log, 3)
        assert [p.name for p in link.parent.iterdir()] == ["link.jsonl"]


def test_there_is_no_pointer_past_the_end(tmp_path: Path) -> None:
    log = opened(write_log(tmp_path, "yoimem"))
    for index in (-1, 5):
        with pytest.raises(IndexError, match="has 4 lines"):
            pointer_at(log, index)


class TestInTheLog:
    def test_it_is_a_line_of_its_own_type(self, tmp_path: Path) -> None:
        path = write_log(tmp_path, "yoimem")
        log = opened(path)
        write_pointer(log, pointer_at(log, 4))
        last = json.loads(path.read_text().splitlines()[-1])
        assert (last["type"], last["domain"]) == ("extension", "memory.extract")
        assert last["payload"]["next"] == 4
        assert [p.name for p in tmp_path.iterdir()] == ["s1.jsonl"]

    def test_what_a_dead_host_left_is_closed_first(self, tmp_path: Path) -> None:
        path = write_log(tmp_path, "yoimem")
        with path.open("ab") as file:
            file.write(b'{"type": "message", "role": "us')
        log = opened(path)
        assert log.is_torn
        write_pointer(log, pointer_at(log, 4))
        with path.open("ab") as file:
            file.write(jsonl(OWN[0]).encode())
        after = opened(path)
        pointer = read_pointer(after)
        assert pointer == pointer_at(log, 4)
        assert [e.index for e in after.since(4)] == [6]

    def test_a_last_line_without_its_end_keeps_its_index(self, tmp_path: Path) -> None:
        path = write_log(tmp_path, "yoimem")
        path.write_bytes(path.read_bytes()[:-1])
        log = opened(path)
        write_pointer(log, pointer_at(log, 4))
        after = opened(path)
        assert read_pointer(after) == pointer_at(after, 4)
        assert after.entries == log.entries

    @pytest.mark.parametrize(
        "payload", [None, 7, {}, {"next": -1, "line": ""}, {"next": True, "line": ""}, {"next": 1}]
    )
    def test_a_line_that_is_no_pointer_is_none(self, payload: object, tmp_path: Path) -> None:
        path = write_log(tmp_path, "yoimem")
        log = opened(path)
        write_pointer(log, pointer_at(log, 2))
        odd = {"type": "extension", "domain": "memory.extract", "payload": payload}
        told = {"type": "message", "role": "user", "text": '"domain": "memory.extract"'}
        with path.open("a") as file:
            file.write(jsonl(odd, told))
        assert read_pointer(opened(path)) == pointer_at(log, 2)


class TestBesideTheLog:
    def test_it_is_a_file_by_the_logs_name(self, tmp_path: Path) -> None:
        path = write_log(tmp_path, "claude-code")
        before = path.read_bytes()
        log = opened(path)
        write_pointer(log, pointer_at(log, 4))
        assert sorted(p.name for p in tmp_path.iterdir()) == ["s1.jsonl", "s1.jsonl.yoimem.json"]
        assert path.read_bytes() == before

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"next": "1", "line": ""}', "\xff"])
    def test_a_file_that_is_no_pointer_is_none(self, text: str, tmp_path: Path) -> None:
        path = write_log(tmp_path, "codex")
        (tmp_path / "s1.jsonl.yoimem.json").write_bytes(text.encode("latin-1"))
        assert read_pointer(opened(path)) is None

    def test_a_link_in_its_place_is_not_followed(self, tmp_path: Path) -> None:
        path = write_log(tmp_path, "codex")
        target = tmp_path / "target"
        target.write_text('{"next": 1, "line": ""}')
        (tmp_path / "s1.jsonl.yoimem.json").symlink_to(target)
        log = opened(path)
        with pytest.raises(SessionError, match=r"the pointer beside .* cannot be read"):
            read_pointer(log)
        write_pointer(log, pointer_at(log, 2))
        assert target.read_text() == '{"next": 1, "line": ""}'
        assert read_pointer(log) == pointer_at(log, 2)


@pytest.mark.parametrize("name", LOGS)
def test_a_folder_that_is_gone_is_told(name: str, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    log = opened(write_log(inside, name))
    inside.rename(tmp_path / "moved")
    with pytest.raises(SessionError, match=r"the pointer of .* cannot be written"):
        write_pointer(log, pointer_at(log, 1))


def run(target: Callable[..., None], *args: object) -> multiprocessing.process.BaseProcess:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=target, args=args)
    process.start()
    return process


def die_at_step(path: str, number: int) -> None:
    """Write a pointer in a process of its own, and be killed at a step."""
    steps = count(1)

    def watch(frame: FrameType, event: str, called: Any) -> None:
        if event != "c_call" or frame.f_code.co_filename != folder.__file__:
            return
        if called.__name__ in STEPS and next(steps) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    log = opened(Path(path))
    sys.setprofile(watch)
    write_pointer(log, pointer_at(log, 3))
    sys.setprofile(None)


@forks
@pytest.mark.parametrize("name", ["yoimem", "codex"])
def test_killed_at_any_step_the_old_or_the_new_one_stands(name: str, tmp_path: Path) -> None:
    path = write_log(tmp_path, name)
    log = opened(path)
    old, new = pointer_at(log, 1), pointer_at(log, 3)
    seen = set()
    for number in count(1):
        write_pointer(opened(path), old)
        process = run(die_at_step, str(path), number)
        process.join(30)
        after = opened(path)
        pointer = read_pointer(after)
        assert pointer in {old, new}
        assert after.entries == log.entries
        seen.add((process.exitcode, pointer))
        if process.exitcode == 0:
            break
    assert {(-signal.SIGKILL, old), (0, new)} <= seen


def write_often(path: str, index: int, until: float) -> None:
    log = opened(Path(path))
    while time.monotonic() < until:
        write_pointer(log, pointer_at(log, index))


@forks
@pytest.mark.parametrize("name", ["yoimem", "codex"])
def test_with_two_writers_each_reading_is_whole(name: str, tmp_path: Path) -> None:
    path = write_log(tmp_path, name)
    log = opened(path)
    both = {pointer_at(log, 1), pointer_at(log, 3)}
    write_pointer(log, pointer_at(log, 1))
    until = time.monotonic() + 1.0
    processes = [run(write_often, str(path), index, until) for index in (1, 3)]
    seen = set()
    while time.monotonic() < until:
        now = opened(path)
        seen.add(read_pointer(now))
        assert now.entries == log.entries
    for process in processes:
        process.join(30)
        assert process.exitcode == 0
    assert seen <= both
    assert not opened(path).is_torn
    assert {p.name for p in tmp_path.iterdir()} <= {"s1.jsonl", "s1.jsonl.yoimem.json"}
