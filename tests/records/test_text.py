"""Places in a text: lines end at LF, CRLF and CR alone, columns count code points."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimem.records.text import LineIndex, Place

_TEXTS = st.text(st.sampled_from("ab\n\r\u2028\u0085\u000c漢🏴"), max_size=30)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a", ""]),
        ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("a\n\rb", ["a", "", "b"]),
        ("a\u2028b\u0085c\u000cd", ["a\u2028b\u0085c\u000cd"]),
    ],
)
def test_lines_end_at_three_line_ends(text: str, lines: list[str]) -> None:
    index = LineIndex(text)
    assert [index.text(number) for number in range(1, len(index) + 1)] == lines


def test_a_column_counts_code_points() -> None:
    index = LineIndex("漢🏴e\u0301x\n")
    assert index.place(4) == Place(1, 5)


@pytest.mark.parametrize(
    ("offset", "place"), [(-5, Place(1, 1)), (99, Place(2, 2))], ids=["before", "behind"]
)
def test_an_offset_outside_is_brought_to_the_edge(offset: int, place: Place) -> None:
    assert LineIndex("ab\nc").place(offset) == place


@given(_TEXTS)
def test_every_offset_lies_in_the_line_that_is_told(text: str) -> None:
    index = LineIndex(text)
    for offset in range(len(text) + 1):
        line, column = index.place(offset)
        span = index.span(line)
        assert span.start + column - 1 == offset
        assert offset <= span.end or text[span.end : offset + 1] == "\r\n"


@given(_TEXTS)
def test_the_lines_and_their_ends_are_the_text(text: str) -> None:
    index = LineIndex(text)
    assert [index.text(n) for n in range(1, len(index) + 1)] == re.split(r"\r\n|\r|\n", text)
