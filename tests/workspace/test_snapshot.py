"""The index of a memory, and its overlays: as if the memory had been so from the start."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.workspace.snapshot import Edge, Snapshot, facts_of

READER = Reader(Kinds())
TIMES = "created_at: 2026-01-10T09:00:00Z\nupdated_at: 2026-01-10T09:00:00Z\n"
SUCCESSOR = ("decision",)
REQUIRED = ("knowledge", "workflow")


def decision(replaced_by: str = "", body: str = "") -> str:
    status = f"status: replaced\nreplaced_by: {replaced_by}" if replaced_by else "status: open"
    return f"---\n{TIMES}sources: []\n{status}\n---\n{body}\n"


def workflow(requires: str = "", body: str = "") -> str:
    return f"---\ndescription: d\nrequires: [{requires}]\n---\n{body}\n"


MEMORY = {
    "memory/decisions/a.md": decision("b", "See #run-tests and `#in-code`, #run-tests."),
    "memory/decisions/b.md": decision(),
    "workflow/release.md": workflow("run-tests, build", "#a"),
    "memory/workflow/release.md": workflow(),
    "knowledge/stray/x.md": "#not-read",
}


def test_the_facts_of_a_record() -> None:
    facts = facts_of(READER.read_text("memory/decisions/a.md", MEMORY["memory/decisions/a.md"]))
    assert facts.slug == "a"
    assert facts.kind == "decision"
    assert facts.status == "replaced"
    assert facts.edges == (Edge("memory/decisions/a.md", ("replaced_by",), "b", SUCCESSOR),)
    assert facts.mentions == ("run-tests", "in-code")


@pytest.mark.parametrize(
    "text",
    ["", "---\nstatus: open\n", "---\nreplaced_by: [b]\nstatus: 3\n---\n#x-y\n", "---\n- a\n---\n"],
    ids=["empty", "unclosed", "wrong fields", "no mapping"],
)
def test_a_broken_record_has_facts_without_edges(text: str) -> None:
    facts = facts_of(READER.read_text("memory/decisions/a.md", text))
    assert (facts.slug, facts.kind, facts.status, facts.edges) == ("a", "decision", None, ())


def test_slugs_are_told_by_kind_with_every_path() -> None:
    snapshot = Snapshot.of_texts(MEMORY)
    assert snapshot.slugs("decision") == {
        "a": ("memory/decisions/a.md",),
        "b": ("memory/decisions/b.md",),
    }
    assert snapshot.slugs("workflow") == {
        "release": ("memory/workflow/release.md", "workflow/release.md")
    }
    assert snapshot.slugs("knowledge") == {}
    assert snapshot.slugs("unheard-of") == {}


def test_paths_are_told_for_several_kinds() -> None:
    snapshot = Snapshot.of_texts({**MEMORY, "knowledge/release.md": ""})
    assert snapshot.paths_of("release", REQUIRED) == (
        "knowledge/release.md",
        "memory/workflow/release.md",
        "workflow/release.md",
    )
    assert snapshot.paths_of("release", SUCCESSOR) == ()


def test_references_are_told_from_their_other_end() -> None:
    snapshot = Snapshot.of_texts(MEMORY)
    assert snapshot.edges_to("b") == (
        Edge("memory/decisions/a.md", ("replaced_by",), "b", SUCCESSOR),
    )
    assert snapshot.edges_to("build") == (
        Edge("workflow/release.md", ("requires", 1), "build", REQUIRED),
    )
    assert snapshot.edges_to("a") == ()
    assert snapshot.mentions_of("a") == ("workflow/release.md",)
    assert snapshot.mentions_of("run-tests") == ("memory/decisions/a.md",)
    assert snapshot.mentions_of("b") == ()


def test_a_record_is_the_one_of_its_overlay() -> None:
    snapshot = Snapshot.of_texts(MEMORY)
    changed = snapshot.with_text("memory/decisions/b.md", decision(body="New."))
    for one, body in ((changed, "New.\n"), (snapshot, "\n")):
        record = one.record("memory/decisions/b.md")
        assert record is not None
        assert record.body == body


def test_a_record_that_is_gone_is_none() -> None:
    snapshot = Snapshot.of_texts(MEMORY).without("memory/decisions/b.md")
    assert snapshot.record("memory/decisions/b.md") is None
    assert snapshot.record("memory/decisions/never.md") is None
    assert snapshot.slugs("decision") == {"a": ("memory/decisions/a.md",)}


def test_taking_away_what_is_not_there_changes_nothing() -> None:
    snapshot = Snapshot.of_texts(MEMORY)
    assert _all_of(snapshot.without("memory/decisions/never.md")) == _all_of(snapshot)


def test_what_was_not_read_may_still_be_there() -> None:
    unread = frozenset({"memory/decisions"})
    snapshot = Snapshot({}, READER, lambda path: None, unread=unread)
    for overlaid in (
        snapshot,
        snapshot.with_text("workflow/a.md", workflow()),
        snapshot.without("a"),
    ):
        assert not overlaid.is_whole(["decision"])
        assert not overlaid.is_whole(["knowledge", "decision"])
        assert overlaid.is_whole(["knowledge", "workflow"])


def test_a_folder_above_that_was_not_read_counts_too() -> None:
    snapshot = Snapshot({}, READER, lambda path: None, unread=frozenset({"memory"}))
    assert not snapshot.is_whole(["decision"])
    assert not snapshot.is_whole(["workflow"])
    assert snapshot.is_whole(["knowledge"])


def test_an_overlay_leaves_what_it_lies_over_alone() -> None:
    snapshot = Snapshot.of_texts(MEMORY)
    before = _all_of(snapshot)
    snapshot.with_text("memory/decisions/c.md", decision("a")).without("memory/decisions/a.md")
    assert _all_of(snapshot) == before


SLUGS = ("a", "b", "release", "run-tests")
_PATHS = st.sampled_from(
    [
        pattern.format(slug)
        for pattern in (
            "memory/decisions/{}.md",
            "knowledge/{}.md",
            "workflow/{}.md",
            "memory/workflow/{}.md",
            "memory/stray/{}.md",
        )
        for slug in SLUGS
    ]
)
_SLUGS = st.sampled_from(SLUGS)
_TEXTS = st.one_of(
    st.builds(decision, st.one_of(st.just(""), _SLUGS), _SLUGS.map("#{}".format)),
    st.builds(
        workflow, st.lists(_SLUGS, max_size=3).map(", ".join), st.lists(_SLUGS).map(" #".join)
    ),
    st.just("broken"),
)
_CHANGES = st.lists(st.tuples(_PATHS, st.one_of(st.none(), _TEXTS)), max_size=8)


@settings(deadline=None)
@given(start=st.dictionaries(_PATHS, _TEXTS, max_size=6), changes=_CHANGES)
def test_overlays_equal_a_snapshot_from_scratch(
    start: dict[str, str], changes: list[tuple[str, str | None]]
) -> None:
    overlaid = Snapshot.of_texts(start)
    texts = dict(start)
    for path, text in changes:
        if text is None:
            overlaid = overlaid.without(path)
            texts.pop(path, None)
        else:
            overlaid = overlaid.with_text(path, text)
            texts[path] = text
    assert _all_of(overlaid) == _all_of(Snapshot.of_texts(texts))


def _all_of(snapshot: Snapshot) -> Mapping[str, object]:
    """Return everything that can be asked of a snapshot, each answer in its order."""
    records = {path: snapshot.record(path) for path in snapshot.facts}
    return {
        "facts": list(snapshot.facts.items()),
        "texts": {path: record and record.text for path, record in records.items()},
        "slugs": {kind: list(snapshot.slugs(kind).items()) for kind in Kinds().by_name},
        "edges": {slug: snapshot.edges_to(slug) for slug in SLUGS},
        "mentions": {slug: snapshot.mentions_of(slug) for slug in SLUGS},
    }
