"""What an actor recalls through the tools, and what is noted of it."""

import pytest
from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, WORKFLOW, Memory

from yoimem.recall.query import SearchResult
from yoimem.recall.usage import UsageLog, UsedRecord
from yoimem.records.tokens import estimate_tokens
from yoimem.tools import MemoryToolError, MemoryTools
from yoimem.tools.recall import Recall
from yoimem.tools.results import as_text


@pytest.fixture(autouse=True)
def _record(memory: Memory) -> None:
    text = KNOWLEDGE.replace("model_invokation: false", "model_invokation: true")
    memory.write("knowledge/use-sqlite.md", text)


@pytest.mark.parametrize("query", ["", " ", "\n\t"])
def test_a_look_up_by_slug_counts_as_read(query: str, memory: Memory) -> None:
    tools = MemoryTools(memory.root, session_id="s" * 500)
    (hit,) = tools.knowledge_search(query, slug="use-sqlite").hits
    assert hit.excerpt.strip() == "Body."
    (event,) = UsageLog(memory.root).history().events
    assert (event.type, event.session) == ("invoke", "s" * 200)
    assert [record.path for record in event.records] == [hit.path]


REQUEST = DECISION.replace("status: open\n", "")
PLACES = {
    "memory/summary.md": SUMMARY,
    "memory/decisions/d.md": DECISION,
    "memory/requests/r.md": REQUEST,
    "knowledge/k.md": KNOWLEDGE,
    "workflow/w.md": WORKFLOW.replace("1. Tag.", "Body."),
}


@pytest.fixture
def everywhere(memory: Memory) -> MemoryTools:
    """Return the tools over a memory in which each kind of record holds the word `otter`."""
    for path, text in PLACES.items():
        memory.write(path, text.replace("Body.", "An otter."))
    return MemoryTools(memory.root)


def paths(result: SearchResult) -> list[str]:
    return sorted(hit.path for hit in result.hits)


def test_each_tool_searches_what_is_its_own(everywhere: MemoryTools) -> None:
    assert paths(everywhere.knowledge_search("otter")) == ["knowledge/k.md"]
    assert paths(everywhere.memory_search("otter")) == [
        "memory/decisions/d.md", "memory/requests/r.md", "memory/summary.md",
    ]  # fmt: skip


def test_the_filters_of_the_tools(everywhere: MemoryTools, memory: Memory) -> None:
    memory.write("knowledge/g.md", KNOWLEDGE.replace("Body.", "otter").replace("guide", "rule"))
    later = DECISION.replace("Body.", "otter").replace("open", "resolved")
    later = later.replace("updated_at: 2026-01", "updated_at: 2026-06")
    memory.write("memory/decisions/later.md", later)
    search, known = everywhere.memory_search, everywhere.knowledge_search
    assert paths(search("otter", record_kind="request")) == ["memory/requests/r.md"]
    assert paths(search("otter", status="resolved")) == ["memory/decisions/later.md"]
    assert paths(search("otter", since="2026-05-01")) == ["memory/decisions/later.md"]
    assert paths(known("otter", kind="rule")) == ["knowledge/g.md"]
    one = search("otter", limit=1)
    assert (len(one.hits), one.is_cut) == (1, True)
    memory.write("memory/decisions/d.md", DECISION.replace("Body.", "otter\n\nOtter"))
    assert [hit.line for hit in search("otter", order="file", status="open").hits] == [7, 9]


def test_the_lines_around_a_match_are_configured(memory: Memory) -> None:
    (memory.workspace / "yoimem.toml").write_text("[search]\ncontext-lines = 0\n")
    memory.write("knowledge/k.md", KNOWLEDGE.replace("Body.", "before\notter\nafter"))
    (hit,) = MemoryTools(memory.root).knowledge_search("otter").hits
    assert hit.excerpt == "otter"


