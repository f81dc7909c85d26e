"""Expanding `#slug` and `/slug` in what a person or a model says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import KNOWLEDGE, Memory
from tests.recall.shelves import BROKEN, HIDDEN, knowledge, library_of, workflow
from yoimem.recall.library import Library
from yoimem.recall.references import Expansion, Invoker, expand


def expanded(memory: Memory, text: str, invoker: Invoker = "user") -> Expansion:
    return expand(library_of(memory), text, invoker)


def slugs(expansion: Expansion) -> list[str]:
    return [record.slug for record in expansion.records]


def refusals(expansion: Expansion) -> dict[str, str]:
    return {note.slug: note.why for note in expansion.refused}


@pytest.fixture
def shelf(memory: Memory) -> Memory:
    memory.write("knowledge/sqlite.md", knowledge("One file. See #backup.", "The\n  database"))
    memory.write("knowledge/backup.md", knowledge("Copy it.", "How to copy."))
    memory.write("knowledge/123.md", knowledge("A number."))
    memory.write("knowledge/hidden.md", HIDDEN.replace("Body.", "Hush."))
    memory.write("knowledge/broken.md", BROKEN)
    memory.write("workflow/release.md", workflow("1. Tag.", "test", "sqlite"))
    memory.write("workflow/test.md", workflow("1. Run.", "backup"))
    return memory


def test_the_sentence_stays_and_the_records_follow_in_order_each_once(shelf: Memory) -> None:
    said = "Mind #backup, then #sqlite, then #backup.\n\n"
    assert expanded(shelf, said).text == (
        "Mind #backup, then #sqlite, then #backup.\n\n"
        "## #backup: How to copy.\n\nCopy it.\n\n"
        "## #sqlite: The database\n\nOne file. See #backup.\n"
    )


def test_what_a_record_names_is_not_drawn_in(shelf: Memory) -> None:
    assert slugs(expanded(shelf, "#sqlite")) == ["sqlite"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "nothing at all",
        "`#sqlite`",
        "```\n#sqlite\n```",
        "    #sqlite\n",
        "https://example.org/#sqlite",
        "[a](b#sqlite)",
        "C#sqlite",
        "a#sqlite",
        "##sqlite",
        "#sqlite-",
        "#SQLite",
        "# sqlite",
        "issue #456, colour #fff",
        "/usr/bin/env",
        "run /release",
        "//release",
        "/release/now",
        "/release.",
    ],
)
def test_what_names_no_record_leaves_the_text_alone(text: str, shelf: Memory) -> None:
    expansion = expanded(shelf, text)
    assert (expansion.text, expansion.added) == (text, "")
    assert [expansion.records, expansion.refused, expansion.unknown] == [(), (), ()]


def test_a_number_names_a_record_where_there_is_one(shelf: Memory) -> None:
    assert slugs(expanded(shelf, "fixes #123")) == ["123"]


def test_a_name_that_is_none_is_left_and_told_once(shelf: Memory) -> None:
    expansion = expanded(shelf, "#sqlit and #sqlit and #qqqqqq")
    assert expansion.text == "#sqlit and #sqlit and #qqqqqq"
    assert [(note.slug, note.why) for note in expansion.unknown] == [
        ("#sqlit", "there is no such record; did you mean `#sqlite`?"),
        ("#qqqqqq", "there is no such record"),
    ]
    (note,) = expanded(shelf, "#release and /sqlite").unknown
    assert note.why == "there is no such record; did you mean `/release`?"
    (note,) = expanded(shelf, "/sqlite").unknown
    assert note.why == "there is no such record; did you mean `#sqlite`?"
    (note,) = expanded(shelf, "/releas").unknown
    assert note.why.endswith("did you mean `/release`?")


def test_users_are_refused_what_is_hidden_from_them(shelf: Memory) -> None:
    expansion = expanded(shelf, "#hidden and #hidden, #backup")
    assert slugs(expansion) == ["backup"]
    assert list(refusals(expansion)) == ["#hidden"]
    assert "user_invocable: false" in refusals(expansion)["#hidden"]
    assert "Hush." not in expansion.text
    assert expansion.text.endswith(f"Not given:\n- #hidden: {refusals(expansion)['#hidden']}\n")
    assert slugs(expanded(shelf, "#hidden", "model")) == ["hidden"]


def test_a_broken_record_is_told_and_not_silently_empty(shelf: Memory) -> None:
    expansion = expanded(shelf, "#broken")
    assert expansion.records == ()
    assert "knowledge/broken.md cannot be read" in refusals(expansion)["#broken"]
    assert "knowledge/broken.md cannot be read" in expansion.text


@pytest.mark.parametrize("text", ["/release", "/release now\n", "\n  /release\tnow", "/release\n1"])
def test_a_workflow_comes_after_all_that_it_requires(text: str, shelf: Memory) -> None:
    expansion = expanded(shelf, text)
    assert slugs(expansion) == ["backup", "test", "sqlite", "release"]
    assert expansion.text.startswith(text.rstrip())
    assert expansion.text.endswith("## /release: Make a release.\n\n1. Tag.\n")


def test_a_record_comes_once_however_often_it_is_named_or_required(shelf: Memory) -> None:
    assert slugs(expanded(shelf, "/release with #sqlite and #backup")) == [
        "backup",
        "test",
        "sqlite",
        "release",
    ]


def test_a_workflow_is_refused_to_whom_it_is_not_for(shelf: Memory) -> None:
    shelf.write("workflow/internal.md", workflow("a", more="user_invocable: false\n"))
    shelf.write("workflow/offered.md", workflow("a", more="model_invokation: true\n"))
    assert list(refusals(expanded(shelf, "/internal"))) == ["/internal"]
    assert list(refusals(expanded(shelf, "/internal", "model"))) == ["/internal"]
    assert list(refusals(expanded(shelf, "/release", "model"))) == ["/release"]
    assert slugs(expanded(shelf, "/offered", "model")) == ["offered"]
    assert slugs(expanded(shelf, "/offered")) == ["offered"]


def test_who_may_call_a_workflow_gets_what_it_requires(shelf: Memory) -> None:
    shelf.write("workflow/quiet.md", workflow("a", "hidden"))
    expansion = expanded(shelf, "/quiet and #hidden")
    assert slugs(expansion) == ["hidden", "quiet"]
    assert expansion.refused == ()


def test_a_circle_is_told_and_not_walked_twice(memory: Memory) -> None:
    memory.write("workflow/a.md", workflow("A.", "b", "a"))
    memory.write("workflow/b.md", workflow("B.", "c"))
    memory.write("workflow/c.md", workflow("C.", "b"))
    expansion = expanded(memory, "/a")
    assert slugs(expansion) == ["c", "b", "a"]
    assert refusals(expansion) == {
        "/b": "it requires itself: b -> c -> b",
        "/a": "it requires itself: a -> a",
    }


def test_what_is_missing_broken_or_ambiguous_is_told_and_the_rest_comes(memory: Memory) -> None:
    memory.write("workflow/a.md", workflow("A.", "gone", "broken", "both", "fine"))
    memory.write("knowledge/broken.md", BROKEN)
    memory.write("knowledge/both.md", KNOWLEDGE)
    memory.write("workflow/both.md", workflow("Both."))
    memory.write("knowledge/fine.md", KNOWLEDGE)
    expansion = expanded(memory, "/a")
    assert slugs(expansion) == ["fine", "a"]
    assert refusals(expansion) == {
        "/gone": "the workflow `a` requires it, and there is no such record",
        "#broken": "knowledge/broken.md cannot be read as a record; `yoimem check` says why",
        "#both": "several records are called so: knowledge/both.md, workflow/both.md",
    }


def test_a_workflow_with_a_namesake_is_told(memory: Memory) -> None:
    memory.write("workflow/a.md", workflow("A."))
    memory.write("memory/workflow/a.md", workflow("B."))
    assert refusals(expanded(memory, "/a")) == {
        "/a": "several records are called so: workflow/a.md, memory/workflow/a.md"
    }


def test_a_ladder_of_requirements_is_walked_once_a_record(memory: Memory) -> None:
    """Each of 30 steps requires both of the next: there are 2 ** 30 ways down."""
    for step in range(30):
        for side in "ab":
            lower = [f"a{step + 1}", f"b{step + 1}"] if step < 29 else []
            memory.write(f"workflow/{side}{step}.md", workflow("x", *lower))
    assert len(expanded(memory, "/a0").records) == 59


def test_a_long_chain_is_no_recursion(memory: Memory) -> None:
    for step in range(1200):
        memory.write(f"workflow/w{step}.md", workflow("x", f"w{step + 1}"))
    expansion = expanded(memory, "/w0")
    assert len(expansion.records) == 1200
    assert list(refusals(expansion)) == ["/w1200"]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of(Memory(tmp_path_factory.mktemp("empty")))


@given(
    text=st.text(st.sampled_from("#/ab`\n\r\\[](){}<>!*_~-.:\0é日\u2028 "), max_size=60)
    | st.text(max_size=60)
)
def test_any_text_is_legal_and_kept(text: str, empty: Library) -> None:
    expansion = expand(empty, text)
    assert expansion.text == text
    assert [expansion.records, expansion.refused] == [(), ()]
