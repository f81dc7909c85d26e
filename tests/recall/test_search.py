"""What a search finds, in which order, and what it shows."""

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, WORKFLOW, Memory
from yoimem.lint.settings import SearchSettings
from yoimem.recall.errors import SearchError
from yoimem.recall.query import Hit, Query
from yoimem.recall.search import Searcher
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.workspace.layout import Root

Search = Callable[..., list[Hit]]


def searcher(memory: Memory, index: Path) -> Searcher:
    kinds = Kinds()
    root = Root(memory.root.resolve(), memory.workspace.resolve())
    return Searcher(root, kinds, Reader(kinds), SearchSettings(index=str(index)))


@pytest.fixture
def search(memory: Memory, tmp_path_factory: pytest.TempPathFactory) -> Search:
    made = searcher(memory, tmp_path_factory.mktemp("index"))
    return lambda text="", **given: list(made.search(Query(text=text, **given)).hits)


def knowledge(memory: Memory, **bodies: str) -> None:
    for name, body in bodies.items():
        memory.write(f"knowledge/{name.replace('_', '-')}.md", KNOWLEDGE.replace("Body.", body))


def slugs(hits: list[Hit]) -> list[str]:
    return [hit.slug for hit in hits]


class TestWords:
    def test_another_form_of_a_word_finds_it(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="We configured the retries.", b="Nothing here.")
        assert slugs(search("configuring retry")) == ["a"]

    def test_a_record_with_all_words_comes_first(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="cache cache cache", b="cache expiry", c="expiry", d="none", e="other")
        assert slugs(search("cache expiry"))[0] == "b"

    def test_a_word_as_it_is_written_comes_first(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="caching", b="cached", c="caches", d="other", e="none", f="x")
        assert slugs(search("cached")) == ["b", "a", "c"]

    def test_a_record_with_all_words_is_never_cut_off(self, memory: Memory, search: Search) -> None:
        """Many short records score higher by one word than a long one does by both."""
        for number in range(75):
            knowledge(memory, **{f"a{number}": "alpha " * 12, f"b{number}": "beta " * 12})
        knowledge(memory, both=f"alpha beta {'filler word ' * 60}")
        everything = slugs(search("alpha beta", limit=None))
        assert everything[0] == "both"
        for limit in (1, 5, 40):
            assert slugs(search("alpha beta", limit=limit))[0] == "both"

    def test_a_word_that_most_records_hold_still_finds_those_that_pass_the_filters(
        self, memory: Memory, search: Search
    ) -> None:
        knowledge(memory, **{f"r{number}": "yoimem" for number in range(1_100)})
        knowledge(memory, rare="yoimem sqlite")
        memory.write("memory/decisions/d.md", DECISION.replace("Body.", "We use yoimem."))
        assert slugs(search("yoimem sqlite")) == ["rare"]
        assert slugs(search("yoimem sqlite", record_kinds=("decision",))) == ["d"]
        assert len(search("yoimem sqlite", limit=None)) == 1_102

    def test_a_replaced_decision_comes_after_what_replaced_it(
        self, memory: Memory, search: Search
    ) -> None:
        old = DECISION.replace("status: open", "status: replaced\nreplaced_by: cookies")
        memory.write("memory/decisions/tokens.md", old.replace("Body.", "Sign in, sign in."))
        memory.write("memory/decisions/cookies.md", DECISION.replace("Body.", "To sign in once."))
        hits = search("sign in")
        assert [(hit.slug, hit.status) for hit in hits] == [
            ("cookies", "open"), ("tokens", "replaced"),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("run", "is_found"),
        [
            ("タイムアウト", True),
            ("タイムアップ", True),
            ("タイムラグ", False),
            ("アウトライン", False),
        ],
    )
    def test_a_pair_of_a_long_run_is_no_answer(
        self, memory: Memory, search: Search, run: str, is_found: bool
    ) -> None:
        """At least half of what is looked for is held, beginning with `タイムア`."""
        knowledge(memory, a=run)
        assert bool(search("タイムアウト")) is is_found

    def test_a_word_that_only_the_frontmatter_holds(self, memory: Memory, search: Search) -> None:
        memory.write(
            "knowledge/a.md", KNOWLEDGE.replace("kind: guide", "kind: guide\nfor: penguins")
        )
        knowledge(memory, b="nothing")
        assert slugs(search("penguins")) == ["a"]

    def test_fields_count_by_how_much_they_say(self, memory: Memory, search: Search) -> None:
        described = KNOWLEDGE.replace("is to know", "is of deploys")
        memory.write("knowledge/described.md", described)
        knowledge(memory, deploys="x", heading="# Deploys", body="deploys", c="y", d="z")
        assert slugs(search("deploys")) == ["deploys", "described", "heading", "body"]

    def test_a_cut_through_equal_scores_is_by_path(self, memory: Memory, search: Search) -> None:
        for number in reversed(range(200)):
            knowledge(memory, **{f"r{number:03}": "same"})
        assert slugs(search("same", limit=2)) == ["r000", "r001"]

    def test_of_a_page_that_is_pasted_in_the_first_words_count(
        self, memory: Memory, search: Search
    ) -> None:
        knowledge(memory, a="needle")
        words = " ".join(f"w{number}" for number in range(31))
        assert slugs(search(f"{words} needle")) == ["a"]
        assert slugs(search(f"{words} more needle")) == []

    def test_the_slug_weighs_more_than_the_body(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="backup", backup="word", c="x", d="y", e="z")
        assert slugs(search("backup")) == ["backup", "a"]

    def test_the_description_weighs_more_than_the_body(
        self, memory: Memory, search: Search
    ) -> None:
        knowledge(memory, a="deploys", c="x", d="y", e="z")
        memory.write("knowledge/b.md", KNOWLEDGE.replace("What there is to know", "On deploys"))
        assert slugs(search("deploys")) == ["b", "a"]

    def test_ties_are_broken_by_path(self, memory: Memory, search: Search) -> None:
        knowledge(memory, b="same", a="same", c="same")
        assert slugs(search("same")) == ["a", "b", "c"]

    def test_cpp_comes_before_c(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="C and C and C", b="Written in C++", d="Go", e="Rust", f="Zig")
        assert slugs(search("C++"))[0] == "b"

    @pytest.mark.parametrize("query", ["readFile", "read file", "file", "READFILE", "readfiles"])
    def test_an_identifier_is_found_by_its_parts(
        self, query: str, memory: Memory, search: Search
    ) -> None:
        knowledge(memory, a="Call readFile twice.", b="Nothing.")
        assert slugs(search(query)) == ["a"]

    def test_the_beginning_of_a_word_finds_it(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="The configuration.", b="Nothing.")
        assert slugs(search("config")) == ["a"]

    @pytest.mark.parametrize("query", ["手", "順", "手順", "再起動", "起動 手順", "ｻｰﾊﾞｰ"])
    def test_japanese_of_any_length(self, query: str, memory: Memory, search: Search) -> None:
        knowledge(memory, a="サーバーを再起動する手順", b="別の話")
        assert slugs(search(query)) == ["a"]

    def test_a_whole_run_comes_before_its_pairs(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="起動の前に再起して再起して動かす", b="ここで再起動", c="外", d="内")
        assert slugs(search("再起動")) == ["b", "a"]

    def test_one_form_of_unicode_finds_the_other(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a=unicodedata.normalize("NFD", "ガイドとcafé"))
        assert slugs(search("ガイド")) == slugs(search("café")) == ["a"]

    def test_what_no_rule_would_pass_is_found_too(self, memory: Memory, search: Search) -> None:
        (memory.root / "knowledge").mkdir()
        (memory.root / "knowledge" / "latin.md").write_bytes(b"gr\xfc\xdfe, penguin")
        memory.write("knowledge/Bad Name.md", "---\nno end, penguin")
        memory.write("memory/astray/x.md", "penguin")
        assert sorted(slugs(search("penguin"))) == ["Bad Name", "latin", "x"]

    def test_many_records_with_common_words(self, memory: Memory, search: Search) -> None:
        knowledge(memory, **{f"r{n}": f"the service part{n}" for n in range(1_001)})
        assert slugs(search("the part7"))[0] == "r7"
        assert len(search("the service", limit=None)) == 1_001


