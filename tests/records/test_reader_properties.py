"""No input raises, every place is inside the file, and all ways of reading agree."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yoimem.lint.config import Config
from yoimem.lint.host import load_plugins
from yoimem.lint.rule import Context
from yoimem.lint.ruleset import build_ruleset
from yoimem.lint.run import Run
from yoimem.lint.watchdog import Watchdog
from yoimem.records import cleanyaml
from yoimem.records.frame import HANDLER
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.records.record import Record

PATHS = (
    "memory/summary.md",
    "memory/decisions/use-sqlite.md",
    "memory/requests/use-sqlite.md",
    "knowledge/use-sqlite.md",
    "workflow/use-sqlite.md",
)
READER = Reader(Kinds())
RULES = build_ruleset(load_plugins(), Config())
BACKENDS = [
    pytest.param("ryaml", marks=pytest.mark.skipif(cleanyaml._ryaml_loads is None, reason="extra")),
    "libyaml",
]

KEYS = (
    "created_at updated_at status sources replaced_by kind description model_invokation requires"
    " user_invocable last_sources auto_invoke session_id range id on y 1 null <<"
).split()
SCALARS = [
    "2026-01-10T09:00:00Z", "2026-01-10", "2026-02-30T09:00:00Z", "open", "replaced", "true", "false",
    "True", "no", "y", "~", "null", "", "0", "12", "007", "0x1F", "0o17", "-0", "+5", "1e3", "1_000",
    "12:30", ".5", ".inf", "NaN", "019e12345678", "use-sqlite", "a: b", "a #b", "a # b", "'x'", '"x"',
    '"\\u0041"', '"\\ud800"', "'it''s'", "it's", "&a x", "*a", "!t x", "!!str 1", "@x", "`x`", "%x", "? x",
    "- x", "|", ">", "| # c", "[a, b]", "[1, 2]", "{a: b}", "{session_id: s, range: [0, 1]}", "[", "{", "]",
    "漢字", "é\u00a0:", "\u200bx", "a\u2028b", "a\tb", "\x00", "\ufeff", "...", "--- x", "=", "<<", "🏴",
]  # fmt: skip


@st.composite
def yaml_like(draw: st.DrawFn) -> str:
    """Draw frontmatter that is nearly right, line by line."""
    scalar = st.sampled_from(SCALARS)
    line = st.one_of(
        st.builds("{}: {}".format, st.sampled_from(KEYS), scalar),
        st.builds("{}:".format, st.sampled_from(KEYS)),
        st.builds("  - {}".format, scalar),
        st.builds("  {}: {}".format, st.sampled_from(KEYS), scalar),
        st.builds("  - {{session_id: {}, range: [{}, {}]}}".format, scalar, scalar, scalar),
        scalar,
        st.text(max_size=12),
    )
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    lines = draw(st.lists(line, max_size=8))
    return end.join(["---", *lines, "---", "Body #use-sqlite.", ""])


@contextmanager
def clean_path_through(backend: str) -> Iterator[None]:
    loads = cleanyaml._ryaml_loads
    cleanyaml._ryaml_loads = loads if backend == "ryaml" else None
    try:
        yield
    finally:
        cleanyaml._ryaml_loads = loads


def read_both_ways(path: str, text: str) -> tuple[Record | None, Record] | None:
    frame, kind = HANDLER.find(text), READER.kinds.of(path)
    if frame is None or kind is None:
        return None
    return (
        READER._read_clean(path, kind, text, frame),
        READER._read_slowly(path, kind, text, frame),
    )


def judge(record: Record) -> None:
    """Run every record rule over `record`: none crashes, each place is inside the file."""
    run = Run(RULES, Context(None, datetime(2026, 3, 1, tzinfo=UTC)), Watchdog(60))
    run.judge_record(record)
    assert list(run.crashes.failures()) == []
    lines = len(record.lines)
    for diagnostic in run.diagnostics:
        assert 1 <= diagnostic.start.line <= diagnostic.end.line <= lines
        assert diagnostic.start.column <= len(record.lines.text(diagnostic.start.line)) + 2


@settings(max_examples=400, deadline=None)
@given(path=st.sampled_from(PATHS), data=st.binary(max_size=200))
@example(path=PATHS[1], data=b"---\n\xff\n---\n")
@example(path=PATHS[1], data=b"---\n\x00: \x00\n---\n\x00")
def test_arbitrary_bytes_are_read_and_judged(path: str, data: bytes) -> None:
    judge(READER.read_bytes(path, data))


@settings(max_examples=400, deadline=None)
@given(path=st.sampled_from(PATHS), text=st.one_of(yaml_like(), st.text(max_size=200)))
def test_arbitrary_frontmatter_is_read_and_judged(path: str, text: str) -> None:
    judge(READER.read_text(path, text))


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=1500, deadline=None)
@given(path=st.sampled_from(PATHS), text=yaml_like())
def test_what_the_clean_path_takes_the_composer_takes_alike(
    backend: str, path: str, text: str
) -> None:
    with clean_path_through(backend):
        both = read_both_ways(path, text)
    if both is None or both[0] is None:
        return
    clean, slow = both
    assert slow.problems == ()
    assert dict(slow.values) == dict(clean.values)
    assert slow.keys == clean.keys


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=1500, deadline=None)
@given(value=st.one_of(st.sampled_from(SCALARS), st.text(max_size=20)), flow=st.booleans())
def test_a_value_means_the_same_by_every_path(backend: str, value: str, flow: bool) -> None:
    given_value = f"[{value}]" if flow else value
    text = (
        f"---\ndescription: x\nrequires: {given_value}\n---\n"
        if flow
        else (f"---\ndescription: {given_value}\n---\n")
    )
    with clean_path_through(backend):
        both = read_both_ways("workflow/use-sqlite.md", text)
    if both is None or both[0] is None:
        return
    assert both[1].problems == ()
    assert dict(both[1].values) == dict(both[0].values)
