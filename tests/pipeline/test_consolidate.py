"""Consolidation by a model that is called: what goes in, what comes out, how it fails."""

import json
import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.pipeline.conftest import Session
from tests.pipeline.provider import Request, ScriptedProvider, Step, failure, text, tools
from tests.pipeline.tree import (
    answers,
    check,
    consumed_ids,
    decision,
    knowledge,
    last_user_text,
    loaded,
    records,
    request,
    source,
    spend,
    stage,
    staged_ids,
    use,
    write,
)
from yoimem.lint.config import Config
from yoimem.pipeline.after_turn import after_turn
from yoimem.pipeline.consolidate import consolidate, consolidate_if_due
from yoimem.pipeline.run_summary import Changed
from yoimem.workspace.audit import AuditLog
from yoimem.workspace.layout import Root

Start = Callable[..., ScriptedProvider]
PATH = "memory/decisions/use-sqlite.md"
WRITE = tools(
    (
        "memory_write",
        {"path": PATH, "content": decision(times=False), "reasons": ["integrate"]},
    )
)


def with_settings(root: Root, **settings: object) -> Config:
    config, _ = loaded(root)
    return replace(config, consolidate=replace(config.consolidate, **settings))  # type: ignore[arg-type]


def test_a_transcript_goes_in_and_a_record_with_its_source_comes_out(
    root: Root, session: Session, scripted: Start
) -> None:
    activity = {
        "decisions": [{"options": ["SQLite"], "chosen": "SQLite", "rationale": "One file."}],
        "discussions": [],
        "attempts": [],
        "requests": [],
    }
    made = source("session-1", 2)
    scripted(
        tools(("submit_activity", activity)),
        tools(
            (
                "memory_write",
                {
                    "path": PATH,
                    "content": decision("# Use SQLite\n\nOne file.\n", made, times=False),
                    "reasons": ["integrate"],
                },
            )
        ),
        text("One decision."),
        text("Nothing to tidy."),
    )
    done = after_turn(root, session.path, config=with_settings(root, files=1))
    assert done.consolidate is not None
    (run,) = done.consolidate.runs
    assert (run.failure, run.said) == ("", "Nothing to tidy.")
    assert records(root)[PATH].split("\n")[2] == f"sources: [{made}]"
    assert check(root).diagnostics == ()
    assert staged_ids(root) == []


def test_a_run_integrates_then_tidies_and_consumes_what_it_took_in(
    root: Root, scripted: Start
) -> None:
    entries = [stage(root, "s1"), stage(root, "s2", end=4)]
    provider = scripted(WRITE, text("integrated"), text("tidied"))
    (run,) = consolidate(root, *loaded(root), force=True).runs
    assert run.consumed == tuple(entry.id for entry in entries)
    assert run.changes == (Changed(PATH, "created", ("integrate",)),)
    assert consumed_ids(root) == list(run.consumed)
    assert staged_ids(root) == []
    assert check(root).diagnostics == ()
    first, _, third = provider.requests
    assert last_user_text(first).startswith("First step: integrate")
    assert last_user_text(third).startswith("Second step: tidy")
    assert len(third["messages"]) > len(first["messages"]), "it is one conversation"
    done = [line for line in AuditLog(root.path).lines() if line.stage == "done"]
    assert {(line.actor, line.run, line.reasons) for line in done} == {
        ("consolidator", run.run, ("integrate",))
    }


def test_the_input_holds_the_entries_and_the_memory_and_leaves_knowledge_to_the_search(
    root: Root, scripted: Start
) -> None:
    stage(root, chosen="A quite particular choice")
    write(
        root,
        {
            PATH: decision("# Use SQLite\n\n===== end of nothing\n"),
            "memory/requests/keep-it-small.md": request(),
            "knowledge/sqlite.md": knowledge("# S\n\nA body nobody sends.\n", invoked=True),
        },
    )
    use(root, PATH)
    spend(root)
    provider = scripted()
    consolidate(root, *loaded(root), force=True)
    first, second = (last_user_text(request) for request in provider.requests)
    assert '"source": {"session_id": "s1", "range": [0, 9]}' in first
    assert "A quite particular choice" in first
    for path in (PATH, "memory/requests/keep-it-small.md"):
        stored = (root.path / path).read_text()
        head, _, rest = first.partition(f"===== {path} sha256 ")
        assert head
        sha = rest[:64]
        assert rest[64:].startswith(f"\n{stored}===== end of {sha}\n")
    assert f"- {PATH}: frequency 4, from 2 sessions" in first
    everything = json.dumps(provider.requests)
    assert "A body nobody sends" not in everything
    assert "What SQLite is used for" not in everything, "no resident block"
    assert "- knowledge/sqlite.md: frequency 0, 0 reads" in second
    assert f"- {PATH}: frequency 4, 4 reads, 1 sources, protected" in second