class TestExcerpts:
    def test_lines_around_the_match(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="\n".join(["# Head", *map(str, range(1, 9)), "needle", "after"]))
        (hit,) = search("needles", context_lines=2)
        assert (hit.excerpt, hit.line, hit.first_line) == ("7\n8\nneedle\nafter", 19, 17)
        assert [hit.excerpt[m.start : m.end] for m in hit.matches] == ["needle"]

    def test_no_frontmatter_before_the_body(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="needle")
        assert search("needle")[0].excerpt == "needle"

    @pytest.mark.parametrize("mode", ["words", "literal", "regex"])
    @pytest.mark.parametrize(
        ("line", "query"), [("ééé のガイド", "ガイド"), ("서버 설정을", "설정")]
    )
    def test_marks_stand_right_in_decomposed_text(
        self, memory: Memory, search: Search, line: str, query: str, mode: str
    ) -> None:
        knowledge(memory, a=unicodedata.normalize("NFD", line))
        (hit,) = search(query, mode=mode)
        (mark,) = hit.matches
        assert unicodedata.normalize("NFC", hit.excerpt[mark.start : mark.end]) == query

    def test_half_width_sounds_are_marked_whole(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="ｻｰﾊﾞｰのﾛｸﾞを見る")
        (hit,) = search("ログ")
        assert [hit.excerpt[m.start : m.end] for m in hit.matches] == ["ﾛｸﾞ"]

    def test_cpp_is_marked_before_a_number(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="We use C++20 here.")
        (hit,) = search("C++")
        assert [hit.excerpt[m.start : m.end] for m in hit.matches] == ["C++"]

    def test_the_line_with_more_of_the_query_is_shown(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="# OrderRepository\n\nText.\n\nCall find_open_orders.")
        (hit,) = search("open orders", context_lines=0)
        assert hit.excerpt == "Call find_open_orders."

    def test_a_long_line_is_cut_around_the_match(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a=f"{'x ' * 50_000}needle{' y' * 50_000}")
        (hit,) = search("needle")
        (mark,) = hit.matches
        assert len(hit.excerpt) < 500
        assert hit.excerpt[mark.start : mark.end] == "needle"

    def test_what_a_hit_says_of_its_record(self, memory: Memory, search: Search) -> None:
        memory.write("memory/decisions/a.md", DECISION.replace("Body.", "\n## Use it\n\nneedle"))
        memory.write("knowledge/b.md", KNOWLEDGE.replace("n: false", "n: true") + "needle")
        a, b = sorted(search("needle"), key=lambda hit: hit.slug)
        assert (a.path, a.record_kind, a.kind) == ("memory/decisions/a.md", "decision", None)
        assert (a.description, a.model_invokation) == ("Use it", False)
        assert (b.record_kind, b.kind, b.model_invokation) == ("knowledge", "guide", True)
        assert b.description == "What there is to know."

    def test_the_explanation_adds_up(self, memory: Memory, search: Search) -> None:
        knowledge(memory, backup="backup of a ledger", b="ledger", c="x", d="y")
        for hit in search("backup ledger", explain=True):
            assert sum(part.score for part in hit.explanation) == pytest.approx(hit.score)
            assert all(part.fields for part in hit.explanation)
        assert search("backup ledger")[0].explanation == ()


