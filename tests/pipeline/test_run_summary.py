"""What a run changed, net, by the audit log; and the start that a run is held against."""

import json

from hypothesis import given
from hypothesis import strategies as st

from yoimem.pipeline.run_start import RunStart, parse_start, start_json
from yoimem.pipeline.run_summary import Changed, by_reason, changes_of, made_by
from yoimem.records.fields import Source
from yoimem.workspace.audit import AuditLine
from yoimem.workspace.snapshot import Edge, Facts


def line(
    path: str,
    before: str | None,
    after: str | None,
    *reasons: str,
    run: str | None = "r1",
    stage: str = "done",
) -> AuditLine:
    return AuditLine(
        stage=stage,  # type: ignore[arg-type]
        id="x",
        time="t",
        actor="consolidator",
        session=None,
        run=run,
        tool="memory_write",
        path=path,
        before=before,
        after=after,
        reasons=reasons,
    )


def test_several_changes_of_a_record_are_one() -> None:
    lines = [
        line("b.md", None, "1", "integrate"),
        line("a.md", "1", "2", "noisy"),
        line("b.md", "1", "2", "unused", "noisy"),
        line("c.md", "1", "2", "outdated"),
        line("c.md", "2", None, "unused"),
    ]
    changes = changes_of("r1", lines)
    assert changes == (
        Changed("a.md", "updated", ("noisy",)),
        Changed("b.md", "created", ("integrate", "unused", "noisy")),
        Changed("c.md", "deleted", ("outdated", "unused")),
    )
    assert list(by_reason(changes)) == ["integrate", "outdated", "unused", "noisy"]


def test_what_came_and_went_is_no_change() -> None:
    lines = [line("a.md", None, "1"), line("a.md", "1", None), line("b.md", "1", "2")]
    assert changes_of("r1", [*lines, line("b.md", "2", "1")]) == ()


def test_other_runs_and_what_was_undone_do_not_count() -> None:
    lines = [
        line("a.md", None, "1", run="r2"),
        line("b.md", None, "1", run=None),
        line("c.md", None, "1", stage="intent"),
        line("c.md", None, "1", stage="undone"),
    ]
    assert changes_of("r1", lines) == ()
    assert made_by("r1", lines) == frozenset()


def test_what_a_run_made_is_known() -> None:
    lines = [line("a.md", None, "1"), line("a.md", "1", "2"), line("b.md", "1", "2")]
    assert made_by("r1", lines) == {"a.md"}


TEXTS = st.text(max_size=8)
SOURCES = st.builds(Source, TEXTS, st.integers(0, 2**64), st.integers(0, 2**64))


@st.composite
def starts(draw: st.DrawFn) -> RunStart:
    paths = draw(st.lists(TEXTS, unique=True, max_size=4))
    edges = st.lists(
        st.tuples(st.lists(st.one_of(TEXTS, st.integers(0, 9))), TEXTS, st.lists(TEXTS)),
        max_size=2,
    )
    facts = {
        path: Facts(
            path,
            draw(TEXTS),
            draw(TEXTS),
            draw(st.none() | TEXTS),
            tuple(draw(st.lists(SOURCES, max_size=3))),
            tuple(Edge(path, tuple(f), slug, tuple(kinds)) for f, slug, kinds in draw(edges)),
            tuple(draw(st.lists(TEXTS, max_size=3))),
        )
        for path in paths
    }
    return RunStart(facts, {path: draw(st.integers(0, 10**6)) for path in paths})


@given(starts())
def test_a_start_comes_back_from_json_as_it_was(start: RunStart) -> None:
    assert parse_start(json.loads(json.dumps(start_json(start)))) == start


@given(
    st.dictionaries(
        TEXTS,
        st.recursive(
            st.none() | st.integers() | TEXTS,
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_what_is_no_start_is_told(value: dict[str, object]) -> None:
    try:
        parse_start(value)
    except ValueError:
        return
    raise AssertionError(value)
