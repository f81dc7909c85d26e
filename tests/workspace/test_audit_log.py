"""The audit log: two lines a change, read to its last whole line whatever was cut off."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from yoimem.workspace.audit import AUDIT_PATH, AuditLine, AuditLog, sha256

LINE = AuditLine(
    stage="intent",
    id="1",
    time="2026-03-01T12:00:00.000+00:00",
    actor="agent",
    session="s-1",
    run=None,
    tool="memory_edit",
    path="memory/decisions/a.md",
    before=None,
    after=sha256(b"x"),
    reasons=("outdated", "noisy"),
    config="0" * 64,
)


@pytest.fixture
def log(tmp_path: Path) -> AuditLog:
    return AuditLog(tmp_path)


def raw(root: Path) -> bytes:
    return (root / AUDIT_PATH).read_bytes()


def test_an_empty_log_has_no_lines_and_makes_no_file(log: AuditLog, tmp_path: Path) -> None:
    assert list(log.lines()) == []
    assert log.unsettled() is None
    assert list(tmp_path.iterdir()) == []


def test_lines_are_read_as_they_were_written(log: AuditLog, tmp_path: Path) -> None:
    moved = replace(LINE, id="2", moved_to="memory/decisions/b.md", session='"\n\u2028é')
    for line in (LINE, moved):
        log.append(line)
    assert list(log.lines()) == [LINE, moved]
    assert [json.loads(line) for line in raw(tmp_path).splitlines()] == [
        {**asdict(line), "reasons": list(line.reasons)} for line in (LINE, moved)
    ]


def test_an_intent_is_open_until_its_end_is_written(log: AuditLog) -> None:
    for stage in ("done", "undone"):
        log.append(LINE)
        assert log.unsettled() == LINE
        log.settle(LINE, stage)  # type: ignore[arg-type]
        assert log.unsettled() is None
    assert [line.stage for line in log.lines()] == ["intent", "done", "intent", "undone"]


def test_a_log_that_is_cut_anywhere_is_read_and_goes_on(log: AuditLog, tmp_path: Path) -> None:
    log.append(LINE)
    log.settle(LINE, "done")
    second = replace(LINE, id="2")
    log.append(second)
    log.settle(second, "done")
    whole = raw(tmp_path)
    ends = [at + 1 for at, byte in enumerate(whole) if byte == 10]
    for size in range(len(whole)):
        (tmp_path / AUDIT_PATH).write_bytes(whole[:size])
        # A line is there once its last brace is, with or without its line end.
        there = sum(size >= end - 1 for end in ends)
        assert len(list(log.lines())) == there
        open_intent = log.unsettled()
        assert open_intent == ({1: LINE, 3: second}.get(there))
        third = replace(LINE, id="3")
        log.append(third)
        assert list(log.lines())[-1] == third
        assert len(list(log.lines())) == there + 1
        assert raw(tmp_path).startswith(whole[:size])


@pytest.mark.parametrize(
    "foreign",
    [b"\n", b"null\n", b"[1]\n", b"{}\n", b"\xff\xfe\n", b'{"stage": "intent"}\n', b"{" * 5000],
)
def test_foreign_lines_are_passed_over(log: AuditLog, tmp_path: Path, foreign: bytes) -> None:
    log.append(LINE)
    with (tmp_path / AUDIT_PATH).open("ab") as file:
        file.write(foreign)
    assert log.unsettled() == LINE
    log.settle(LINE, "done")
    assert [line.stage for line in log.lines()] == ["intent", "done"]


def test_a_long_log_is_not_read_whole_for_its_end(log: AuditLog, tmp_path: Path) -> None:
    log.append(LINE)
    one = raw(tmp_path)
    (tmp_path / AUDIT_PATH).write_bytes(one * 1000 + b"x" * 100)
    assert log.unsettled() == LINE
    assert len(list(log.lines())) == 1000


def test_hashes_are_of_the_bytes() -> None:
    assert sha256(None) is None
    assert sha256(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
