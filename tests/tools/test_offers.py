"""Offers that nobody meant well, or that a kill cut short: what is kept of them is whole or nothing.

What a person sees and answers is tested with the pipeline's part of it.
"""

import os
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import NOW, WORKFLOW, Memory
from tests.tools.test_kill import at_step

from yoimem.lint.host import load_plugins
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.tools.errors import MemoryToolError
from yoimem.tools.memory_tools import MemoryTools
from yoimem.tools.offers import (
    OFFERS_PATH,
    Offer,
    Rejection,
    offers,
    proposed,
    rejections,
    settle_offer,
)
from yoimem.workspace.folder import LinkError
from yoimem.workspace.snapshot import Snapshot, facts_of

WHY = "It was explained three times."
PATH = "workflow/release.md"
PLUGINS = load_plugins()
READER = Reader(Kinds())


@pytest.fixture
def root(memory: Memory) -> Path:
    return memory.root.resolve()


@pytest.fixture
def tools(root: Path) -> MemoryTools:
    return MemoryTools(root, plugins=PLUGINS)


def refused(work: Callable[[], object]) -> MemoryToolError:
    with pytest.raises(MemoryToolError) as caught:
        work()
    return caught.value


def open_offers(root: Path) -> tuple[Offer, ...]:
    found = offers(root)
    assert found.faults == ()
    return found.open


# How much is kept


def test_a_hundred_offers_are_enough(root: Path, tools: MemoryTools) -> None:
    first = tools.workflow_offer("flow", WHY, f"{WORKFLOW}0\n")
    for number in range(1, 100):
        tools.workflow_offer("flow", WHY, f"{WORKFLOW}{number}\n")
    error = refused(lambda: tools.workflow_offer("flow", WHY, f"{WORKFLOW}100\n"))
    assert (error.code, "100 offers wait for a person" in error.message) == ("denied", True)
    assert tools.workflow_offer("flow", WHY, f"{WORKFLOW}0\n") == first
    settle_offer(root, open_offers(root)[0], "accepted", NOW)
    tools.workflow_offer("flow", WHY, f"{WORKFLOW}100\n")
    assert len(open_offers(root)) == 100


def test_a_text_that_no_record_may_have_is_not_kept(root: Path, tools: MemoryTools) -> None:
    error = refused(lambda: tools.workflow_offer("flow", WHY, WORKFLOW + "x" * 2**20))
    assert "FM014" in error.message
    assert open_offers(root) == ()


def test_a_reason_with_a_secret_is_not_kept(root: Path, tools: MemoryTools) -> None:
    token = "ghp_" + "a1B2" * 9
    error = refused(lambda: tools.workflow_offer("flow", f"Use {token}.", WORKFLOW))
    assert error.message == "`why` holds a secret: leave it out"
    assert open_offers(root) == ()


def test_an_id_of_a_session_that_is_no_text_is_kept_as_it_is(root: Path) -> None:
    MemoryTools(root, plugins=PLUGINS, session_id="s\ud800").workflow_offer("flow", WHY, WORKFLOW)
    assert [offer.session for offer in open_offers(root)] == ["s\ud800"]


