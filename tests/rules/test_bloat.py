"""What the pages of the BL rules cannot show."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from yoimem import Context, Finding, Snapshot
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem_rules.bloat import LargeLowImportance, SimilarSlugs, SourcesOverflow, SummaryOverBudget
from yoimem_rules.bloat.neighbours import group_of, similar_groups

NOW = datetime(2026, 3, 1, tzinfo=UTC)
READER = Reader(Kinds())
HEAD = "---\ncreated_at: 2026-01-10T09:00:00Z\nupdated_at: 2026-01-10T09:00:00Z\nstatus: open\n"
PATH = "memory/decisions/a.md"


def overflow(text: str) -> list[Finding]:
    record = READER.read_text(PATH, text)
    return list(SourcesOverflow().check(record, Context(SourcesOverflow.Options(), NOW)))


def mended(text: str, finding: Finding) -> str:
    assert finding.fix is not None
    assert not finding.fix.safe
    for edit in reversed(finding.fix.edits):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


BLOCK = "".join(f"  - session_id: s{n} # no. {n}\n    range: [0, {n}]\n" for n in range(13))
LAYOUTS = {
    "block": f"sources: # oldest first\n{BLOCK}",
    "flow items": "sources:\n"
    + "".join(f"- {{session_id: s{n}, range: [0, {n}]}}\n" for n in range(13)),
    "flow": "sources: ["
    + ", ".join(f"{{session_id: s{n}, range: [0, {n}]}}" for n in range(13))
    + "]\n",
    "flow lines": "sources: [\n"
    + "".join(f"  {{session_id: s{n}, range: [0, {n}]}},\n" for n in range(13))
    + "]\n",
    "own lines": "sources:\n"
    + "".join(f"  -\n    session_id: s{n}\n    range: [0, {n}]\n" for n in range(13)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_fix_keeps_the_last_ten_sources_and_all_else(layout: str, line_end: str) -> None:
    text = f"{HEAD}{LAYOUTS[layout]}---\nBody.\n".replace("\n", line_end)
    (finding,) = overflow(text)
    fixed = mended(text, finding)
    record = READER.read_text(PATH, fixed)
    assert [source.session_id for source in record.sources] == [f"s{n}" for n in range(3, 13)]
    assert not record.problems
    assert not overflow(fixed)
    assert fixed.startswith(text[: text.index("sources")])
    assert fixed.endswith(text[text.index("s3") :])


def test_a_list_that_cannot_be_cut_safely_has_no_fix() -> None:
    odd = "".join(f"- session_id: s{n}\n  range: [0, {n}]\n" for n in range(1, 13))
    text = f"{HEAD}sources:\n-    session_id: s0\n     range: [0, 0]\n{odd}---\nBody.\n"
    (finding,) = overflow(text)
    assert finding.fix is None


def test_ten_sources_are_fine() -> None:
    ten = ", ".join(f"{{session_id: s{n}, range: [0, {n}]}}" for n in range(10))
    assert not overflow(f"{HEAD}sources: [{ten}]\n---\n")


@pytest.mark.parametrize(("length", "sources", "count"), [(1500, 1, 0), (1501, 1, 1), (1501, 0, 0)])
def test_a_long_body_with_one_source_is_reported(length: int, sources: int, count: int) -> None:
    listed = "{session_id: s1, range: [0, 1]}" * sources
    record = READER.read_text(PATH, f"{HEAD}sources: [{listed}]\n---\n{'x' * length}")
    context = Context(LargeLowImportance.Options(), NOW)
    assert len(list(LargeLowImportance().check(record, context))) == count


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("小さなサービスで、データベースは一つ、待ち行列はない。", 1),  # 27 characters
        ("A small service with one database and no queue, all in one place.", 0),  # 65
    ],
)
def test_a_summary_is_measured_in_tokens_and_not_in_characters(body: str, count: int) -> None:
    text = f"---\nupdated_at: 2026-01-10T09:00:00Z\n---\n{body}\n"
    record = READER.read_text("memory/summary.md", text)
    context = Context(SummaryOverBudget.Options(max_tokens=20), NOW)
    assert len(list(SummaryOverBudget().check(record, context))) == count


# Similar slugs.


def without_numbers(word: str) -> str:
    return re.sub(r"-?\d+", "", word)


def brute_force(words: Sequence[str], distance: int) -> list[list[str]]:
    groups: list[set[str]] = [{word} for word in sorted(set(words))]
    for word in sorted(set(words)):
        near = {
            other
            for other in words
            if Levenshtein.distance(word, other) <= distance
            and without_numbers(word) != without_numbers(other)
        }
        joined = [group for group in groups if group & (near | {word})]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    return sorted(sorted(group) for group in groups if len(group) > 1)


SHORT = st.text("ab1-", max_size=14)
FAMILY = st.builds("use-{}-for-cache".format, st.text("abc", max_size=6))
LATE = st.builds("{}-{}".format, st.text("ab", max_size=12), st.text("0123", max_size=3))
WORDS = st.lists(st.one_of(SHORT, FAMILY, LATE), max_size=40)


@given(words=WORDS, distance=st.integers(1, 3))
@settings(max_examples=300, deadline=None)
def test_groups_are_those_of_comparing_all_pairs(words: list[str], distance: int) -> None:
    assert similar_groups(words, distance, without_numbers) == brute_force(words, distance)


@given(words=WORDS, distance=st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_a_crowd_is_searched_as_well(words: list[str], distance: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("yoimem_rules.bloat.neighbours._CROWD", 1)
        found = similar_groups(words, distance, without_numbers)
    assert found == brute_force(words, distance)


@given(words=WORDS.filter(bool), distance=st.integers(1, 3))
@settings(deadline=None)
def test_the_group_of_one_word_is_the_one_that_holds_it(words: list[str], distance: int) -> None:
    word = words[0]
    groups = [group for group in brute_force(words, distance) if word in group]
    assert group_of(word, words, distance, without_numbers) == (groups[0] if groups else [word])


def similar(slugs: Sequence[str], changed: str | None = None) -> list[Finding]:
    snapshot = Snapshot.of_texts({f"knowledge/{slug}.md": "" for slug in slugs})
    asked = None if changed is None else frozenset({f"knowledge/{changed}.md"})
    return list(SimilarSlugs().check(snapshot, Context(SimilarSlugs.Options(), NOW, changed=asked)))


@given(st.lists(st.text("abc", min_size=4, max_size=7), min_size=1, max_size=12))
@settings(deadline=None)
def test_a_changed_slug_yields_its_own_group(slugs: list[str]) -> None:
    everything = {(f.path, f.message) for f in similar(slugs)}
    found = {(f.path, f.message) for f in similar(slugs, slugs[0])}
    brought = everything - {(f.path, f.message) for f in similar(slugs[1:])}
    assert found <= everything
    if slugs[0] not in slugs[1:]:
        assert brought <= found


def test_two_are_no_group_and_short_slugs_do_not_count() -> None:
    assert not similar(["fill-cache", "fill-caches"])
    assert not similar(["abcd", "abce", "abcf"])


def test_slugs_of_different_kinds_are_not_compared() -> None:
    paths = ["knowledge/fill-cache.md", "workflow/fill-caches.md", "memory/decisions/fill-cach.md"]
    snapshot = Snapshot.of_texts(dict.fromkeys(paths, ""))
    assert not list(SimilarSlugs().check(snapshot, Context(SimilarSlugs.Options(), NOW)))


def test_a_large_group_is_cut_short() -> None:
    (finding,) = similar([f"cache-{char}" for char in "abcdefghi"])
    assert "`cache-f` and 3 more" in finding.message
    assert finding.path == "knowledge/cache-a.md"