class TestFilters:
    @pytest.fixture(autouse=True)
    def _records(self, memory: Memory) -> None:
        memory.write("memory/summary.md", SUMMARY)
        memory.write("memory/decisions/a.md", DECISION)
        memory.write(
            "memory/decisions/b.md",
            DECISION.replace("open", "resolved").replace(
                "updated_at: 2026-01-10T09:00:00Z", "updated_at: 2026-02-01T00:30:00+09:00"
            ),
        )
        memory.write("knowledge/k.md", KNOWLEDGE)
        memory.write("workflow/w.md", WORKFLOW + "Body.\n")

    @pytest.mark.parametrize("mode", ["words", "literal", "regex"])
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({}, "a b k summary w"),
            ({"record_kinds": ("knowledge",)}, "k"),
            ({"record_kinds": ("summary", "decision")}, "a b summary"),
            ({"kind": "guide"}, "k"),
            ({"kind": "gui"}, ""),
            ({"status": "resolved"}, "b"),
            ({"since": "2026-01-31"}, "b"),
            ({"since": "2026-02-01"}, ""),
            ({"since": "2026-01-31T15:30:00Z"}, "b"),
            ({"since": "2026-01-31T15:30:01Z"}, ""),
            ({"slug": "k"}, "k"),
        ],
    )
    def test_each(self, given: dict[str, Any], expected: str, mode: str, search: Search) -> None:
        assert sorted(slugs(search("Body", mode=mode, **given))) == expected.split()

    def test_the_limit(self, memory: Memory, tmp_path: Path) -> None:
        made = searcher(memory, tmp_path / "i")
        for order in ("relevance", "file"):
            cut = made.search(Query(text="body", limit=2, order=order))  # type: ignore[arg-type]
            assert (len(cut.hits), cut.is_cut) == (2, True)
            whole = made.search(Query(text="body", limit=None, order=order))  # type: ignore[arg-type]
            assert (len(whole.hits), whole.is_cut) == (5, False)

    def test_a_slug_alone_shows_the_record_whole(self, search: Search) -> None:
        (hit,) = search(slug="k")
        assert (hit.path, hit.excerpt, hit.line) == ("knowledge/k.md", "Body.\n", 10)
        assert search(slug="k", record_kinds=("decision",)) == search(slug="nobody") == []
        assert slugs(search(slug="summary")) == ["summary"]

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({}, "nothing to look for"),
            ({"text": " \n"}, "nothing to look for"),
            ({"slug": "../secret"}, "is no slug"),
            ({"text": "a", "since": "soon"}, "takes a date"),
            ({"text": "a", "since": "2026-01-10T09:00:00"}, "without an offset"),
            ({"text": "a", "since": "2026-W02-1"}, "takes a date"),
            ({"text": "a", "limit": 0}, "must be 1 or more"),
            ({"text": "[a", "mode": "regex"}, "`[a` is no regular expression"),
            ({"text": "(" * 500 + "[", "mode": "regex"}, "is no regular expression"),
            ({"text": "a{1000}" * 3, "mode": "regex"}, "multiply"),
            ({"text": "a(?R)?", "mode": "regex"}, "calls a part of itself"),
            ({"text": "ſ" * 1_001, "mode": "regex"}, "1,001 characters"),
            ({"text": "a", "slug": "../secret"}, "is no slug"),
        ],
    )
    def test_what_cannot_be_asked(self, given: dict[str, Any], words: str, search: Search) -> None:
        with pytest.raises(SearchError, match=re.escape(words)):
            search(**given)

    def test_a_limit_beyond_all_numbers_is_none(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="apple")
        assert slugs(search("apple", limit=10**30)) == ["a"]

    def test_a_slug_that_finds_nothing_says_what_may_be_meant(
        self, memory: Memory, tmp_path: Path
    ) -> None:
        memory.write("knowledge/retry-policy.md", KNOWLEDGE)
        made = searcher(memory, tmp_path / "index")
        assert "`retry-policy`?" in made.search(Query(slug="retry-polcy")).hint
        other = made.search(Query(slug="retry-policy", record_kinds=("decision",))).hint
        assert other.startswith("knowledge/retry-policy.md bears that slug")
        assert made.search(Query(slug="retry-policy")).hint == ""