def test_what_a_model_is_told_of_a_hit(memory: Memory) -> None:
    shown = KNOWLEDGE.replace("model_invokation: false", "model_invokation: true")
    memory.write("knowledge/k.md", shown.replace("Body.", "otter"))
    memory.write("memory/decisions/d.md", DECISION.replace("Body.", "otter"))
    tools = MemoryTools(memory.root)
    assert as_text(tools.knowledge_search("otter")) == (
        "knowledge/k.md:10 (knowledge, guide, shown to models) What there is to know.\notter"
    )
    assert as_text(tools.memory_search("otter")) == (
        "memory/decisions/d.md:7 (decision, open) otter\notter"
    )


def test_the_sources_of_a_record(memory: Memory) -> None:
    sources = "\n".join(f'  - {{"session_id": "s{n}", "range": [{n}, {n + 1}]}}' for n in range(2))
    memory.write("memory/decisions/d.md", DECISION.replace("sources: []", f"sources:\n{sources}"))
    tools = MemoryTools(memory.root)
    both = tools.memory_sources("memory/decisions/d.md")
    assert [found.source.session_id for found in both.sources] == ["s0", "s1"]
    (second,) = tools.memory_sources("memory/decisions/d.md", index=1).sources
    assert second.source.session_id == "s1"
    with pytest.raises(MemoryToolError, match=r"`index` is 2, and memory/decisions/d\.md has 2"):
        tools.memory_sources("memory/decisions/d.md", index=2)


def test_a_read_is_noted_with_bytes_and_tokens(memory: Memory) -> None:
    text = DECISION.replace("Body.", "設定はここに書く。")
    memory.write("memory/decisions/d.md", text)
    MemoryTools(memory.root, session_id="s1").memory_read("memory/decisions/d.md")
    (event,) = UsageLog(memory.root).history().events
    assert (event.type, event.actor, event.session) == ("invoke", "agent", "s1")
    assert event.records == (
        UsedRecord("memory/decisions/d.md", len(text.encode()), estimate_tokens(text)),
    )


def test_what_the_consolidator_reads_counts_for_nothing(memory: Memory) -> None:
    memory.write("memory/decisions/d.md", DECISION)
    tools = MemoryTools(memory.root, actor="consolidator", run_id="r1")
    tools.memory_read("memory/decisions/d.md")
    (event,) = UsageLog(memory.root).history().events
    assert event.actor == "consolidator"
    assert tools.recall.usage().of("memory/decisions/d.md").invokes == 0


def test_what_a_session_begins_with_is_noted_by_its_bytes(memory: Memory) -> None:
    memory.write("memory/summary.md", SUMMARY.replace("Body.", "要約です。"))
    Recall(memory.root, session_id="s1", actor="agent").resident()
    (event,) = UsageLog(memory.root).history().events
    assert event.type == "exposure"
    sizes = {used.path: used.bytes for used in event.records}
    assert sizes["memory/summary.md"] == len("要約です。".encode())


def test_a_slug_that_finds_nothing_is_answered_with_what_may_be_meant(memory: Memory) -> None:
    tools = MemoryTools(memory.root)
    said = as_text(tools.knowledge_search("", slug="use-sqlit"))
    assert said.startswith("nothing was found: ")
    assert "`use-sqlite`" in said
    assert as_text(SearchResult(())) == "nothing was found"


@pytest.mark.parametrize(
    ("configured", "budget", "is_whole"),
    [(0, None, True), (1, None, False), (1, 0, True), (0, 1, False), (1, 1000, True)],
)
def test_a_budget_of_0_is_no_bound_and_none_is_the_configured_one(
    configured: int, budget: int | None, is_whole: bool, memory: Memory
) -> None:
    (memory.workspace / "yoimem.toml").write_text(f"[resident]\nbudget = {configured}\n")
    recall = Recall(memory.root)
    assert ("What there is to know." in recall.preview(budget).text) is is_whole
    assert recall.resident(budget) == recall.preview(budget)


def test_a_negative_budget_is_an_error(memory: Memory) -> None:
    with pytest.raises(ValueError, match="must be 0 "):
        Recall(memory.root).resident(-1)
