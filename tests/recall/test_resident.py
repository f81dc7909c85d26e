"""The block that every session begins with, and how it keeps a budget."""

import re

import pytest

from tests.conftest import KNOWLEDGE, SUMMARY, Memory
from tests.recall.shelves import BROKEN, OFFERED, knowledge, library_of, workflow
from yoimem.recall.resident import Resident, resident
from yoimem.records.tokens import estimate_tokens

MODEL = "model_invokation: true\n"


def block_of(memory: Memory, budget: int = 0, *, summary: bool = True) -> Resident:
    return resident(library_of(memory), budget, summary=summary)


def offer(memory: Memory, *slugs: str) -> None:
    for slug in slugs:
        memory.write(f"knowledge/{slug}.md", knowledge("a", f"All about {slug}.", OFFERED))


@pytest.fixture
def many(memory: Memory) -> Memory:
    memory.write("memory/summary.md", SUMMARY.replace("Body.", "We ship on Fridays. " * 10))
    offer(memory, *(f"record-{number:03}" for number in range(60)))
    return memory


def test_the_block_in_full(memory: Memory) -> None:
    memory.write("memory/summary.md", SUMMARY.replace("Body.", "\nWe ship on Fridays.\n"))
    memory.write("knowledge/use-sqlite.md", knowledge("a", "One file\n  on disk.", OFFERED))
    memory.write("knowledge/for-people.md", KNOWLEDGE)
    memory.write("workflow/release.md", workflow("1. Tag.", more=MODEL))
    memory.write("memory/workflow/bump.md", workflow("1. Bump.", more="auto_invoke: true\n"))
    memory.write("workflow/by-hand.md", workflow("1. Tag."))
    shown = block_of(memory)
    assert shown.text == (
        "# The memory of this project\n\n"
        "We ship on Fridays.\n\n"
        "## What can be looked up\n\n"
        "Read one of these when its description fits your task: with knowledge_search and its"
        " `slug`, or with memory_read and its path where there is one.\n\n"
        "- bump (memory/workflow/bump.md): Make a release.\n"
        "- release (workflow/release.md): Make a release.\n"
        "- use-sqlite: One file on disk.\n"
    )
    assert shown.tokens == estimate_tokens(shown.text)
    assert [part.path for part in shown.records] == [
        "memory/summary.md",
        "memory/workflow/bump.md",
        "workflow/release.md",
        "knowledge/use-sqlite.md",
    ]
    assert shown.left_out == shown.faults == ()


def test_each_record_has_its_own_cost(memory: Memory) -> None:
    memory.write("memory/summary.md", SUMMARY.replace("Body.", "保存先は SQLite。"))
    offer(memory, "use-sqlite")
    summary, line = block_of(memory).records
    assert (summary.bytes, line.bytes) == (len("保存先は SQLite。".encode()), 35)
    assert summary.tokens == estimate_tokens("保存先は SQLite。")
    assert line.tokens == estimate_tokens("- use-sqlite: All about use-sqlite.")


def test_nothing_to_say_is_an_empty_block(memory: Memory) -> None:
    assert block_of(memory) == Resident("", 0, (), (), ())
    memory.write("memory/summary.md", SUMMARY.replace("Body.", " \n"))
    memory.write("knowledge/for-people.md", KNOWLEDGE)
    assert block_of(memory) == Resident("", 0, (), (), ())


def test_the_summary_can_be_kept_out(many: Memory) -> None:
    shown = block_of(many, summary=False)
    assert "Fridays" not in shown.text
    assert len(shown.records) == 60
    assert shown.left_out == ()


@pytest.mark.parametrize("text", ["no frontmatter\n", "", "---\nupdated_at: x\nBody.\n", "\udcff"])
def test_a_broken_summary_is_told(text: str, memory: Memory) -> None:
    memory.write("memory/summary.md", text)
    shown = block_of(memory)
    assert "Not shown: memory/summary.md cannot be read; `yoimem check` says why." in shown.text
    assert len(shown.faults) == 1
    assert shown.records == ()


