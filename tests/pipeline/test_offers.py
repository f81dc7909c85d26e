"""Offers: what a model proposes for workflows, and what a person answers at a terminal."""

import json
import os
import select
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import pytest

from tests.conftest import Memory
from tests.pipeline.tree import check, whole_tree, workflow, write
from yoimem.interfaces.cli.offers import command
from yoimem.pipeline.offers import accept_offer
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.tools.errors import MemoryToolError
from yoimem.tools.memory_tools import MemoryTools
from yoimem.tools.offers import (
    OFFERS_PATH,
    Proposal,
    Rejection,
    offers,
    proposed,
    rejections,
    settle_offer,
)
from yoimem.workspace.audit import AuditLog
from yoimem.workspace.index import Index
from yoimem.workspace.layout import Root
from yoimem.workspace.store import Store

pty = pytest.importorskip("pty")  # a terminal, where the system has such

WHY = "It was explained three times."
RELEASE = workflow("1. Tag.\n2. Push.\n")
PATH = "workflow/release.md"
Output = pytest.CaptureFixture[str]


@pytest.fixture
def place(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Root:
    monkeypatch.chdir(memory.workspace)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    return Root(memory.root.resolve(), memory.workspace.resolve())


@pytest.fixture
def tools(place: Root) -> MemoryTools:
    return MemoryTools(place, actor="consolidator", run_id="r1")


def refused(work: Callable[[], object]) -> str:
    with pytest.raises(MemoryToolError) as caught:
        work()
    return caught.value.message


def run(*arguments: str) -> int:
    result: int = command.main(list(arguments), prog_name="yoimem offers", standalone_mode=False)
    return result


# Making


def test_an_offer_is_kept_and_writes_no_workflow(place: Root, tools: MemoryTools) -> None:
    made = tools.workflow_offer("release", f" {WHY}\n", content=RELEASE)
    (offer,) = offers(place.path).open
    assert (offer.id, offer.slug) == (made.id, made.slug)
    assert (offer.content, offer.change, offer.why) == (RELEASE, None, WHY)
    assert (offer.actor, offer.session, offer.run) == ("consolidator", None, "r1")
    assert not (place.path / "workflow").exists()
    assert check(place).records == 0


def test_an_agent_may_offer_too(place: Root) -> None:
    MemoryTools(place, session_id="s1").workflow_offer("release", WHY, content=RELEASE)
    (offer,) = offers(place.path).open
    assert (offer.actor, offer.session) == ("agent", "s1")


def test_the_same_offer_again_is_the_same_offer(place: Root, tools: MemoryTools) -> None:
    first = tools.workflow_offer("release", WHY, content=RELEASE)
    assert tools.workflow_offer("release", "In other words.", content=RELEASE) == first
    assert tools.workflow_offer("release", WHY, content=workflow("1. Push.\n")) != first
    assert len(offers(place.path).open) == 2


@pytest.mark.parametrize(
    ("slug", "why", "content", "change", "word"),
    [
        ("Release!", WHY, RELEASE, None, "is no slug"),
        ("../x", WHY, RELEASE, None, "is no slug"),
        ("release", "  ", RELEASE, None, "`why` is empty"),
        ("release", "x" * 2_001, RELEASE, None, "2,001 characters"),
        ("release", WHY, None, None, "either `content`"),
        ("release", WHY, RELEASE, "model_invokation", "either `content`"),
        ("release", WHY, None, "model_invokation", "there is no workflow `release`"),
        ("release", WHY, None, "user_invocable", "takes model_invokation"),
        ("release", WHY, "no frontmatter", None, "FM001"),
        ("release", WHY, "---\ndescription: ''\n---\n", None, "FM102"),
        ("release", WHY, workflow("", "requires: [nothing]"), None, "RF001"),
        ("release", WHY, workflow("token: ghp_" + "a1B2" * 9 + "\n"), None, "SC001"),
        ("con", WHY, RELEASE, None, "ID003"),
    ],
)
def test_what_no_person_could_accept_is_refused(
    place: Root,
    tools: MemoryTools,
    slug: str,
    why: str,
    content: str | None,
    change: str | None,
    word: str,
) -> None:
    message = refused(lambda: tools.workflow_offer(slug, why, content, change))
    assert word in message
    assert offers(place.path).open == ()


def test_all_faults_are_told_at_once(tools: MemoryTools) -> None:
    message = refused(lambda: tools.workflow_offer("A", " ", None, None))
    assert len(message.splitlines()) == 3


def test_what_changes_nothing_is_refused(place: Root, tools: MemoryTools) -> None:
    write(place, {PATH: RELEASE})
    assert "already" in refused(lambda: tools.workflow_offer("release", WHY, content=RELEASE))
    write(place, {PATH: workflow("1.\n", "model_invokation: true")})
    switch = {"change": "model_invokation"}
    assert "already" in refused(lambda: tools.workflow_offer("release", WHY, **switch))


def test_what_was_rejected_is_not_offered_again(place: Root, tools: MemoryTools) -> None:
    tools.workflow_offer("release", WHY, content=RELEASE)
    (offer,) = offers(place.path).open
    settle_offer(place.path, offer, "rejected", datetime.now(UTC), "We never tag.")
    assert rejections(place.path) == (Rejection(offer, "We never tag."),)
    assert "a person rejected this very offer for `release` (We never tag.)" in refused(
        lambda: tools.workflow_offer("release", "Please.", content=RELEASE)
    )
    tools.workflow_offer("release", WHY, content=workflow("1. Something else.\n"))


# What is in the folder is anyone's to write


@pytest.mark.parametrize(
    "changed",
    [
        {"slug": "../../evil"},
        {"slug": "Evil"},
        {"content": None},
        {"change": "delete"},
        {"change": "model_invokation"},
        {"id": "another"},
        {"why": 7},
        {"content": ["x"]},
    ],
)
def test_a_forged_offer_is_told_and_passed_over(
    place: Root, tools: MemoryTools, changed: dict[str, Any]
) -> None:
    made = tools.workflow_offer("release", WHY, content=RELEASE)
    path = place.path / OFFERS_PATH / f"{made.id}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    found = offers(place.path)
    assert found.open == ()
    assert f"{made.id}.json is no offer" in found.faults[0]


def test_a_link_is_no_offer(place: Root, tmp_path: Path) -> None:
    folder = place.path / OFFERS_PATH
    folder.mkdir()
    (tmp_path / "elsewhere.json").write_text("{}")
    (folder / "a.json").symlink_to(tmp_path / "elsewhere.json")
    (folder / "b.json").write_text("[" * 100_000)
    (folder / "c.txt").write_text("not looked at")
    found = offers(place.path)
    assert (found.open, len(found.faults)) == ((), 2)


# Listing and showing


def test_nothing_offered_is_said(place: Root, capsys: Output) -> None:
    assert run() == 0
    assert capsys.readouterr().out == "nothing is offered\n"


def test_a_list_tells_what_is_offered(place: Root, tools: MemoryTools, capsys: Output) -> None:
    made = tools.workflow_offer("release", WHY, content=RELEASE)
    run()
    line = capsys.readouterr().out
    assert line.startswith(f"{made.id}  ")
    assert line.endswith(f"  release  text  {WHY}\n")
    run("--output-format", "json")
    content = json.loads(capsys.readouterr().out)
    assert (content["version"], content["offers"][0]["content"]) == (1, RELEASE)


def test_a_show_has_the_diff_against_what_is_there(
    place: Root, tools: MemoryTools, capsys: Output
) -> None:
    write(place, {PATH: workflow("1. Tag.\n")})
    made = tools.workflow_offer("release", WHY, content=RELEASE)
    run("show", made.id[:20])
    shown = capsys.readouterr().out
    assert WHY in shown
    assert shown.endswith(
        f"--- a/{PATH}\n+++ b/{PATH}\n@@ -2,3 +2,4 @@\n description: How a release is made.\n"
        " ---\n 1. Tag.\n+2. Push.\n"
    )


def test_what_would_act_on_a_terminal_is_spelled_out(
    place: Root, tools: MemoryTools, capsys: Output
) -> None:
    made = tools.workflow_offer("release", "\x1b[2J\u202egone", content=RELEASE)
    path = place.path / OFFERS_PATH / f"{made.id}.json"
    path.write_text(path.read_text().replace("1. Tag.", "\\u0007"))  # past the tool
    run()
    run("show", made.id)
    shown = capsys.readouterr().out
    assert r"\x1b[2J\u202egone" in shown
    assert r"+\x07" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("what", ["show", "accept", "reject"])
def test_an_id_must_name_one_offer(place: Root, tools: MemoryTools, what: str) -> None:
    tools.workflow_offer("release", WHY, content=RELEASE)
    tools.workflow_offer("deploy", WHY, content=RELEASE)
    with pytest.raises(click.ClickException, match="nothing is offered"):
        run(what, "nope")
    with pytest.raises(click.ClickException, match="several ids begin"):
        run(what, "0")


# Answering


@pytest.mark.parametrize("what", ["accept", "reject"])
def test_a_shell_without_a_terminal_can_answer_nothing(
    place: Root, tools: MemoryTools, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tools.workflow_offer("release", WHY, content=RELEASE)
    before = whole_tree(place)
    read, write_end = os.pipe()
    os.write(write_end, b"release\n")
    os.close(write_end)
    with os.fdopen(read) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(click.ClickException, match="only a person at a terminal"):
            run(what, made.id)
    assert whole_tree(place) == before


def at_terminal(place: Root, typed: str, *arguments: str) -> tuple[int, str]:
    """Run `yoimem offers` in a terminal of its own, type, and return its exit code and output."""
    script = (
        "from yoimem.interfaces.cli.offers import command\n"
        "import click, sys\n"
        "try:\n    sys.exit(command.main(sys.argv[1:], standalone_mode=False))\n"
        "except click.ClickException as error:\n    error.show()\n    sys.exit(2)\n"
    )
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(place.workspace)
        os.execv(sys.executable, [sys.executable, "-c", script, *arguments])
    output = b""
    has_typed = False
    while select.select([terminal], [], [], 20)[0]:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        output += data
        if b"Type the slug" in output and not has_typed:
            os.write(terminal, typed.encode() + b"\n")
            has_typed = True
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), output.decode().replace("\r\n", "\n")


def test_accepting_writes_as_a_person(place: Root, tools: MemoryTools) -> None:
    write(place, {PATH: workflow("1. Tag.\n")})
    made = tools.workflow_offer("release", WHY, content=RELEASE)
    code, shown = at_terminal(place, "release", "accept", made.id)
    assert (code, "+2. Push." in shown) == (0, True), shown
    assert (place.path / PATH).read_text() == RELEASE
    assert offers(place.path).open == ()
    done = [line for line in AuditLog(place.path).lines() if line.stage == "done"]
    assert [(line.actor, line.path) for line in done] == [("human", PATH)]
    assert check(place).diagnostics == ()


def test_accepting_makes_a_new_workflow(place: Root, tools: MemoryTools) -> None:
    made = tools.workflow_offer("release", WHY, content=RELEASE)
    assert at_terminal(place, "release", "accept", made.id)[0] == 0
    assert (place.path / PATH).read_text() == RELEASE


@pytest.mark.parametrize(
    ("fields", "becomes"),
    [
        ([], ["model_invokation: true"]),
        (["model_invokation: false  # for now"], ["model_invokation: true  # for now"]),
        (["auto_invoke: false"], ["auto_invoke: true"]),
        (
            ["auto_invoke: false", "model_invokation: false"],
            ["auto_invoke: true", "model_invokation: true"],
        ),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_accepting_a_switch_changes_the_field_alone(
    place: Root, tools: MemoryTools, fields: list[str], becomes: list[str], line_end: str
) -> None:
    text = workflow("1. Tag.\n", *fields).replace("\n", line_end)
    write(place, {f"memory/{PATH}": text})
    tools.workflow_offer("release", WHY, change="model_invokation")
    (offer,) = offers(place.path).open

    human = MemoryTools(place, actor="human")
    kinds = Kinds()
    snapshot = Index(Store(place.path), kinds, Reader(kinds)).snapshot()
    accept_offer(human, offer, proposed(offer, snapshot), datetime.now(UTC))
    expected = workflow("1. Tag.\n", *becomes).replace("\n", line_end)
    assert (place.path / "memory" / PATH).read_bytes() == expected.encode()


def test_another_slug_accepts_nothing(place: Root, tools: MemoryTools) -> None:
    made = tools.workflow_offer("release", WHY, content=RELEASE)
    before = whole_tree(place)
    for typed in ("", "yes"):
        code, shown = at_terminal(place, typed, "accept", made.id)
        assert (code, "nothing was done" in shown) == (1, True)
    assert whole_tree(place) == before


def test_rejecting_takes_it_away(place: Root, tools: MemoryTools) -> None:
    made = tools.workflow_offer("release", WHY, content=RELEASE)
    assert at_terminal(place, "release", "reject", made.id)[0] == 0
    assert offers(place.path).open == ()
    assert [rejection.offer.id for rejection in rejections(place.path)] == [made.id]
    assert not (place.path / PATH).exists()


def test_a_locked_workflow_is_not_written(place: Root, tools: MemoryTools) -> None:
    write(place, {PATH: workflow("1. Tag.\n")})
    (place.path / PATH).chmod(0o444)
    made = tools.workflow_offer("release", WHY, content=RELEASE)
    code, shown = at_terminal(place, "release", "accept", made.id)
    assert (code, "a person locked it" in shown) == (2, True), shown
    assert [offer.id for offer in offers(place.path).open] == [made.id]


def test_what_changed_since_it_was_shown_is_not_written_over(
    place: Root, tools: MemoryTools
) -> None:

    write(place, {PATH: workflow("1. Tag.\n")})
    tools.workflow_offer("release", WHY, content=RELEASE)
    (offer,) = offers(place.path).open
    shown = Proposal(PATH, workflow("1. Tag.\n"), RELEASE)
    write(place, {PATH: workflow("1. A person was here.\n")})
    human = MemoryTools(place, actor="human")
    message = refused(lambda: accept_offer(human, offer, shown, datetime.now(UTC)))
    assert "has changed since" in message
    assert offers(place.path).open == (offer,)


def test_an_answer_that_was_cut_short_is_finished(place: Root, tools: MemoryTools) -> None:
    made = tools.workflow_offer("release", WHY, content=RELEASE)
    write(place, {PATH: RELEASE})  # it was written, and the process died
    code, shown = at_terminal(place, "release", "accept", made.id)
    assert (code, "it stands there already" in shown) == (0, True), shown
    assert offers(place.path).open == ()