def test_what_a_write_makes_wrong_is_told_in_the_second_step(root: Root, scripted: Start) -> None:
    stage(root)
    long = decision("# Use SQLite\n\n" + "It is one file. " * 120 + "\n", times=False)
    arguments = {"path": PATH, "content": long, "reasons": ["integrate"]}
    provider = scripted(tools(("memory_write", arguments)), text("integrated"))
    consolidate(root, *loaded(root), force=True)
    assert "BL001" in last_user_text(provider.requests[-1])


def test_the_report_lists_chains_of_replaced_decisions(root: Root, scripted: Start) -> None:
    stage(root)
    write(
        root,
        {
            "memory/decisions/a.md": decision(status="replaced", replaced_by="b"),
            "memory/decisions/b.md": decision(status="replaced", replaced_by="c"),
            "memory/decisions/c.md": decision(),
        },
    )
    provider = scripted()
    consolidate(root, *loaded(root), force=True)
    assert "- a → b → c\n" in last_user_text(provider.requests[-1])


def test_new_knowledge_needs_a_candidate(root: Root, scripted: Start) -> None:
    stage(root)
    write(root, {PATH: decision("# Use SQLite\n\nIt is one file.\n", source("s0"))})
    use(root, PATH)
    spend(root)

    def create(made: str) -> Step:
        content = knowledge("# SQLite\n\nOne file.\n", made, times=False)
        path = "knowledge/sqlite.md"
        arguments = {"path": path, "content": content, "reasons": ["integrate"]}
        return tools(("memory_write", arguments))

    seen: list[str] = []

    def look(request: Request) -> Step:
        seen.extend(answers(request))
        return create(source("s0"))

    scripted(create(source("s1")), look)
    (run,) = consolidate(root, *loaded(root), force=True).runs
    assert "PL003" in seen[0]
    assert run.changes == (Changed("knowledge/sqlite.md", "created", ("integrate",)),)


def test_at_the_start_knowledge_may_come_from_what_is_staged(root: Root, scripted: Start) -> None:
    stage(root)
    content = knowledge("# SQLite\n\nOne file.\n", source("s1"), times=False)
    path = "knowledge/sqlite.md"
    arguments = {"path": path, "content": content, "reasons": ["integrate"]}
    provider = scripted(tools(("memory_write", arguments)))
    _, plugins = loaded(root)
    (run,) = consolidate(root, with_settings(root, cold_start=True), plugins, force=True).runs
    assert "The memory is new" in last_user_text(provider.requests[0])
    assert run.changes == (Changed(path, "created", ("integrate",)),)


@pytest.mark.parametrize(
    ("settings", "staged", "runs"),
    [
        ({"files": 2}, 1, 0),
        ({"files": 2}, 2, 1),
        ({"bytes": 100_000}, 2, 0),
        ({"bytes": 100}, 1, 1),
        ({"bytes": 100}, 0, 0),
    ],
)
def test_a_run_is_due_at_so_many_files_or_bytes(
    root: Root, scripted: Start, settings: dict[str, int], staged: int, runs: int
) -> None:
    for number in range(staged):
        stage(root, f"s{number}")
    scripted()
    config = with_settings(root, **settings)
    _, plugins = loaded(root)
    assert len(consolidate(root, config, plugins).runs) == runs
    assert len(staged_ids(root)) == (0 if runs else staged)


def test_without_a_model_nothing_is_ever_due(root: Root) -> None:
    stage(root)
    _, plugins = loaded(root)
    assert consolidate_if_due(root, with_settings(root, files=1, model=""), plugins) is None
    (run,) = consolidate(root, with_settings(root, model=""), plugins, force=True).runs
    assert run.failure == (
        "no model is set: `consolidate.model` takes one, named provider:model, like"
        " openai:gpt-5-mini"
    )
    assert len(staged_ids(root)) == 1


def test_what_failed_is_tried_again_after_a_turn_when_more_is_staged(
    root: Root, scripted: Start
) -> None:
    stage(root, "s1")
    config, (_, plugins) = with_settings(root, files=1), loaded(root)
    provider = scripted(failure(400), failure(400))
    first = consolidate_if_due(root, config, plugins)
    assert first is not None
    assert not first.is_done
    assert consolidate_if_due(root, config, plugins) is None
    assert len(provider.requests) == 1
    stage(root, "s2")
    assert consolidate_if_due(root, config, plugins) is not None
    assert len(provider.requests) == 2
    scripted()
    assert consolidate(root, config, plugins).is_done, "whoever asks for it gets it"
    assert staged_ids(root) == []


