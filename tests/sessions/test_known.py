"""Finding a log again: what was noted is held against the log, what readers find counts too."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Memory
from tests.sessions.test_log import Broken
from tests.sessions.transcripts import (
    CLAUDE,
    CLAUDE_ID,
    CODEX_ID,
    LOGS,
    READERS,
    jsonl,
    write_log,
)
from yoimem.fields import Source
from yoimem.sessions.known import SESSIONS_PATH, find_log, remember
from yoimem.sessions.log import SessionError, SessionLog, open_log
from yoimem.sessions.sources import entries_of, entries_of_each
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import Root

if TYPE_CHECKING:
    from yoimem import SessionReader

IDS = {"yoimem": "s1", "claude-code": CLAUDE_ID, "codex": CODEX_ID}


@pytest.fixture(autouse=True)
def _hosts_without_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


def root_of(memory: Memory) -> Root:
    return Root(memory.root.resolve(), memory.workspace.resolve())


def noted(memory: Memory) -> list[dict[str, str]]:
    return [json.loads(line) for line in (memory.root / SESSIONS_PATH).read_text().splitlines()]


def used(memory: Memory, folder: Path, name: str, stem: str = "s1") -> SessionLog:
    log = open_log(write_log(folder, name, stem), READERS)
    remember(root_of(memory).path, log)
    return log


@pytest.mark.parametrize("name", LOGS)
def test_a_log_that_was_used_is_found_again(name: str, memory: Memory, logs: Path) -> None:
    log = used(memory, logs, name)
    found = find_log(root_of(memory), IDS[name], READERS)
    assert found is not None
    assert (found.path, found.entries) == (log.path, log.entries)


def test_a_log_is_noted_once(memory: Memory, logs: Path) -> None:
    for _ in range(3):
        used(memory, logs, "yoimem")
    used(memory, logs, "codex", "other")
    assert [line["session_id"] for line in noted(memory)] == ["s1", CODEX_ID]


def test_a_log_that_grew_is_found_and_noted_no_more(memory: Memory, logs: Path) -> None:
    log = used(memory, logs, "yoimem")
    with log.path.open("a") as file:
        file.write(jsonl(*LOGS["yoimem"]))
    remember(root_of(memory).path, open_log(log.path, READERS))
    assert len(noted(memory)) == 1
    found = find_log(root_of(memory), "s1", READERS)
    assert found is not None
    assert len(found.lines) == 8


def test_an_empty_log_is_not_noted(memory: Memory, logs: Path) -> None:
    path = logs / "s1.jsonl"
    path.write_text("")
    remember(root_of(memory).path, open_log(path, READERS, reader_name="yoimem"))
    assert not (memory.root / SESSIONS_PATH).exists()


def test_a_torn_note_is_closed_and_passed_over(memory: Memory, logs: Path) -> None:
    memory.write(SESSIONS_PATH, '{"session_id": "s1", "pa')
    used(memory, logs, "yoimem")
    assert len((memory.root / SESSIONS_PATH).read_text().splitlines()) == 2
    assert find_log(root_of(memory), "s1", READERS) is not None


def test_what_is_gone_or_unknown_is_none(memory: Memory, logs: Path) -> None:
    used(memory, logs, "yoimem").path.unlink()
    assert find_log(root_of(memory), "s1", READERS) is None
    assert find_log(root_of(memory), "s2", READERS) is None


def test_another_log_in_its_place_is_not_taken_for_it(memory: Memory, logs: Path) -> None:
    log = used(memory, logs, "yoimem")
    other = {"type": "message", "role": "user", "text": "Something else."}
    log.path.write_text(jsonl(other, *LOGS["yoimem"]))
    assert find_log(root_of(memory), "s1", READERS) is None


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/dev/zero", "", ".", "a\0b", "x" * 5_000, "{logs}", "{logs}/notes.md"]
)
def test_a_note_that_anyone_wrote_opens_nothing_but_a_log(
    path: str, memory: Memory, logs: Path
) -> None:
    (logs / "notes.md").write_text("Notes.\n")
    line = {
        "session_id": "s1",
        "path": path.replace("{logs}", str(logs)),
        "reader": "yoimem",
        "begins": "",
    }
    memory.write(SESSIONS_PATH, jsonl(line, 7, {"session_id": "s1"}))
    found = entries_of(root_of(memory), Source("s1", 0, 3), READERS)
    assert (found.path, found.entries) == (None, ())
    assert "s1" in found.missing


@pytest.mark.parametrize("name", ["yoimem", "claude-code"])
def test_a_note_does_not_make_another_sessions_log_readable(
    name: str, memory: Memory, logs: Path
) -> None:
    path = write_log(logs, name, "secret")
    line = {"session_id": "s1", "path": str(path), "reader": name, "begins": "guessed"}
    memory.write(SESSIONS_PATH, jsonl(line))
    assert find_log(root_of(memory), "s1", READERS) is None


def test_a_note_behind_a_link_is_refused(memory: Memory, logs: Path) -> None:
    (memory.root / "memory/_logs").symlink_to(logs)
    with pytest.raises(LinkError):
        used(memory, logs, "yoimem")
    assert [path.name for path in logs.iterdir()] == ["s1.jsonl"]
    found = entries_of(root_of(memory), Source("s1", 0, 3), READERS)
    assert "is a link" in found.missing


def test_a_log_that_was_never_used_is_where_its_host_keeps_it(
    memory: Memory, tmp_path: Path
) -> None:
    name = "".join(c if c.isalnum() else "-" for c in str(memory.workspace.resolve()))
    place = tmp_path / "claude/projects" / name
    place.mkdir(parents=True)
    path = write_log(place, "claude-code", CLAUDE_ID)
    found = find_log(root_of(memory), CLAUDE_ID, READERS)
    assert found is not None
    assert found.path == path.resolve()
    path.rename(place / "another-id.jsonl")
    assert find_log(root_of(memory), "another-id", READERS) is None


class TestSources:
    def test_both_ends_of_a_range_are_in_it(self, memory: Memory, logs: Path) -> None:
        log = used(memory, logs, "yoimem")
        found = entries_of(root_of(memory), Source("s1", 1, 3), READERS)
        assert [entry.index for entry in found.entries] == [1, 3]
        assert (found.path, found.missing) == (log.path, "")

    def test_a_range_without_entries_is_whole(self, memory: Memory, logs: Path) -> None:
        used(memory, logs, "yoimem")
        found = entries_of(root_of(memory), Source("s1", 2, 2), READERS)
        assert (found.entries, found.missing) == ((), "")

    @pytest.mark.parametrize(("start", "there"), [(3, [3]), (4, [])])
    def test_a_range_beyond_the_log_is_told(
        self, start: int, there: list[int], memory: Memory, logs: Path
    ) -> None:
        used(memory, logs, "yoimem")
        found = entries_of(root_of(memory), Source("s1", start, 2**63), READERS)
        assert [entry.index for entry in found.entries] == there
        assert "has 4 lines" in found.missing
        assert f"[{start}, {2**63}]" in found.missing

    def test_a_missing_log_is_told(self, memory: Memory) -> None:
        found = entries_of(root_of(memory), Source("gone", 0, 1), READERS)
        assert found.path is None
        assert found.missing == "no log of the session `gone` is known here"

    def test_a_reader_that_fails_is_told_and_hides_no_other(
        self, memory: Memory, logs: Path
    ) -> None:
        readers: dict[str, SessionReader] = {"broken": Broken(SystemExit("stop")), **READERS}
        used(memory, logs, "yoimem")
        found = entries_of_each(root_of(memory), [Source("s1", 0, 0), Source("s2", 0, 0)], readers)
        assert [len(each.entries) for each in found] == [1, 0]
        assert "`broken`" in found[1].missing
        assert "SystemExit: stop" in found[1].missing

    def test_a_log_whose_reader_fails_now_is_told(self, memory: Memory, logs: Path) -> None:
        used(memory, logs, "yoimem")
        failing: SessionReader = Broken(ValueError("no id"), entries=7)
        failing.name = "yoimem"
        found = entries_of(root_of(memory), Source("s1", 0, 0), {"yoimem": failing})
        assert "failed: TypeError" in found.missing


def test_a_reader_that_fails_to_find_is_told_when_nothing_is_found(memory: Memory) -> None:
    readers: dict[str, SessionReader] = {"broken": Broken(ValueError("no disk")), **READERS}
    with pytest.raises(SessionError, match=r"`broken` .* failed: ValueError: no disk"):
        find_log(root_of(memory), "s1", readers)


@pytest.mark.parametrize("odd", [7, [], "a\0b"], ids=repr)
def test_a_reader_that_finds_nonsense_is_told(odd: object, memory: Memory) -> None:
    failing = Broken(ValueError())
    failing.find = lambda session_id, workspace: odd  # type: ignore[assignment, method-assign, return-value]
    with pytest.raises(SessionError, match=r"failed: TypeError|is no session log"):
        find_log(root_of(memory), "s1", {"broken": failing})


def test_each_source_has_its_own_entries(memory: Memory, logs: Path) -> None:
    used(memory, logs, "claude-code")
    used(memory, logs, "yoimem", "own")
    sources = [*(Source(CLAUDE_ID, n, n) for n in range(len(CLAUDE))), Source("own", 0, 0)]
    found = entries_of_each(root_of(memory), sources, READERS)
    assert [each.source for each in found] == sources
    there = [entry.index for each in found[:-1] for entry in each.entries]
    assert there == [2, 5, 7, 9, 12, 15, 16]
    assert [entry.text for entry in found[-1].entries] == ["Use SQLite?"]
