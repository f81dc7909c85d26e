"""The slow path of YAML: nodes with their places, and every fault as one problem."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from yoimem.records.composer import (
    Composition,
    Mapping,
    Node,
    Scalar,
    Sequence,
    compose,
    cut_by_comment,
    locate,
    node_value,
    scalars,
)
from yoimem.records.record import MAX_DEPTH
from yoimem.records.text import LineIndex, Span

BEFORE = "---\n"


def composed(text: str, max_depth: int = MAX_DEPTH) -> Composition:
    """Compose `text` as the frontmatter of a file: its places are those of the file."""
    return compose(f"{BEFORE}{text}\n---\n", Span(len(BEFORE), len(BEFORE) + len(text)), max_depth)


def root_of(text: str) -> Mapping:
    composition = composed(text)
    assert composition.problems == ()
    assert composition.root is not None
    return composition.root


def told(text: str, max_depth: int = MAX_DEPTH) -> list[tuple[str, int, int]]:
    """Return name, line and column of each problem; the first line of `text` is line 2."""
    lines = LineIndex(f"{BEFORE}{text}")
    return [(p.name, *lines.place(p.span.start)) for p in composed(text, max_depth).problems]


def raw(text: str, *path: str | int) -> str:
    """Return the text of the value that `path` leads to, as it stands."""
    span = locate(root_of(text), path)
    assert span is not None
    return f"{BEFORE}{text}"[span.start : span.end]


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        pytest.param("a: b c  # d", ("a",), "b c", id="plain"),
        pytest.param("a: 'b ''c'  ", ("a",), "'b ''c'", id="single quotes"),
        pytest.param('a: "b \\" c"', ("a",), '"b \\" c"', id="double quotes"),
        pytest.param("'a b': c", ("a b",), "c", id="quoted key"),
        pytest.param("a: b\n  c\nd: e", ("a",), "b\n  c", id="plain, two lines"),
        pytest.param("a: [b, c]\n", ("a",), "[b, c]", id="flow list"),
        pytest.param("a: [b, [c, d]]", ("a", 1, 0), "c", id="in a flow list"),
        pytest.param("a: {b: [0, 1]}", ("a", "b"), "[0, 1]", id="in a flow mapping"),
        pytest.param("a:\n  - b\n  - c\nd: e", ("a",), "- b\n  - c", id="block list"),
        pytest.param("a:\n  - b\n\n# c\nd: e", ("a",), "- b", id="blank and comment behind"),
        pytest.param("a:\n- b: c\n  d: e\n", ("a", 0), "b: c\n  d: e", id="mapping in a list"),
        pytest.param("a:\n- b: c\n  d: e\n", ("a", 0, "d"), "e", id="value in it"),
        pytest.param("a: 漢字 🏴\nb: c", ("b",), "c", id="behind wide characters"),
        pytest.param("a: b\r\nc: d\r\n", ("c",), "d", id="CRLF"),
        pytest.param("a: b\rc: d\r", ("c",), "d", id="CR"),
        pytest.param("a:", ("a",), "a", id="an empty value has the place of its key"),
        pytest.param("a: b", ("a", "x"), "b", id="what is not there, of the part above it"),
        pytest.param("a: [b]", ("a", 7), "[b]", id="an index too far, too"),
        pytest.param("? a\n: b", ("a",), "b", id="explicit key"),
    ],
)
def test_a_value_has_its_place(text: str, path: tuple[str | int, ...], expected: str) -> None:
    assert raw(text, *path) == expected


@pytest.mark.parametrize("header", ["|", ">", "|-", ">+", "|2"])
def test_a_block_scalar_begins_at_its_header_and_ends_before_the_next_key(header: str) -> None:
    text = f"a: {header}\n  b\n   c\nd: e"
    span = raw(text, "a")
    assert span.startswith(header)
    assert span.rstrip().endswith("c")
    assert "d" not in span


def test_a_first_step_to_nowhere_has_no_place() -> None:
    assert locate(root_of("a: b"), ("x",)) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("", {}, id="empty"),
        pytest.param("# c\n\n  ", {}, id="comments and blanks"),
        pytest.param("a: 1\nb: '1'", {"a": 1, "b": "1"}, id="quotes make text"),
        pytest.param("a: |\n  x\n  ---\nb: y", {"a": "x\n---\n", "b": "y"}, id="--- in a block"),
        pytest.param("1: a\ntrue: b", {"1": "a", "true": "b"}, id="keys are text"),
        pytest.param("a: [b: c]", {"a": [{"b": "c"}]}, id="pair in a list"),
        pytest.param('a: "\\u00e9\\n"', {"a": "é\n"}, id="escapes"),
        pytest.param("a: '<<'\n'<<': b", {"a": "<<", "<<": "b"}, id="quoted merge sign"),
        pytest.param("a: x &b *c !d", {"a": "x &b *c !d"}, id="signs inside a text"),
    ],
)
def test_what_is_composed_has_its_value(text: str, value: dict[str, object]) -> None:
    assert node_value(root_of(text)) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a: 1\nb: 2\na: 3", [("duplicate-key", 4, 1)], id="duplicate"),
        pytest.param("a: 1\n'a': 2", [("duplicate-key", 3, 1)], id="duplicate in quotes"),
        pytest.param(
            "a:\n- b: {c: 1, d: 2, c: 3}", [("duplicate-key", 3, 19)], id="duplicate at depth"
        ),
        pytest.param(
            "a: 1\na: 2\nb: {c: 1, c: 2}\na: 3",
            [("duplicate-key", 3, 1), ("duplicate-key", 4, 11), ("duplicate-key", 5, 1)],
            id="every duplicate",
        ),
        pytest.param("a: &x b", [("yaml-alias", 2, 4)], id="anchor"),
        pytest.param("a: b\n&x c: d", [("yaml-alias", 3, 1)], id="anchor at a key"),
        pytest.param("a: *x", [("yaml-alias", 2, 4)], id="alias"),
        pytest.param("a: 1\n<<: {b: 2}", [("yaml-alias", 3, 1)], id="merge key"),
        pytest.param("a: !!str 1", [("yaml-alias", 2, 4)], id="tag"),
        pytest.param("a: !x [b]", [("yaml-alias", 2, 4)], id="tag at a list"),
        pytest.param("a: 1\n--- \nb: 2", [("yaml-syntax", 3, 1)], id="second document"),
        pytest.param("a: 1\n...\n", [("yaml-syntax", 3, 1)], id="end of the document"),
        pytest.param("%YAML 1.2\n---\na: 1", [("yaml-syntax", 2, 1)], id="directive"),
        pytest.param("- a\n- b", [("frontmatter-not-a-mapping", 2, 1)], id="a list"),
        pytest.param("only words", [("frontmatter-not-a-mapping", 2, 1)], id="one text"),
        pytest.param("a: b: c", [("yaml-syntax", 2, 5)], id="colon in a value"),
        pytest.param("a: [b, c", [("yaml-syntax", 2, 9)], id="unclosed list"),
        pytest.param("a: b\nc: 'd\ne: f", [("yaml-syntax", 3, 4)], id="unclosed quote"),
        pytest.param("a: @b", [("yaml-syntax", 2, 4)], id="reserved sign"),
        pytest.param("a: 1\n b: 2", [("yaml-syntax", 3, 3)], id="indented key"),
        pytest.param("a: 1\n: 2", [("yaml-syntax", 3, 1)], id="missing key"),
        pytest.param("? [a]\n: b", [("yaml-syntax", 2, 3)], id="a list as key"),
        pytest.param('a: 1\nb: "\\ud800"', [("yaml-syntax", 3, 4)], id="half a surrogate"),
        pytest.param('a: 1\n"\\udfff": b', [("yaml-syntax", 3, 1)], id="half a surrogate in a key"),
        pytest.param('a: 1\nb: "\\U00110000"', [("yaml-syntax", 3, 7)], id="beyond Unicode"),
        pytest.param('a: 1\nb: "\\UFFFFFFFF"', [("yaml-syntax", 3, 7)], id="far beyond Unicode"),
        pytest.param('a: 1\nb: "\\xzz"', [("yaml-syntax", 3, 4)], id="no digits"),
    ],
)
def test_a_fault_is_told_at_its_place(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert told(text) == expected


def test_a_duplicate_names_the_first_place_and_keeps_the_first_value() -> None:
    composition = composed("a: 1\nb: 2\na: 3")
    (problem,) = composition.problems
    assert (problem.subject, problem.raw, problem.detail) == ("a", "a", str(len(BEFORE)))
    assert composition.root is not None
    assert node_value(composition.root) == {"a": 1, "b": 2}


def nested(opening: str, core: str, closing: str, depth: int) -> str:
    """Nest `depth` levels, the mapping of the fields counted as the first."""
    return "a: " + opening * (depth - 1) + core + closing * (depth - 1)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{b: ", "}")], ids=["list", "map"])
def test_twenty_levels_are_taken_and_one_more_is_not(opening: str, closing: str) -> None:
    assert told(nested(opening, "x", closing, MAX_DEPTH)) == []
    deeper = nested(opening, "x", closing, MAX_DEPTH + 1)
    column = deeper.rindex(opening) + 1
    assert told(deeper) == [("yaml-too-deep", 2, column)]


def test_block_levels_count_alike() -> None:
    lines = [" " * level + "a:" for level in range(MAX_DEPTH + 1)]
    assert told("\n".join(lines[:MAX_DEPTH])) == []
    assert told("\n".join(lines)) == [("yaml-too-deep", MAX_DEPTH + 2, MAX_DEPTH + 1)]


def test_the_limit_of_depth_is_the_callers() -> None:
    assert told("a: [b]", max_depth=2) == []
    assert told("a: [[b]]", max_depth=2) == [("yaml-too-deep", 2, 5)]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("a: b #c", " #c"),
        ("a: b  #81, tests", "  #81, tests"),
        ("a: b # c", None),
        ("a: b #", None),
        ("a: b#c", None),
        ("a: 'b' #c", None),
        ("a: |\n  b #c\n", None),
    ],
)
def test_a_comment_that_cuts_a_value_is_found(text: str, cut: str | None) -> None:
    whole = BEFORE + text
    (scalar,) = scalars(root_of(text))
    span = cut_by_comment(whole, scalar, len(whole))
    assert (span and whole[span.start : span.end]) == cut


@pytest.mark.parametrize("text", ["\x01", "a: \ufffe", "a: \ud800", "\x00"])
def test_a_character_that_no_yaml_holds_is_a_fault_and_no_crash(text: str) -> None:
    assert [name for name, _, _ in told(text)] == ["yaml-syntax"]


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.text("ab: #'\"-\n漢", max_size=8), st.integers(0, 10**18), st.booleans()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("ab -", max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from("abcd"), VALUES, min_size=1),
    st.sampled_from([None, False, True]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_pyyaml_writes_is_composed_as_it_was(
    value: dict[str, Any], style: bool | None, end: str
) -> None:
    text = yaml.safe_dump(value, default_flow_style=style, allow_unicode=True, line_break=end)
    root = root_of(text.removesuffix(end))
    assert node_value(root) == value


@given(st.dictionaries(st.sampled_from("abcd"), VALUES, min_size=1), st.booleans())
def test_a_part_lies_inside_of_its_whole(value: dict[str, Any], flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
    for outer, inner in _pairs(root_of(text)):
        assert outer.span.start <= inner.span.start
        assert inner.span.end <= outer.span.end


def _pairs(node: Node) -> Iterator[tuple[Node, Node]]:
    if isinstance(node, Scalar):
        return
    below = (
        node.items if isinstance(node, Sequence) else [value for _, value in node.entries.values()]
    )
    for inner in below:
        yield node, inner
        yield from _pairs(inner)