# Where it is kept


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own")
@pytest.mark.parametrize("link", ["_offers", "_logs"])
def test_a_link_leads_no_offer_elsewhere(
    root: Path, tools: MemoryTools, tmp_path: Path, link: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "memory" / link).symlink_to(outside)
    error = refused(lambda: tools.workflow_offer("flow", WHY, WORKFLOW))
    assert (error.code, f"{link} is a link" in error.message) == ("denied", True)
    assert list(outside.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own")
def test_nothing_is_read_through_a_link(root: Path, tools: MemoryTools, tmp_path: Path) -> None:
    tools.workflow_offer("flow", WHY, WORKFLOW)
    kept = root / OFFERS_PATH
    kept.rename(tmp_path / "outside")
    kept.symlink_to(tmp_path / "outside")
    with pytest.raises(LinkError):
        offers(root)


# The answer


def test_a_model_is_told_why_it_was_rejected(root: Path, tools: MemoryTools) -> None:
    tools.workflow_offer("flow", WHY, WORKFLOW)
    (offer,) = open_offers(root)
    settle_offer(root, offer, "rejected", NOW, "We release from a script.")
    assert rejections(root) == (Rejection(offer, "We release from a script."),)
    error = refused(lambda: tools.workflow_offer("flow", WHY, WORKFLOW))
    assert error.code == "denied"
    assert "`flow` (We release from a script.): offer something else" in error.message


def test_lines_of_the_log_that_are_none_are_passed_over(root: Path, tools: MemoryTools) -> None:
    tools.workflow_offer("flow", WHY, WORKFLOW)
    (offer,) = open_offers(root)
    log = root / "memory/_logs/offers.jsonl"
    log.parent.mkdir()
    log.write_bytes(b'[]\n{"answer": "rejected"}\n\xff\n' + b"[" * 100_000)
    settle_offer(root, offer, "rejected", NOW)
    assert rejections(root) == (Rejection(offer, ""),)


# Switching `model_invokation` on

SWITCHES = st.sampled_from(
    ["", "false", "False", "'false'", '"no"', "no", "0", "~", "null", "false  # not yet", "# off"]
)
OTHERS = st.sampled_from(
    ["description: How.", "description: |\n  a\n  b", "x: [1, 2]", "# off", "'y': {a: b}", "z:"]
)
NAMES = st.sampled_from(["model_invokation", "auto_invoke", "'model_invokation'"])


@given(
    before=st.lists(OTHERS, unique=True, max_size=3),
    after=st.lists(OTHERS, unique=True, max_size=3),
    name=NAMES,
    value=SWITCHES,
    line_end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_a_switch_changes_one_line(
    before: list[str], after: list[str], name: str, value: str, line_end: str, mark: str
) -> None:
    after = [other for other in after if other not in before]
    field = f"{name}: {value}".rstrip()
    text = mark + line_end.join(["---", *before, field, *after, "---", "1. Tag.", ""])
    switched = switch(text)
    assert READER.read_text(PATH, switched).values[name.strip("'")] is True
    assert switch(switched) == switched
    old, new = text.splitlines(keepends=True), switched.splitlines(keepends=True)
    (changed,) = [at for at, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    assert old[changed].startswith(name)
    assert new[changed].endswith(line_end)


@given(
    fields=st.lists(OTHERS, unique=True), line_end=st.sampled_from(["\n", "\r\n"]), body=st.text()
)
def test_a_switch_that_is_not_there_is_one_line_more(
    fields: list[str], line_end: str, body: str
) -> None:
    head, rest = line_end.join(["---", *fields, ""]), line_end.join(["---", body])
    line = f"model_invokation: true{line_end}"
    assert switch(head + rest) == head + line + rest
    assert READER.read_text(PATH, head + line + rest).values["model_invokation"] is True


def switch(text: str) -> str:
    record = READER.read_text(PATH, text)
    offer = Offer("1", "", "release", None, "model_invokation", WHY, "agent", None, None)
    snapshot = Snapshot({PATH: facts_of(record)}, READER, lambda _: record)
    return proposed(offer, snapshot).after


@pytest.mark.parametrize("value", ["[false]", "!!bool false", "{}"])
def test_a_field_that_cannot_be_switched_is_told(
    memory: Memory, tools: MemoryTools, value: str
) -> None:
    memory.write(PATH, WORKFLOW.replace("---\n1", f"model_invokation: {value}\n---\n1"))
    error = refused(lambda: tools.workflow_offer("release", WHY, change="model_invokation"))
    assert f"{PATH}:3:" in error.message
    assert "already" not in error.message


# Kills


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs SIGKILL and fork")
def test_an_offer_that_is_killed_at_any_step_is_whole_or_none(tmp_path: Path) -> None:
    kept: list[bool] = []
    for number in count(1):
        root = memory_at(tmp_path / str(number))
        tools = MemoryTools(root, plugins=PLUGINS)
        was_killed = killed_at(number, tools.workflow_offer, "flow", WHY, WORKFLOW)
        kept.append(len(open_offers(root)) == 1)
        tools.workflow_offer("flow", WHY, WORKFLOW)
        assert len(open_offers(root)) == 1
        if not was_killed:
            break
    assert kept == sorted(kept)
    assert set(kept) == {False, True}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs SIGKILL and fork")
def test_a_rejection_that_is_killed_at_any_step_loses_no_offer(tmp_path: Path) -> None:
    noted: list[bool] = []
    for number in count(1):
        root = memory_at(tmp_path / str(number))
        MemoryTools(root, plugins=PLUGINS).workflow_offer("flow", WHY, WORKFLOW)
        (offer,) = open_offers(root)
        was_killed = killed_at(number, settle_offer, root, offer, "rejected", NOW)
        noted.append(bool(rejections(root)))
        assert noted[-1] or open_offers(root) == (offer,)
        settle_offer(root, offer, "rejected", NOW)
        assert open_offers(root) == ()
        assert {rejection.offer for rejection in rejections(root)} == {offer}
        if not was_killed:
            break
    assert noted == sorted(noted)
    assert set(noted) == {False, True}


def memory_at(folder: Path) -> Path:
    (folder / ".yoi" / "memory").mkdir(parents=True)
    return (folder / ".yoi").resolve()


def killed_at(number: int, work: Callable[..., object], *arguments: object) -> bool:
    """Do `work` in a process that is killed at its step of that `number`; tell whether it was."""
    pid = os.fork()
    if pid == 0:
        at_step(number, lambda _: os.kill(os.getpid(), signal.SIGKILL))
        try:
            work(*arguments)
        except BaseException:  # the child must not go on as a second pytest
            os._exit(1)
        sys.setprofile(None)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in {0, -signal.SIGKILL}
    return code != 0