class TestAsItStands:
    def test_every_line_in_the_order_of_the_files(self, memory: Memory, search: Search) -> None:
        knowledge(memory, b="foo bar\nx\nFoo Bar", a="bar foo\nfoo bar")
        hits = search("foo bar", order="file", context_lines=0)
        assert [(hit.slug, hit.line, hit.excerpt) for hit in hits] == [
            ("a", 11, "foo bar"), ("b", 10, "foo bar"), ("b", 12, "Foo Bar"),
        ]  # fmt: skip

    def test_a_literal_text_over_two_lines(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="one\ntwo three", b="one two")
        (hit,) = search("one\ntwo", mode="literal")
        assert [hit.excerpt[m.start : m.end] for m in hit.matches] == ["one", "two"]

    def test_what_holds_no_word_is_looked_for_as_it_stands(
        self, memory: Memory, search: Search
    ) -> None:
        knowledge(memory, a="done 🎉", b="a *** b", c="plain")
        assert slugs(search("🎉")) == ["a"]
        assert slugs(search("***")) == ["b"]

    def test_a_slug_holds_the_text_too(self, memory: Memory, search: Search) -> None:
        knowledge(memory, use_sqlite="x")
        assert slugs(search("use-sql", order="file")) == ["use-sqlite"]

    def test_a_literal_text_by_how_often_it_stands_there(
        self, memory: Memory, search: Search
    ) -> None:
        knowledge(memory, a="cat", b="cat cat cat", c="cat cat", d="dog")
        hits = search("cat", mode="literal")
        assert [(hit.slug, hit.score) for hit in hits] == [("b", 3.0), ("c", 2.0), ("a", 1.0)]

    def test_the_body_is_shown_before_the_frontmatter(self, memory: Memory, search: Search) -> None:
        memory.write("knowledge/a.md", KNOWLEDGE.replace("Body.", "Here is what there is."))
        (hit,) = search("what there is to", context_lines=0)
        assert hit.excerpt == "Here is what there is."

    def test_each_line_begins_and_ends_for_an_expression(
        self, memory: Memory, search: Search
    ) -> None:
        knowledge(memory, a="one\ntwo\nthree", b="one two")
        assert slugs(search("^two$", mode="regex")) == ["a"]

    def test_a_regular_expression(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="port 8080", b="port none")
        (hit,) = search(r"port \d+$", mode="regex")
        assert [hit.excerpt[m.start : m.end] for m in hit.matches] == ["port 8080"]

    def test_one_that_takes_too_long_is_told(self, memory: Memory, search: Search) -> None:
        knowledge(memory, a="a" * 4_000 + "b")
        with pytest.raises(SearchError, match="make it simpler"):
            search("(a|aa)+$", mode="regex")


