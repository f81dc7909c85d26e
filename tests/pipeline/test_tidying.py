"""Tidying by a scripted run over a prepared tree: each operation, each reason, the exact result."""

from collections.abc import Callable

import pytest

from tests.pipeline.provider import Request, ScriptedProvider, Step, text, tools
from tests.pipeline.tree import (
    answers,
    check,
    decision,
    knowledge,
    last_user_text,
    loaded,
    records,
    request,
    source,
    spend,
    use,
    write,
)
from yoimem.pipeline.consolidate import consolidate
from yoimem.pipeline.run_report import report_text
from yoimem.pipeline.run_summary import Changed, by_reason
from yoimem.workspace.layout import Root

Start = Callable[..., ScriptedProvider]

LONG = (
    "# Ports\n\nThe service listens on 8080.\n\n## History\n\n" + "It was 80 before. " * 10 + "\n"
)
TRIMMED = "# Ports\n\nThe service listens on 8080.\n"
MANY = [source(f"m{number}") for number in range(14)]

TREE = {
    # drop: nobody reads it
    "knowledge/old-editor.md": knowledge("# The old editor\n\nIt was vi.\n", source("k0")),
    # merge: two records on one subject, one of them referred to
    "knowledge/sqlite-file.md": knowledge("# SQLite's file\n\nIt is orders.db.\n", source("k1")),
    "knowledge/sqlite-use.md": knowledge("# SQLite\n\nOrders are in SQLite.\n", source("k2")),
    "memory/requests/back-up.md": request(
        "# Back up\n\nEvery night, see #sqlite-file.\n", source("r1")
    ),
    # split: two subjects in one record
    "knowledge/mixed.md": knowledge(
        "# Mixed\n\nTabs are four wide.\n\nBranches are named by ticket.\n", source("k3")
    ),
    # trim: a section, and a list of sources
    "memory/decisions/ports.md": decision(LONG, source("d1")),
    "memory/decisions/many.md": decision("# Many\n\nSettled.\n", *MANY),
    # rewrite: it says what does not hold any more
    "memory/decisions/python.md": decision("# Python\n\nPython 3.9 is used.\n", source("d2")),
    # in frequent use: it stays
    "knowledge/release.md": knowledge("# Release\n\n" + "Tag, then push. " * 8, source("k4")),
}


def edit(path: str, old: str, new: str, *reasons: str) -> tuple[str, dict[str, object]]:
    return "memory_edit", {
        "path": path,
        "old_string": old,
        "new_string": new,
        "reasons": list(reasons),
    }


def create(path: str, content: str, *reasons: str) -> tuple[str, dict[str, object]]:
    return "memory_write", {"path": path, "content": content, "reasons": list(reasons)}


def delete(path: str, *reasons: str) -> tuple[str, dict[str, object]]:
    return "memory_delete", {"path": path, "reasons": list(reasons)}


TIDYING = tools(
    delete("knowledge/old-editor.md", "unused"),
    # merge
    edit("knowledge/sqlite-use.md", "in SQLite.", "in SQLite, in orders.db.", "superseded"),
    edit("knowledge/sqlite-use.md", f"[{source('k2')}]", f"[{source('k1')}, {source('k2')}]", "noisy"),
    edit("memory/requests/back-up.md", "#sqlite-file", "#sqlite-use", "superseded"),
    delete("knowledge/sqlite-file.md", "superseded", "noisy"),
    # split
    create(
        "knowledge/branch-names.md",
        knowledge(
            "# Branch names\n\nBranches are named by ticket.\n",
            source("k3"),
            description="How branches are named. Read it before you make one.",
            times=False,
        ),
        "noisy",
    ),
    edit("knowledge/mixed.md", "\nBranches are named by ticket.\n", "", "noisy"),
    # trim
    edit("memory/decisions/ports.md", LONG[len(TRIMMED) :], "", "noisy"),
    edit("memory/decisions/many.md", ", ".join(MANY[:4]) + ", ", "", "noisy"),
    # rewrite
    edit("memory/decisions/python.md", "3.9 is used", "3.11 is used, from 3.9 on", "outdated"),
)  # fmt: skip

TIDIED = {
    "knowledge/branch-names.md": None,
    "knowledge/mixed.md": knowledge("# Mixed\n\nTabs are four wide.\n", source("k3")),
    "knowledge/release.md": TREE["knowledge/release.md"],
    "knowledge/sqlite-use.md": knowledge(
        "# SQLite\n\nOrders are in SQLite, in orders.db.\n", source("k1"), source("k2")
    ),
    "memory/decisions/many.md": decision("# Many\n\nSettled.\n", *MANY[4:]),
    "memory/decisions/ports.md": decision(TRIMMED, source("d1")),
    "memory/decisions/python.md": decision(
        "# Python\n\nPython 3.11 is used, from 3.9 on.\n", source("d2")
    ),
    "memory/requests/back-up.md": request(
        "# Back up\n\nEvery night, see #sqlite-use.\n", source("r1")
    ),
}


