"""What the pages of the ID rules cannot show."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimem import Context, Finding, NoOptions, Snapshot
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem_rules.identity import InvalidSlug, NameCollision, ReservedName, UnknownLocation

NOW = datetime(2026, 3, 1, tzinfo=UTC)
CONTEXT = Context(NoOptions(), NOW)
READER = Reader(Kinds())


def findings(rule: type, path: str) -> list[Finding]:
    return list(rule().check(READER.read_text(path, "Body.\n"), CONTEXT))


def collisions(paths: set[str], changed: set[str] | None = None) -> set[tuple[str | None, str]]:
    snapshot = Snapshot.of_texts(dict.fromkeys(paths, "Body.\n"))
    asked = None if changed is None else frozenset(changed)
    context = Context(NoOptions(), NOW, changed=asked)
    return {(f.path, f.subject) for f in NameCollision().check(snapshot, context)}


@pytest.mark.parametrize(
    ("path", "guess"),
    [
        ("memory/decision/a.md", "memory/decisions/a.md"),
        ("memory/Decisions/a.md", "memory/decisions/a.md"),
        ("memory/decisions/2026/a.md", "memory/decisions/a.md"),
        ("memory/decisions/a.MD", "memory/decisions/a.md"),
        ("memory/knowledge/a.md", "knowledge/a.md"),
        ("memory/workflows/a.md", "memory/workflow/a.md"),
        ("memory/Summary.md", "memory/summary.md"),
    ],
)
def test_the_likely_place_is_named(path: str, guess: str) -> None:
    (finding,) = findings(UnknownLocation, path)
    assert f"move the file to `{guess}`" in (finding.help or "")


def test_a_place_like_no_other_is_not_guessed() -> None:
    (finding,) = findings(UnknownLocation, "memory/notes.md")
    assert "move the file to its kind's place" in (finding.help or "")


def test_a_file_that_cannot_be_read_is_reported_for_that_alone() -> None:
    record = READER.unreadable("knowledge", "it is a link to a folder")
    assert not list(UnknownLocation().check(record, CONTEXT))


@pytest.mark.parametrize("path", ["memory/summary.md", "memory/Notes.md"])
def test_a_name_that_is_no_slug_by_its_place_is_not_judged(path: str) -> None:
    assert not findings(InvalidSlug, path)


def test_a_reserved_name_is_not_suggested() -> None:
    (finding,) = findings(InvalidSlug, "knowledge/CON.md")
    assert "con.md" not in (finding.help or "")


def test_a_name_that_is_not_utf8_can_be_printed() -> None:
    (finding,) = findings(InvalidSlug, "knowledge/a\udcff.md")
    finding.message.encode()


def test_a_reserved_name_at_no_place_is_left_to_unknown_location() -> None:
    assert not findings(ReservedName, "knowledge/deep/con.md")


def test_names_meet_under_every_normal_form_and_case() -> None:
    composed, decomposed = "knowledge/caf\u00e9.md", "knowledge/CAFE\u0301.md"
    assert collisions({composed, decomposed}) == {(composed, "")}


def test_the_first_of_three_is_not_reported() -> None:
    paths = {"knowledge/AA.md", "knowledge/Aa.md", "knowledge/aa.md"}
    assert collisions(paths) == {("knowledge/Aa.md", ""), ("knowledge/aa.md", "")}


def test_a_slug_in_two_kinds_is_no_collision() -> None:
    assert not collisions({"knowledge/a.md", "memory/decisions/a.md", "workflow/a.md"})


PATHS = st.builds(
    "{}/{}.md".format,
    st.sampled_from(["knowledge", "workflow", "memory/workflow", "memory/Workflow"]),
    st.sampled_from(["a", "A", "\u00e9", "e\u0301", "b"]),
)


@given(st.sets(PATHS), PATHS)
def test_a_new_file_yields_all_collisions_that_it_brings(paths: set[str], new: str) -> None:
    brought = collisions(paths | {new}) - collisions(paths)
    found = collisions(paths | {new}, {new})
    assert brought <= found <= collisions(paths | {new})