def test_what_comes_meanwhile_is_left_for_another_run(root: Root, scripted: Start) -> None:
    first = stage(root, "s1")
    later: list[str] = []

    def come(request: Request) -> Step:
        later.append(stage(root, "s2").id)
        return text("integrated")

    provider = scripted(come, text("tidied"))
    _, plugins = loaded(root)
    one, two = consolidate(root, with_settings(root, files=1), plugins).runs
    assert (one.consumed, two.consumed) == ((first.id,), tuple(later))
    assert one.run != two.run
    assert '"session_id": "s2"' not in last_user_text(provider.requests[0])
    assert '"session_id": "s2"' in last_user_text(provider.requests[2])


def test_what_comes_meanwhile_stays_where_no_run_is_due(root: Root, scripted: Start) -> None:
    stage(root, "s1")

    def come(request: Request) -> Step:
        stage(root, "s2")
        return text("integrated")

    scripted(come)
    (run,) = consolidate(root, *loaded(root), force=True).runs
    assert len(run.consumed) == len(staged_ids(root)) == 1


def test_a_run_that_fails_deletes_nothing_and_is_gone_on_with(root: Root, scripted: Start) -> None:
    entry = stage(root)
    scripted(WRITE, failure(401, "no such key"))
    failed = consolidate(root, *loaded(root), force=True)
    (run,) = failed.runs
    assert not failed.is_done
    assert "status 401" in run.failure
    assert (run.consumed, len(run.changes)) == ((), 1)
    assert staged_ids(root) == [entry.id]
    assert check(root).diagnostics == ()
    scripted(text("There already."), text("tidied"))
    (done,) = consolidate(root, *loaded(root), force=True).runs
    assert (done.run, done.consumed, len(done.changes)) == (run.run, (entry.id,), 1)
    assert consumed_ids(root) == [entry.id]


def test_a_run_that_does_not_end_is_ended(root: Root, scripted: Start) -> None:
    stage(root)
    again = tools(("memory_list", {}))
    provider = scripted(*[again] * 20)
    _, plugins = loaded(root)
    (run,) = consolidate(root, with_settings(root, max_iterations=5), plugins, force=True).runs
    assert "request_limit of 5" in run.failure
    assert len(provider.requests) == 5
    assert len(staged_ids(root)) == 1


def test_nothing_to_do_is_fine(root: Root, scripted: Start) -> None:
    scripted(text("Nothing is staged."), text("Nothing to tidy."))
    result = consolidate(root, *loaded(root), force=True)
    assert result.is_done
    (run,) = result.runs
    assert (run.consumed, run.changes, run.offers) == ((), (), ())


def test_a_file_that_is_no_entry_is_told_and_stays(root: Root, scripted: Start) -> None:
    stage(root)
    strange = root.path / "memory" / "_staging" / "strange.json"
    strange.write_text("{}")
    scripted()
    (run,) = consolidate(root, *loaded(root), force=True).runs
    assert len(run.consumed) == 1
    assert "strange.json" in run.faults[0]
    assert strange.exists()


def test_a_file_whose_name_is_no_text_is_shown_and_stops_nobody(
    root: Root, scripted: Start
) -> None:
    stage(root)
    folder = root.path / "memory" / "decisions"
    folder.mkdir()
    try:
        (folder / os.fsdecode(b"\xff.md")).write_bytes(b"\xff")
    except OSError:
        pytest.skip("this file system takes no such name")
    provider = scripted()
    (run,) = consolidate(root, *loaded(root), force=True).runs
    assert run.failure == ""
    assert r"memory/decisions/\udcff.md" in last_user_text(provider.requests[0])


def test_an_offer_is_made_and_told(root: Root, scripted: Start) -> None:
    stage(root)
    arguments = {
        "slug": "release",
        "content": "---\ndescription: How a release is made.\n---\n1. Tag.\n",
        "why": "It was explained three times.",
    }
    scripted(tools(("workflow_offer", arguments)))
    (run,) = consolidate(root, *loaded(root), force=True).runs
    assert [(offer.slug, offer.run) for offer in run.offers] == [("release", run.run)]
    assert not (root.path / "workflow").exists()


def test_a_lost_note_keeps_the_run_from_clearing_up(root: Root, scripted: Start) -> None:
    entry = stage(root)

    def lose(request: Request) -> Step:
        (root.path / "memory" / "_staging" / "_run").unlink()
        return text("integrated")

    scripted(lose)
    (run,) = consolidate(root, *loaded(root), force=True).runs
    assert "someone took it away" in run.failure
    assert staged_ids(root) == [entry.id]
