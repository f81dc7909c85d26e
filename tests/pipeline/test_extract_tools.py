"""A host's own agent extracts: the same entries, the same judge, the same lock."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.conftest import Session
from tests.pipeline.test_activity import FULL
from tests.pipeline.test_extract import NOTHING, extract, pointer, ranges, staged
from yoimem.lint.config import load_config
from yoimem.lint.host import load_plugins
from yoimem.pipeline.extract_tools import ExtractTools
from yoimem.tools import MemoryToolError
from yoimem.workspace.layout import Root


@pytest.fixture
def tools(root: Root, monkeypatch: pytest.MonkeyPatch) -> ExtractTools:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(root.workspace / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(root.workspace / "codex"))
    return ExtractTools(root, load_plugins(root, load_config(root)))


def begin(tools: ExtractTools, session: Session | str) -> str:
    word = session if isinstance(session, str) else str(session.path)
    return tools.call("extract_begin", {"session": word})


def submit(tools: ExtractTools, activity: Any) -> str:
    text = activity if isinstance(activity, str) else json.dumps(activity)
    return tools.call("extract_submit", {"activity": text})


def refused(tools: ExtractTools, activity: Any) -> str:
    with pytest.raises(MemoryToolError) as caught:
        submit(tools, activity)
    return caught.value.message


def test_what_is_submitted_is_staged_with_the_source(
    tools: ExtractTools, root: Root, session: Session
) -> None:
    given = begin(tools, session)
    assert "[1] assistant\nDone: orders.db it is." in given
    assert '"additionalProperties": false' in given
    assert "activity log" in given
    answer = submit(tools, FULL)
    (entry,) = staged(root)
    assert answer == f"staged as {entry.id}"
    assert entry.source == ("session-1", 0, 2)
    assert pointer(session) == 3
    assert begin(tools, session.id).startswith("nothing is new")


def test_nothing_found_moves_the_pointer(tools: ExtractTools, root: Root, session: Session) -> None:
    begin(tools, session)
    assert "nothing was staged" in submit(tools, NOTHING)
    assert (staged(root), pointer(session)) == ((), 3)


def test_what_was_said_meanwhile_is_left_for_the_next_one(
    tools: ExtractTools, root: Root, session: Session
) -> None:
    begin(tools, session)
    session.say("Meanwhile.")
    submit(tools, FULL)
    assert "[3] user\nMeanwhile." in begin(tools, session)
    submit(tools, FULL)
    assert ranges(root) == [(0, 2), (3, 3)]


def test_meanwhile_nobody_else_extracts_the_session(
    tools: ExtractTools, root: Root, session: Session
) -> None:
    begin(tools, session)
    assert extract(root, session).outcome == "in flight"
    other = ExtractTools(root, load_plugins(root, load_config(root)))
    with pytest.raises(MemoryToolError) as caught:
        begin(other, session)
    assert caught.value.code == "busy"
    ended = threading.Thread(target=tools.close)  # a host may end in another thread
    ended.start()
    ended.join()
    assert "Thanks." in begin(other, session)
    other.close()
    assert (staged(root), pointer(session)) == ((), None)


def test_beginning_again_begins_anew(tools: ExtractTools, root: Root, session: Session) -> None:
    begin(tools, session)
    session.say("More.")
    assert "[3] user\nMore." in begin(tools, session)
    submit(tools, FULL)
    assert ranges(root) == [(0, 3)]


def test_every_fault_is_told_and_after_five_it_is_given_up(
    tools: ExtractTools, root: Root, session: Session
) -> None:
    begin(tools, session)
    source = {"source": {"session_id": "s9", "range": [0, 9]}}
    first = refused(tools, {"decisions": [{}], **source})
    assert "`attempts` is missing: give an empty list where there is none" in first
    assert "`decisions[0].chosen` is missing" in first
    assert "`source` is no part of an activity log" in first
    assert "4 more tries are left" in first
    assert "is no JSON" in refused(tools, "{")
    assert "is no JSON" in refused(tools, "[" * 100_000)
    assert "takes an object" in refused(tools, "7")
    assert "the extract is given up, and nothing was lost" in refused(tools, "[]")
    assert "no extract is under way" in refused(tools, FULL)
    assert (staged(root), pointer(session)) == ((), None)
    assert "Thanks." in begin(tools, session)
    submit(tools, FULL)
    assert ranges(root) == [(0, 2)]


def test_a_full_disk_ends_the_extract_and_loses_nothing(
    tools: ExtractTools, root: Root, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    begin(tools, session)
    with monkeypatch.context() as patch:
        patch.setattr("yoimem.workspace.folder.Folder.write", full)
        assert "No space left" in refused(tools, FULL)
    assert extract(root, session, force=False, threshold=0).outcome == "not due"
    begin(tools, session)
    submit(tools, FULL)
    assert ranges(root) == [(0, 2)]


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("extract_submit", {"activity": "{}"}, "invalid_argument"),
        ("extract_submit", {}, "invalid_argument"),
        ("extract_begin", {"session": 7}, "invalid_argument"),
        ("extract_begin", {"session": "s1", "range": [0, 1]}, "invalid_argument"),
        ("extract_begin", {"session": "nowhere"}, "not_found"),
        ("extract_begin", {"session": ""}, "not_found"),
        ("extract_begin", {"session": "a\x00b"}, "not_found"),
        ("extract_begin", {"session": "x" * 10_000}, "not_found"),
        ("extract_end", {}, "invalid_argument"),
    ],
)
def test_calls_that_are_wrong(
    name: str, arguments: dict[str, Any], code: str, tools: ExtractTools
) -> None:
    with pytest.raises(MemoryToolError) as caught:
        tools.call(name, arguments)
    assert caught.value.code == code
    assert len(caught.value.message) < 400


def test_an_unknown_session_is_answered_with_what_is_accepted(tools: ExtractTools) -> None:
    with pytest.raises(MemoryToolError, match="by the path of its log, or by its id"):
        begin(tools, "nowhere")


def test_no_file_that_is_no_log_is_shown(tools: ExtractTools, root: Root, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hunter2\n")
    with pytest.raises(MemoryToolError) as caught:
        begin(tools, str(tmp_path / "secret.txt"))
    assert "hunter2" not in caught.value.message
