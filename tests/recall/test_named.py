"""What is recalled by name: the library, `#slug` and `/slug`, completion, the resident block."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, WORKFLOW, Memory
from yoimem.interfaces.cli.main import main
from yoimem.recall.library import Library
from yoimem.recall.references import Expansion, expand
from yoimem.recall.resident import resident
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.records.tokens import estimate_tokens
from yoimem.tools import Recall
from yoimem.workspace.store import Store

Output = pytest.CaptureFixture[str]
SHOWN = KNOWLEDGE.replace("model_invokation: false", "model_invokation: true")
HIDDEN = KNOWLEDGE.replace("user_invocable: true", "user_invocable: false")


def library(memory: Memory) -> Library:
    kinds = Kinds()
    return Library(Store(memory.root), kinds, Reader(kinds))


def know(memory: Memory, slug: str, body: str = "Body.", text: str = KNOWLEDGE) -> None:
    memory.write(f"knowledge/{slug}.md", text.replace("Body.", body))


def flow(memory: Memory, slug: str, *requires: str, extra: str = "") -> None:
    needs = f"requires: [{', '.join(requires)}]\n" if requires else ""
    text = WORKFLOW.replace("---\n1. Tag.", f"{needs}{extra}---\nSteps of {slug}.")
    memory.write(f"workflow/{slug}.md", text)


def bodies(expansion: Expansion) -> list[str]:
    return [record.slug for record in expansion.records]


class TestTheLibrary:
    def test_finds_a_record_in_each_of_its_places(self, memory: Memory) -> None:
        memory.write("memory/workflow/release.md", WORKFLOW)
        memory.write("workflow/release.md", WORKFLOW)
        know(memory, "release")
        found = library(memory).named("release", "workflow")
        assert [r.path for r in found] == ["workflow/release.md", "memory/workflow/release.md"]
        assert len(library(memory).named("release")) == 3

    @pytest.mark.parametrize("slug", ["../x", "a--b", "", "A", "x" * 65, "con", "a/b", "\0"])
    def test_what_is_no_slug_names_nothing(self, memory: Memory, slug: str) -> None:
        assert library(memory).named(slug) == ()

    @pytest.mark.parametrize(
        "path", ["memory/_logs/audit.jsonl", "memory/_x/a.md", "../a.md", "knowledge/README.md"]
    )
    def test_what_is_no_record_is_not_read(self, memory: Memory, path: str) -> None:
        memory.write("memory/_x/a.md", KNOWLEDGE)
        memory.write("knowledge/README.md", "hello")
        assert library(memory).record(path) is None

    @pytest.mark.skipif(os.name == "nt", reason="links need a right there")
    def test_a_link_is_not_followed(self, memory: Memory) -> None:
        (memory.workspace / "secret.md").write_text("password")
        (memory.root / "knowledge").mkdir()
        (memory.root / "knowledge/x.md").symlink_to(memory.workspace / "secret.md")
        record = library(memory).record("knowledge/x.md")
        assert record is not None
        assert "password" not in record.text
        assert record.problems

    def test_kinds_come_in_the_order_of_slugs(self, memory: Memory) -> None:
        for slug in ("b", "a", "c"):
            know(memory, slug)
        flow(memory, "aa")
        slugs = [record.slug for record in library(memory).of_kinds("knowledge", "workflow")]
        assert slugs == ["a", "aa", "b", "c"]
        assert library(memory).slugs("decision") == []


class TestExpanding:
    def test_each_record_comes_once_below_the_text(self, memory: Memory) -> None:
        know(memory, "use-sqlite", "One file. See #other-thing.")
        know(memory, "other-thing")
        found = expand(library(memory), "詳細は#use-sqlite、and #use-sqlite again.")
        assert found.text == (
            "詳細は#use-sqlite、and #use-sqlite again.\n\n"
            "## #use-sqlite: What there is to know.\n\nOne file. See #other-thing.\n"
        )
        assert bodies(found) == ["use-sqlite"]

    @pytest.mark.parametrize(
        "text", ["`#use-sqlite`", "a#use-sqlite", "x/#use-sqlite", "[a](b#use-sqlite)", "no names"]
    )
    def test_what_is_no_reference_stays_as_it_is(self, memory: Memory, text: str) -> None:
        know(memory, "use-sqlite")
        found = expand(library(memory), text)
        assert (found.text, found.added, found.records) == (text, "", ())

    def test_a_number_counts_only_where_it_is_a_record(self, memory: Memory) -> None:
        know(memory, "123")
        found = expand(library(memory), "#123 and #124 and #fff")
        assert bodies(found) == ["123"]
        assert found.unknown == ()

    def test_users_are_refused_what_is_not_for_them_and_models_are_not(
        self, memory: Memory
    ) -> None:
        know(memory, "inner-ways", text=HIDDEN)
        refused = expand(library(memory), "#inner-ways #inner-ways")
        assert bodies(refused) == []
        assert [note.slug for note in refused.refused] == ["#inner-ways"]
        assert "user_invocable: false" in refused.text
        assert bodies(expand(library(memory), "#inner-ways", "model")) == ["inner-ways"]

    def test_a_workflow_that_models_may_not_call_is_refused_to_them(self, memory: Memory) -> None:
        flow(memory, "release")
        assert bodies(expand(library(memory), "/release", "model")) == []
        flow(memory, "release", extra="model_invokation: true\n")
        assert bodies(expand(library(memory), "/release", "model")) == ["release"]

    def test_broken_frontmatter_is_told_and_never_empty(self, memory: Memory) -> None:
        memory.write("knowledge/broken.md", "---\nkind: [\n---\nBody.\n")
        found = expand(library(memory), "#broken")
        assert bodies(found) == []
        assert "knowledge/broken.md cannot be read" in found.text

    def test_an_unknown_slug_is_told_with_the_nearest(self, memory: Memory) -> None:
        know(memory, "use-sqlite")
        found = expand(library(memory), "see #use-sqlit")
        assert found.text == "see #use-sqlit"
        assert [(n.slug, n.why) for n in found.unknown] == [
            ("#use-sqlit", "there is no such record; did you mean `#use-sqlite`?")
        ]

    def test_what_a_workflow_requires_comes_first_in_order_each_once(self, memory: Memory) -> None:
        for slug in ("one", "two", "three"):
            know(memory, slug)
        flow(memory, "inner", "two", "one")
        flow(memory, "release", "one", "inner", "three")
        found = expand(library(memory), "/release now, see #three")
        assert bodies(found) == ["one", "two", "inner", "three", "release"]

    def test_circles_and_missing_ones_are_told(self, memory: Memory) -> None:
        flow(memory, "a", "b", "gone-for-good")
        flow(memory, "b", "a")
        found = expand(library(memory), "/a")
        assert bodies(found) == ["b", "a"]
        told = {note.slug: note.why for note in found.refused}
        assert told["/a"] == "it requires itself: a -> b -> a"
        assert "`a` requires it" in told["/gone-for-good"]

    @pytest.mark.parametrize("text", ["/usr/bin", "see /release", "/releases", "/", "// x"])
    def test_other_slashes_are_left_alone(self, memory: Memory, text: str) -> None:
        flow(memory, "release")
        assert expand(library(memory), text).text == text


class TestCompleting:
    def test_beginnings_come_first_and_what_users_cannot_call_is_left_out(
        self, memory: Memory
    ) -> None:
        for slug in ("run-tests", "tests-of-ours", "zebra"):
            know(memory, slug)
        know(memory, "tests-hidden", text=HIDDEN)
        memory.write("knowledge/tests-broken.md", "no frontmatter")
        flow(memory, "test-all")
        recall = Recall(memory.root)
        assert [c.typed for c in recall.complete("#tes")] == ["#tests-of-ours", "#run-tests"]
        assert [c.typed for c in recall.complete("/")] == ["/test-all"]
        assert [c.description for c in recall.complete("zeb")] == ["What there is to know."]
        assert recall.complete("#nothing") == ()


class TestTheResidentBlock:
    def test_holds_the_summary_and_what_models_are_to_see(self, memory: Memory) -> None:
        memory.write("memory/summary.md", SUMMARY.replace("Body.", "# Us\n\nWe ship."))
        know(memory, "b-thing", text=SHOWN.replace("What there", "What\n  there"))
        know(memory, "a-hidden")
        flow(memory, "a-flow", extra="auto_invoke: true\n")
        block = resident(library(memory))
        assert block.text.index("We ship.") < block.text.index("- a-flow (workflow): Make")
        assert "- b-thing: What there is to know.\n" in block.text
        assert "a-hidden" not in block.text
        assert [part.path for part in block.records] == [
            "memory/summary.md",
            "workflow/a-flow.md",
            "knowledge/b-thing.md",
        ]
        assert (block.left_out, block.faults) == ((), ())
        assert block.tokens == estimate_tokens(block.text)

    @pytest.mark.parametrize("budget", [60, 100, 150, 250, 400, 700])
    def test_a_budget_holds_and_names_what_it_left_out(self, memory: Memory, budget: int) -> None:
        memory.write("memory/summary.md", SUMMARY.replace("Body.", "We ship. " * 20))
        for number in range(12):
            know(memory, f"thing-{number:02}", text=SHOWN)
        whole = resident(library(memory))
        block = resident(library(memory), budget)
        shown = {part.path for part in block.records}
        assert shown | set(block.left_out) == {part.path for part in whole.records}
        assert not shown & set(block.left_out)
        if shown:
            assert block.tokens <= budget
        if block.left_out:
            assert f"{len(block.left_out)} record" in block.text
            assert all(Path(path).stem in block.text for path in block.left_out)
        wider = resident(library(memory), budget + 200)
        assert len(wider.records) >= len(block.records)

    def test_a_broken_summary_is_told(self, memory: Memory) -> None:
        memory.write("memory/summary.md", "no frontmatter")
        block = resident(library(memory))
        assert "memory/summary.md cannot be read" in block.text
        assert resident(library(memory), summary=False).text == ""

    def test_an_empty_memory_has_none(self, memory: Memory) -> None:
        assert resident(library(memory)).text == ""

    def test_noting_is_for_those_who_inject(self, memory: Memory) -> None:
        know(memory, "use-sqlite", text=SHOWN)
        recall = Recall(memory.root, session_id="s1")
        recall.preview()
        assert recall.usage().uses == {}
        recall.resident()
        use = recall.usage().of("knowledge/use-sqlite.md")
        assert (use.exposures, use.invokes) == (1, 0)
        assert use.exposure_tokens > 0


class TestTheCommands:
    @pytest.fixture
    def run(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: Output
    ) -> Callable[..., tuple[int, str, str]]:
        monkeypatch.chdir(memory.workspace)
        monkeypatch.delenv("YOIMEM_ROOT", raising=False)
        memory.write("memory/summary.md", SUMMARY)
        know(memory, "use-sqlite", text=SHOWN)

        def run(*arguments: str) -> tuple[int, str, str]:
            code = main(arguments)
            out, err = capsys.readouterr()
            return code, out, err

        return run

    def test_show(self, memory: Memory, run: Callable[..., tuple[int, str, str]]) -> None:
        for word in ("use-sqlite", "#use-sqlite", "knowledge/use-sqlite.md"):
            assert run("show", word) == (0, SHOWN, "")
        code, out, err = run("show", "use-sqlit")
        assert (code, out) == (2, "")
        assert "did you mean `use-sqlite`?" in err
        memory.write("memory/decisions/use-sqlite.md", DECISION)
        assert "name one of memory/decisions/use-sqlite.md" in run("show", "use-sqlite")[2]
        assert json.loads(run("show", "summary", "--output-format", "json")[1])["text"] == SUMMARY
        # Three reads without a session, one after the other, count as one.
        assert Recall(memory.root).usage().of("knowledge/use-sqlite.md").invokes == 1

    def test_complete(self, run: Callable[..., tuple[int, str, str]]) -> None:
        assert run("complete", "#use") == (0, "#use-sqlite  What there is to know.\n", "")
        assert run("complete", "#nope") == (1, "", "")
        found = json.loads(run("complete", "use", "--output-format", "json")[1])
        assert found["completions"][0]["typed"] == "#use-sqlite"

    def test_resident(self, memory: Memory, run: Callable[..., tuple[int, str, str]]) -> None:
        code, out, err = run("resident")
        assert (code, err) == (0, "")
        assert "- use-sqlite: What there is to know." in out
        code, out, err = run("resident", "--budget", "30")
        assert code == 0
        assert "left out for the budget: knowledge/use-sqlite.md" in err
        found = json.loads(run("resident", "--output-format", "json", "--session-id", "s1")[1])
        assert [part["path"] for part in found["records"]] == [
            "memory/summary.md",
            "knowledge/use-sqlite.md",
        ]
        assert Recall(memory.root).usage().of("memory/summary.md").exposures == 1

    def test_expand(self, run: Callable[..., tuple[int, str, str]]) -> None:
        code, out, err = run("expand", "see #use-sqlite and #use-sqlit")
        assert code == 0
        assert out.endswith("## #use-sqlite: What there is to know.\n\nBody.\n")
        assert err == ("yoimem: #use-sqlit: there is no such record; did you mean `#use-sqlite`?\n")
        found = json.loads(run("expand", "#use-sqlite", "--output-format", "json")[1])
        assert found["records"] == ["knowledge/use-sqlite.md"]
