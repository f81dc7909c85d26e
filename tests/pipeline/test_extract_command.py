"""`yoimem extract` and `yoimem staging`, judged by what a user sees."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.conftest import Session
from tests.pipeline.provider import ScriptedProvider, failure, text
from tests.pipeline.test_extract import found, nothing, staged
from tests.pipeline.test_staging import ACTIVITY
from yoimem.interfaces.cli.main import main
from yoimem.pipeline.activity import ACTIVITY_SCHEMA
from yoimem.pipeline.extract import instructions
from yoimem.pipeline.run_lock import run_lock
from yoimem.pipeline.staging import STAGING_PATH, Staging
from yoimem.records.fields import Source
from yoimem.sessions.pointer import Pointer
from yoimem.workspace.layout import Root

Output = pytest.CaptureFixture[str]
Scripted = Callable[..., ScriptedProvider]


@pytest.fixture(autouse=True)
def _in_the_workspace(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.workspace)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(root.workspace / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(root.workspace / "codex"))


def run(output: Output, *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    captured = output.readouterr()
    assert captured.err == ""
    return captured.out


def run_failing(output: Output, *arguments: str) -> tuple[str, str]:
    """Return what a command that exits with 1 says on standard output, and on standard error."""
    assert main(arguments) == 1
    captured = output.readouterr()
    return captured.out, captured.err


def run_json(output: Output, *arguments: str, code: int = 0) -> dict[str, Any]:
    content = json.loads(run(output, *arguments, "--output-format", "json", code=code))
    assert content.pop("version") == 1
    return dict(content)


class TestExtract:
    def test_it_tells_what_was_staged(
        self, root: Root, session: Session, scripted: Scripted, capsys: Output
    ) -> None:
        scripted(found())
        out = run(capsys, "extract", str(session.path))
        (entry,) = staged(root)
        assert out == (
            "read entries 0 to 2 of the session session-1\n"
            f"staged {entry.id}  {entry.created_at}  session-1 0-2  1 decision"
            f"  {entry.size} bytes\n"
        )

    def test_a_session_that_is_known_is_named_by_its_id(
        self, session: Session, scripted: Scripted, capsys: Output
    ) -> None:
        scripted(nothing(), found())
        out = run(capsys, "extract", str(session.path))
        assert out.endswith("nothing was worth keeping\n")
        assert run(capsys, "extract", "session-1") == "nothing is new since the last extract\n"
        session.say("More.")
        assert "read entries 4 to 4" in run(capsys, "extract", "session-1")

    def test_if_due(self, root: Root, session: Session, capsys: Output) -> None:
        config = root.workspace / "yoimem.toml"
        config.write_text(config.read_text().replace("1000", "9999"))
        assert run(capsys, "extract", "--if-due", str(session.path)) == (
            "no extract is due\nnote: 1,500 of 9,999 tokens were spent\n"
        )

    def test_json(self, root: Root, session: Session, scripted: Scripted, capsys: Output) -> None:
        scripted(found())
        content = run_json(capsys, "extract", str(session.path))
        (entry,) = staged(root)
        assert content == {
            "session_id": "session-1",
            "outcome": "extracted",
            "ranges": [[0, 2]],
            "staged": [
                {
                    "id": entry.id,
                    "created_at": entry.created_at,
                    "source": {"session_id": "session-1", "range": [0, 2]},
                    "counts": {"decisions": 1, "discussions": 0, "attempts": 0, "requests": 0},
                    "bytes": entry.size,
                }
            ],
            "notes": [],
            "error": None,
        }

    def test_a_failure_is_1(
        self, root: Root, session: Session, scripted: Scripted, capsys: Output
    ) -> None:
        scripted(failure(500, "out of \x1b[31morder"))
        out, err = run_failing(capsys, "extract", str(session.path))
        assert out.endswith("nothing was extracted\n")
        assert err.startswith("error: the provider of `scripted` answered")
        assert "\x1b" not in err
        assert staged(root) == ()
        assert run_json(capsys, "extract", str(session.path), code=1)["error"]

    def test_without_a_model_it_says_what_to_set(
        self, root: Root, session: Session, capsys: Output
    ) -> None:
        (root.workspace / "yoimem.toml").unlink()
        assert "`extract.model` takes one" in run_failing(capsys, "extract", str(session.path))[1]

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["nowhere"], "no log of a session of this id is known"),
            (["nowhere/x.jsonl"], "`nowhere/x.jsonl` is no file"),
            (["yoimem.toml"], "no session reader recognises"),
            (["--reader", "codec", "yoimem.toml"], "did you mean `codex`?"),
            (["--if-due", "--prompt", "x"], "three different things"),
            ([], "Missing argument"),
        ],
        ids=str,
    )
    def test_misuse_is_2(self, arguments: list[str], words: str, capsys: Output) -> None:
        assert main(["extract", *arguments]) == 2
        captured = capsys.readouterr()
        assert words in captured.err
        assert captured.out == ""

    def test_a_staging_folder_that_is_a_link_is_refused(
        self, root: Root, session: Session, scripted: Scripted, tmp_path: Path, capsys: Output
    ) -> None:
        scripted(found())
        (root.path / STAGING_PATH).symlink_to(tmp_path)
        assert "is a link" in run_failing(capsys, "extract", str(session.path))[1]
        assert main(["staging"]) == 2
        assert "is a link" in capsys.readouterr().err


class TestPrompt:
    def test_the_whole_input_and_no_model(
        self, root: Root, session: Session, scripted: Scripted, capsys: Output
    ) -> None:
        provider = scripted(found())
        out = run(capsys, "extract", "--prompt", str(session.path))
        assert instructions() in out
        assert json.dumps(ACTIVITY_SCHEMA, indent=2) in out
        assert out.endswith("[2] user\nThanks.\n")
        assert (provider.requests, staged(root)) == ([], ())
        assert not (root.path / "memory/_logs").exists()

    def test_that_nothing_is_new_is_said_beside_it(
        self, session: Session, scripted: Scripted, capsys: Output
    ) -> None:
        scripted(nothing())
        run(capsys, "extract", str(session.path))
        assert main(["extract", "--prompt", str(session.path)]) == 0
        captured = capsys.readouterr()
        assert captured.err == "yoimem: nothing is new since the last extract\n"
        assert instructions() in captured.out

    def test_it_is_what_a_model_is_sent(
        self, session: Session, scripted: Scripted, capsys: Output
    ) -> None:
        provider = scripted(found())
        content = run_json(capsys, "extract", "--prompt", str(session.path))
        run(capsys, "extract", str(session.path))
        system, user = (message["content"] for message in provider.requests[0]["messages"])
        assert (content["instructions"], content["text"]) == (system, user)
        assert content["schema"] == ACTIVITY_SCHEMA


class TestAfterTurn:
    def test_it_notes_extracts_and_tells(
        self, session: Session, scripted: Scripted, capsys: Output
    ) -> None:
        scripted(found())
        content = run_json(capsys, "extract", "--after-turn", str(session.path))
        assert (content["tokens"], content["consolidate"], content["faults"]) == (1_500, [], [])
        assert content["extract"]["ranges"] == [[0, 2]]
        out = run(capsys, "extract", "--after-turn", "--session-id", "other", str(session.path))
        assert out.startswith("noted 1,500 tokens\n")

    def test_as_a_hook_starts_it(self, root: Root, session: Session, scripted: Scripted) -> None:
        scripted(found())
        command = [sys.executable, "-P", "-m", "yoimem", "extract", "--after-turn", "--root"]
        done = subprocess.run(
            [*command, root.path, "--session-id", session.id, "--", session.path],
            cwd="/", env=dict(os.environ), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert [entry.source for entry in staged(root)] == [("session-1", 0, 2)]

    def test_a_failure_is_told_with_the_time_and_the_session(
        self, session: Session, scripted: Scripted, capsys: Output
    ) -> None:
        scripted(*[text("no")] * 9)
        out, err = run_failing(capsys, "extract", "--after-turn", str(session.path))
        assert out.startswith("noted 1,500 tokens\n")
        assert "error" not in out
        head, error = err.splitlines()
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00 session session-1", head)
        assert error.startswith("error: ")
        content = run_json(capsys, "extract", "--after-turn", str(session.path), code=1)
        assert content["extract"]["error"]

    def test_a_run_that_failed_and_what_stood_in_the_way_are_errors(
        self, root: Root, session: Session, scripted: Scripted, capsys: Output
    ) -> None:
        config = root.workspace / "yoimem.toml"
        config.write_text(config.read_text() + "files = 1\n")
        scripted(found(), failure(400, "no credit"))
        out, err = run_failing(capsys, "extract", "--after-turn", str(session.path))
        assert "staged " in out
        assert "failed" not in out
        assert re.search(r"\nerror: run \S+ failed, with 0 records changed .*no credit", err)
        with run_lock(root.path):
            session.say("More.", tokens=1_500)
            scripted(found())
            _, err = run_failing(capsys, "extract", "--after-turn", str(session.path))
        assert re.search(r"\nerror: process \d+ consolidates this memory", err)

    @pytest.mark.parametrize("is_config_broken", [False, True])
    def test_what_ends_the_command_has_the_time_and_the_session_too(
        self, is_config_broken: bool, root: Root, capsys: Output
    ) -> None:
        if is_config_broken:
            (root.workspace / "yoimem.toml").write_text("[extract")
        assert main(["extract", "--after-turn", "--session-id", "s9", "nowhere.jsonl"]) == 2
        head, error = capsys.readouterr().err.splitlines()[:2]
        assert head.endswith("+00:00 session s9")
        assert "yoimem.toml" in error or "`nowhere.jsonl` is no file" in error


class TestStaging:
    def test_nothing_is_staged(self, capsys: Output) -> None:
        assert run(capsys, "staging") == "nothing is staged\n"
        assert run_json(capsys, "staging") == {"staged": []}

    def test_a_list_and_one_entry(self, root: Root, capsys: Output) -> None:
        staging = Staging(root.path)
        entries = [
            staging.add(Source(name, 0, 4), Pointer(5, ""), ACTIVITY) for name in ("a\x1bb", "s2")
        ]
        first, second = run(capsys, "staging").splitlines()
        assert first.startswith(
            f"{entries[0].id}  {entries[0].created_at}  a\\x1bb 0-4  1 decision, "
        )
        assert second.endswith(
            f"s2 0-4  1 decision, 1 discussion, 1 attempt, 1 request  {entries[1].size} bytes"
        )
        out = run(capsys, "staging", "show", entries[1].id)
        assert out == (
            f"{second}\n"
            "\ndecisions\n"
            "  - options:\n      SQLite\n      files\n    chosen: SQLite\n    rationale: One file.\n"
            "\ndiscussions\n  - topic: locks\n    points:\n      slow\n      safe\n"
            "\nattempts\n  - action: ran it\n    result: it failed\n    succeeded: no\n"
            "\nrequests\n  - intent: speed\n    target: search\n    summary: make it fast\n"
        )

    def test_the_beginning_of_an_id_is_enough_if_it_is_the_only_one(
        self, root: Root, capsys: Output
    ) -> None:
        staging = Staging(root.path)
        one, two = (staging.add(Source("s1", 0, 4), Pointer(5, ""), ACTIVITY) for _ in range(2))
        length = next(n for n in range(36) if one.id[:n] != two.id[:n])
        content = run_json(capsys, "staging", "show", one.id[:length])
        assert (content["id"], content["activity"]["decisions"][0]["chosen"]) == (one.id, "SQLite")
        assert main(["staging", "show", one.id[: length - 1]]) == 2
        assert "several ids begin with" in capsys.readouterr().err
        assert main(["staging", "show", "x"]) == 2
        assert "nothing is staged whose id begins with `x`" in capsys.readouterr().err

    def test_a_faulty_file_is_told(self, root: Root, capsys: Output) -> None:
        folder = root.path / STAGING_PATH
        folder.mkdir()
        (folder / "a.json").write_text("{")
        assert main(["staging"]) == 0
        captured = capsys.readouterr()
        assert captured.out == "nothing is staged\n"
        assert "memory/_staging/a.json is no staged entry" in captured.err

    def test_the_root_may_stand_before_or_behind(
        self, root: Root, capsys: Output, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        entry = Staging(root.path).add(Source("s1", 0, 4), Pointer(5, ""), ACTIVITY)
        monkeypatch.chdir("/")
        for arguments in (
            ["staging", "--root", str(root.path), "show", entry.id],
            ["staging", "show", entry.id, "--root", str(root.path)],
        ):
            assert run(capsys, *arguments).startswith(entry.id)
