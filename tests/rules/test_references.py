"""What the pages of the RF rules cannot show."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yoimem import Context, Finding, NoOptions, ProjectRule, Snapshot
from yoimem_rules.references import (
    ReferenceCycle,
    ReplacedWithoutTarget,
    TargetWithoutReplaced,
    UnknownBodyReference,
    UnknownReference,
)
from yoimem_rules.references.graph import components, shortest_cycle

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TIMES = "created_at: 2026-01-10T09:00:00Z\nupdated_at: 2026-01-10T09:00:00Z\n"


def decision(replaced_by: str = "", body: str = "") -> str:
    status = f"status: replaced\nreplaced_by: {replaced_by}\n" if replaced_by else "status: open\n"
    return f"---\n{TIMES}sources: []\n{status}---\n{body}\n"


def knowledge(body: str = "") -> str:
    flags = "model_invokation: false\nuser_invocable: true\n"
    return f"---\n{TIMES}kind: k\ndescription: d\n{flags}last_sources: []\n---\n{body}\n"


def workflow(*requires: str, body: str = "") -> str:
    return f"---\ndescription: d\nrequires: [{', '.join(requires)}]\n---\n{body}\n"


def run(
    rule: type[ProjectRule], snapshot: Snapshot, changed: set[str] | None = None
) -> list[Finding]:
    asked = None if changed is None else frozenset(changed)
    return list(rule().check(snapshot, Context(NoOptions(), NOW, changed=asked)))


def cycles(texts: dict[str, str], changed: set[str] | None = None) -> list[str]:
    """Return the chains that are reported."""
    found = run(ReferenceCycle, Snapshot.of_texts(texts), changed)
    return [f.message.partition(": ")[2] for f in found]


def decisions(**chain: str) -> dict[str, str]:
    return {f"memory/decisions/{slug}.md": decision(to) for slug, to in chain.items()}


def workflows(**requires: str) -> dict[str, str]:
    return {f"workflow/{slug}.md": workflow(*names.split()) for slug, names in requires.items()}


def test_a_cycle_begins_at_its_smallest_slug_wherever_it_is_entered() -> None:
    chain = decisions(a="c", b="d", c="b", d="c")
    assert cycles(chain) == ["b -> d -> c -> b"]


def test_a_decision_that_replaces_itself_is_left_to_another_rule() -> None:
    assert cycles(decisions(a="a")) == []


def test_a_workflow_that_requires_itself_is_a_cycle() -> None:
    assert cycles(workflows(a="b a", b="")) == ["a -> a"]


def test_cycles_that_share_records_are_reported_once_by_a_shortest_one() -> None:
    assert cycles(workflows(a="b", b="c d", c="d", d="a")) == ["a -> b -> d -> a"]


def test_the_place_of_a_cycle_is_the_item_that_begins_it() -> None:
    snapshot = Snapshot.of_texts(workflows(a="c b", b="a", c=""))
    (finding,) = run(ReferenceCycle, snapshot)
    assert (finding.path, finding.field) == ("workflow/a.md", ("requires", 1))


def test_a_slug_of_two_kinds_closes_no_cycle() -> None:
    assert cycles({**workflows(a="a"), "knowledge/a.md": knowledge()}) == []


def test_taking_the_knowledge_away_closes_it() -> None:
    assert cycles(workflows(a="b", b="a"), {"knowledge/b.md"}) == ["a -> b -> a"]


def test_a_cycle_may_go_through_one_of_two_files_of_a_workflow() -> None:
    texts = {**workflows(a="b", b="a"), "memory/workflow/a.md": workflow()}
    assert cycles(texts) == ["a -> b -> a"]


def test_a_cycle_apart_from_the_change_is_not_reported() -> None:
    assert cycles(decisions(a="b", b="a", c=""), {"memory/decisions/c.md"}) == []


@pytest.mark.parametrize("closed", [True, False])
def test_a_chain_of_100_000_decisions_is_walked(closed: bool) -> None:
    size = 100_000
    following = {str(n): [str(n + 1)] for n in range(size - 1)}
    following[str(size - 1)] = ["0"] if closed else []
    found = list(components(following, following.__getitem__))
    assert len(found) == (1 if closed else size)
    if closed:
        assert len(shortest_cycle("0", found[0], following.__getitem__)) == size + 1


GRAPHS = st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdef")), min_size=1)


@given(GRAPHS)
def test_components_are_the_nodes_that_reach_each_other(graph: dict[str, set[str]]) -> None:
    def successors(node: str) -> list[str]:
        return sorted(graph.get(node, ()))

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        pending = [start]
        while pending:
            new = set(successors(pending.pop())) - seen
            seen |= new
            pending += new
        return seen

    found = list(components(sorted(graph), successors))
    for node in graph:
        (own,) = (component for component in found if node in component)
        assert own == {node} | {n for n in reached(node) if node in reached(n)}
        assert bool(shortest_cycle(node, own, successors)) == (node in reached(node))


SLUGS = st.sampled_from(["aa", "bb", "cc", "dd"])
BODIES = st.lists(SLUGS, max_size=2).map(lambda slugs: " ".join(f"#{slug}" for slug in slugs))
RECORDS = st.one_of(
    st.tuples(SLUGS.map("memory/decisions/{}.md".format), st.builds(decision, SLUGS, BODIES)),
    st.tuples(SLUGS.map("knowledge/{}.md".format), st.builds(knowledge, BODIES)),
    st.tuples(
        st.builds("{}/{}.md".format, st.sampled_from(["workflow", "memory/workflow"]), SLUGS),
        st.lists(SLUGS, max_size=2).map(lambda slugs: workflow(*slugs)),
    ),
)
MEMORIES = st.lists(RECORDS, max_size=7).map(dict)


def identities(found: list[Finding]) -> set[tuple[str | None, str, tuple[str | int, ...]]]:
    return {(f.path, f.subject, f.field) for f in found}


@pytest.mark.parametrize("rule", [UnknownReference, UnknownBodyReference])
@given(texts=MEMORIES, change=RECORDS, removed=st.booleans())
@settings(max_examples=150)
def test_a_change_yields_all_that_it_brings(
    rule: type[ProjectRule], texts: dict[str, str], change: tuple[str, str], removed: bool
) -> None:
    path, text = change
    before = Snapshot.of_texts(texts)
    after = before.without(path) if removed else before.with_text(path, text)
    everything = identities(run(rule, after))
    brought = everything - identities(run(rule, before))
    found = identities(run(rule, after, {path}))
    assert brought <= found <= everything


@given(texts=MEMORIES, change=RECORDS, removed=st.booleans())
@settings(max_examples=300)
def test_a_change_yields_all_cycles_that_it_brings(
    texts: dict[str, str], change: tuple[str, str], removed: bool
) -> None:
    path, text = change
    before = Snapshot.of_texts(texts)
    after = before.without(path) if removed else before.with_text(path, text)
    everything = identities(run(ReferenceCycle, after))
    found = identities(run(ReferenceCycle, after, {path}))
    assert found <= everything
    stood = run(ReferenceCycle, before)
    knots = _knots(before)
    for new in everything - found - identities(stood):
        # What is left of a knot that the change took a part of stood before, at another slug.
        assert any(new[0] in knot for knot in knots)


def _knots(snapshot: Snapshot) -> list[frozenset[str]]:
    def successors(path: str) -> list[str]:
        edges = snapshot.facts[path].edges if path in snapshot.facts else ()
        return [named for e in edges for named in snapshot.paths_of(e.slug, e.kinds)]

    found = components(sorted(snapshot.facts), successors)
    return [knot for knot in found if shortest_cycle(min(knot), knot, successors)]


def test_a_changed_decision_does_not_answer_for_a_hash_that_names_knowledge() -> None:
    texts = {
        "memory/decisions/cache.md": decision(),
        "memory/summary.md": f"---\n{TIMES}---\nSee #cache.\n",
    }
    snapshot = Snapshot.of_texts(texts)
    assert run(UnknownBodyReference, snapshot, {"memory/decisions/cache.md"}) == []
    assert len(run(UnknownBodyReference, snapshot)) == 1


def test_every_occurrence_of_a_hash_has_its_own_place() -> None:
    text = f"---\n{TIMES}---\n> #gone\n\n- `#gone` and #gone\n"
    found = run(UnknownBodyReference, Snapshot.of_texts({"memory/summary.md": text}))
    spans = [f.span for f in found if f.span]
    assert [text[s.start : s.end] for s in spans] == ["#gone", "#gone"]
    assert [s.start for s in spans] == [m.start() for m in re.finditer(r"(?<!`)#gone", text)]


@pytest.mark.parametrize(
    ("status", "replaced_by"),
    [("done", "b"), ("replaced", "not a slug"), ("open", "not a slug"), ("done", "no")],
)
def test_a_fault_in_one_field_brings_no_second_finding(status: str, replaced_by: str) -> None:
    text = f"---\n{TIMES}sources: []\nstatus: {status}\nreplaced_by: {replaced_by}\n---\n"
    path = "memory/decisions/a.md"
    record = Snapshot.of_texts({path: text}).record(path)
    assert record is not None
    context = Context(NoOptions(), NOW)
    for rule in (ReplacedWithoutTarget(), TargetWithoutReplaced()):
        assert list(rule.check(record, context)) == []


def test_a_null_target_is_none() -> None:
    path = "memory/decisions/a.md"
    text = f"---\n{TIMES}sources: []\nstatus: replaced\nreplaced_by: null\n---\n"
    record = Snapshot.of_texts({path: text}).record(path)
    assert record is not None
    assert len(list(ReplacedWithoutTarget().check(record, Context(NoOptions(), NOW)))) == 1