LEGAL = ["C++", "don't", "pre-edit", '"', "*", "(", "[x", "AND", "NEAR(", "a NEAR b", "🎉", "\0",
         "\ud800", "slug : x", "{slug} : x", "^x", "x" * 100_000, "word " * 20_000, "日本" * 50_000,
         '" OR "', "-x", "x*", "NOT", "'; DROP TABLE words", "%", "x\ny", "\ufeff"]  # fmt: skip


@pytest.mark.parametrize("query", LEGAL, ids=lambda query: ascii(query[:10]))
@pytest.mark.parametrize("order", ["relevance", "file"])
def test_any_text_is_a_query(query: str, order: str, memory: Memory, search: Search) -> None:
    knowledge(memory, holder=query.encode("utf-8", "replace").decode()[:7_000], other="plain")
    search(query, order=order, explain=True)


def test_the_text_of_a_record_finds_it(memory: Memory, search: Search) -> None:
    for query in LEGAL[:-1]:
        text = query.encode("utf-8", "replace").decode()[:200]
        knowledge(memory, holder=f"- {text}.")
        for order in ("relevance", "file"):
            assert "holder" in slugs(search(text, order=order)), ascii(text[:20])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.text(st.characters(), min_size=1), st.sampled_from(["words", "literal"]))
def test_no_text_is_an_error(memory: Memory, search: Search, query: str, mode: str) -> None:
    knowledge(memory, a="Body.")
    if query.strip():
        search(query, mode=mode, explain=True)


class TestUnreadable:
    """What cannot be read is never shown as if it were empty."""

    def test_a_file_without_a_frame_is_described_by_its_first_line(
        self, memory: Memory, search: Search
    ) -> None:
        memory.write("knowledge/a.md", "# Penguins\n\nThey swim.\n")
        assert [hit.description for hit in search("swim")] == ["Penguins"]

    def test_a_link_is_not_followed(self, memory: Memory, search: Search, tmp_path: Path) -> None:
        outside = tmp_path / "outside.md"
        outside.write_text("A password of the house.")
        memory.write("knowledge/a.md", KNOWLEDGE)
        (memory.root / "knowledge" / "linked.md").symlink_to(outside)
        for text in ({"text": "password"}, {"text": "password", "order": "file"}):
            assert search(**text) == []
        for asked in ({"text": "linked"}, {"slug": "linked"}):
            (hit,) = search(**asked)
            assert hit.excerpt == ""
            assert hit.description.endswith("linked.md is a link, and links are not followed")

    def test_a_huge_file_is_told(self, memory: Memory, search: Search) -> None:
        memory.write("knowledge/huge.md", KNOWLEDGE)
        with (memory.root / "knowledge" / "huge.md").open("r+b") as file:
            file.truncate(1 << 40)
        (hit,) = search("huge")
        assert hit.description.startswith("cannot be read: [Errno 27] File too large")
