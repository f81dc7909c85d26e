"""What an actor recalls through the tools, and what is noted of it."""

import pytest
from tests.conftest import KNOWLEDGE, Memory

from yoimem.recall.query import SearchResult
from yoimem.recall.usage import UsageLog
from yoimem.tools import MemoryTools
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