def test_a_summary_with_a_bad_date_is_still_shown(memory: Memory) -> None:
    memory.write("memory/summary.md", "---\nupdated_at: soon\n---\nWe ship on Fridays.\n")
    assert "We ship on Fridays." in block_of(memory).text


def test_records_that_cannot_be_offered_are_told_and_the_others_are_shown(memory: Memory) -> None:
    offer(memory, "fine")
    memory.write("knowledge/broken.md", BROKEN)
    memory.write("knowledge/Not A Slug.md", OFFERED)
    shown = block_of(memory)
    assert [part.path for part in shown.records] == ["knowledge/fine.md"]
    assert "Not shown: knowledge/broken.md cannot be read" in shown.text
    assert "Not shown: knowledge/Not A Slug.md has a name that is no slug." in shown.text


def test_a_folder_that_cannot_be_walked_is_told(memory: Memory) -> None:
    (memory.root / "knowledge").symlink_to(memory.workspace)
    assert "Not shown: knowledge cannot be read" in block_of(memory).text


def test_a_crowd_of_broken_records_takes_a_few_lines(memory: Memory) -> None:
    for number in range(300):
        memory.write(f"knowledge/broken-{number}.md", BROKEN)
    shown = block_of(memory)
    assert shown.text.count("\n") == 8
    assert "Not shown: 295 more" in shown.text
    assert len(shown.faults) == 300


def test_lines_give_way_from_the_end_and_are_named(many: Memory) -> None:
    shown = block_of(many, block_of(many).tokens * 4 // 5)
    kept = len(shown.records) - 1
    assert 0 < kept < 60
    assert shown.left_out == tuple(f"knowledge/record-{n:03}.md" for n in range(kept, 60))
    assert f"Left out, for want of room: {60 - kept} records" in shown.text
    listed = re.findall(r"^- (record-\d+): ", shown.text, re.MULTILINE)
    named = re.findall(r"record-\d+", shown.text.partition("Left out")[2])
    assert listed + named == [f"record-{number:03}" for number in range(60)]


def test_one_more_line_would_not_fit(many: Memory) -> None:
    whole = block_of(many).tokens
    assert block_of(many, whole).left_out == ()
    assert block_of(many, whole - 1).left_out != ()


def test_names_give_way_before_the_summary_does(many: Memory) -> None:
    shown = block_of(many, 120)
    assert [part.path for part in shown.records] == ["memory/summary.md"]
    assert len(shown.left_out) == 60
    assert re.search(r"60 records that can be looked up: record-000, .* and more\.", shown.text)


def test_the_summary_gives_way_at_last_and_is_named(many: Memory) -> None:
    shown = block_of(many, 40)
    assert shown.left_out[0] == "memory/summary.md"
    assert "61 records that can be looked up: memory/summary.md, record-000" in shown.text
    assert "Fridays" not in shown.text


def test_what_is_left_out_is_named_as_it_can_be_looked_up(memory: Memory) -> None:
    offer(memory, "a-first")
    memory.write("workflow/release.md", workflow("1. Tag.", more=MODEL))
    shown = block_of(memory, block_of(memory).tokens - 1)
    assert shown.text.endswith("2 records that can be looked up: a-first, workflow/release.md.\n")


def test_a_negative_budget_is_none(memory: Memory) -> None:
    with pytest.raises(ValueError, match="`budget` is -1"):
        block_of(memory, -1)


def test_every_budget_holds_down_to_the_number_of_what_was_left_out(many: Memory) -> None:
    paths = {part.path for part in block_of(many).records}
    least = block_of(many, 1)
    assert least.text == (
        "# The memory of this project\n\nLeft out, for want of room: 61 records.\n"
    )
    for budget in range(least.tokens, 1400, 7):
        shown = block_of(many, budget)
        assert shown.tokens == estimate_tokens(shown.text) <= budget
        assert {part.path for part in shown.records} | set(shown.left_out) == paths
        assert len(shown.records) + len(shown.left_out) == 61