@pytest.fixture
def tree(root: Root) -> Root:
    write(root, TREE)
    use(root, "knowledge/release.md")
    spend(root)
    assert {d.code for d in check(root).diagnostics} == {"BL002"}
    return root


def test_every_operation_leaves_exactly_what_it_should(tree: Root, scripted: Start) -> None:
    seen: list[str] = []

    def look(request: Request) -> Step:
        seen.extend(answers(request))
        return text("tidied")

    scripted(text("nothing staged"), TIDYING, look)
    (run,) = consolidate(tree, *loaded(tree), force=True).runs
    assert [answer for answer in seen if answer.startswith("{")] == [], "nothing was refused"
    found = records(tree)
    branch_names = found["knowledge/branch-names.md"]
    assert branch_names.endswith("\n---\n# Branch names\n\nBranches are named by ticket.\n")
    assert f"last_sources: [{source('k3')}]\n" in branch_names
    expected = {path: text for path, text in TIDIED.items() if text is not None}
    timeless = {path: _timeless(text) for path, text in expected.items()}
    assert {path: found[path] for path in expected} == timeless
    assert found.keys() == TIDIED.keys()
    assert check(tree).diagnostics == ()
    assert by_reason(run.changes) == {
        "outdated": (Changed("memory/decisions/python.md", "updated", ("outdated",)),),
        "superseded": (
            Changed("knowledge/sqlite-file.md", "deleted", ("superseded", "noisy")),
            Changed("knowledge/sqlite-use.md", "updated", ("superseded", "noisy")),
            Changed("memory/requests/back-up.md", "updated", ("superseded",)),
        ),
        "unused": (Changed("knowledge/old-editor.md", "deleted", ("unused",)),),
        "noisy": (
            Changed("knowledge/branch-names.md", "created", ("noisy",)),
            Changed("knowledge/mixed.md", "updated", ("noisy",)),
            Changed("knowledge/sqlite-file.md", "deleted", ("superseded", "noisy")),
            Changed("knowledge/sqlite-use.md", "updated", ("superseded", "noisy")),
            Changed("memory/decisions/many.md", "updated", ("noisy",)),
            Changed("memory/decisions/ports.md", "updated", ("noisy",)),
        ),
    }
    assert "\nunused:\n  deleted knowledge/old-editor.md\n" in report_text(run)


def test_the_second_step_names_what_there_is_to_tidy(tree: Root, scripted: Start) -> None:
    provider = scripted()
    consolidate(tree, *loaded(tree), force=True)
    second = last_user_text(provider.requests[1])
    assert "BL002" in second
    assert "- memory/decisions/many.md: frequency 0, 0 reads, 14 sources\n" in second
    assert "- knowledge/release.md: frequency 4, 4 reads, 1 sources, protected\n" in second


REFUSED = {
    "PL004": delete("knowledge/release.md", "unused"),
    "PL002": edit("memory/decisions/many.md", f", {MANY[13]}", "", "noisy"),
    "RF006": delete("knowledge/sqlite-file.md", "superseded"),
}


@pytest.mark.parametrize("code", sorted(REFUSED))
def test_what_would_lose_something_is_refused(tree: Root, scripted: Start, code: str) -> None:
    before, seen = records(tree), []

    def look(request: Request) -> Step:
        seen.extend(answers(request))
        return text("so be it")

    scripted(text("nothing staged"), tools(REFUSED[code]), look)
    (run,) = consolidate(tree, *loaded(tree), force=True).runs
    assert code in seen[0]
    assert (records(tree), run.changes, run.failure) == (before, (), "")


def test_small_cuts_of_a_protected_record_add_up(tree: Root, scripted: Start) -> None:
    whole = "Tag, then push. " * 8
    steps: list[Step] = []
    for left in (6, 4, 2):
        pieces = "Tag, then push. " * left
        steps.append(tools(edit("knowledge/release.md", whole, pieces, "noisy")))
        whole = pieces
    seen: list[str] = []

    def look(request: Request) -> Step:
        seen.extend(answers(request))
        return text("so be it")

    scripted(text("nothing staged"), *steps, look)
    consolidate(tree, *loaded(tree), force=True)
    assert "PL004" in seen[-1]
    assert records(tree)["knowledge/release.md"].count("Tag, then push.") == 4


def _timeless(text: str) -> str:
    lines = text.split("\n")
    times = ("created_at: ", "updated_at: ")
    return "\n".join(
        next((f"{time}…" for time in times if line.startswith(time)), line) for line in lines
    )
