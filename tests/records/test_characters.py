"""Characters that are not what they look like: where they are faults, and where they are text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimem.records.characters import (
    Screening,
    conflict_markers,
    describe,
    is_plain,
)
from yoimem.records.record import MAX_DEPTH
from yoimem.records.text import LineIndex, Span

BEFORE = "---\n"


def screened(text: str) -> Screening:
    whole = f"{BEFORE}{text}\n---\n"
    return Screening(whole, Span(len(BEFORE), len(BEFORE) + len(text)), MAX_DEPTH)


def told(text: str) -> list[tuple[str, int, int]]:
    """Return name, line and column of each problem, in order; `text` begins on line 2."""
    lines = LineIndex(BEFORE + text)
    spans = sorted((p.span, p.name) for p in screened(text).problems)
    return [(name, *lines.place(span.start)) for span, name in spans]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a: Voilà\u00a0! Il a dit «\u00a0oui\u00a0»", id="French, plain"),
        pytest.param('a: "Voilà\u00a0: «\u00a0oui\u00a0»"', id="French, quoted"),
        pytest.param("a: '\u00a0b\u00a0'", id="NBSP at the edges of quotes"),
        pytest.param("a: 設定　ファイル", id="U+3000 in a Japanese value"),
        pytest.param("a:\n- 設定　ファイル\n- 次　へ", id="U+3000 in list items"),
        pytest.param("a: |\n  設定　ファイル\n  　字下げ\n", id="U+3000 in a block scalar"),
        pytest.param("a: b # 注　釈", id="U+3000 in a comment"),
        pytest.param("# \u00a0c\u200b\na: b", id="NBSP and zero width in a comment line"),
        pytest.param("a: می\u200cخواهم", id="ZWNJ in a Persian value"),
        pytest.param("a: 👩\u200d💻 x", id="ZWJ in an emoji"),
        pytest.param("a: b\u200bc", id="zero width inside a value"),
        pytest.param("a: x\u00adx", id="soft hyphen inside a value"),
    ],
)
def test_in_a_value_or_a_comment_they_are_text(text: str) -> None:
    screening = screened(text)
    assert screening.problems == []
    assert screening.readable
    assert screening.text == f"{BEFORE}{text}\n---\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\u00a0: b", [(2, 2)], id="NBSP before the colon"),
        pytest.param("a:\u00a0b", [(2, 3)], id="NBSP behind the colon"),
        pytest.param("a: \u00a0b", [(2, 4)], id="NBSP behind the blank"),
        pytest.param("a:　b", [(2, 3)], id="U+3000 behind the colon"),
        pytest.param("\u200ba: b", [(2, 1)], id="zero width before a key"),
        pytest.param("x: y\na\u200bb: c", [(3, 2)], id="zero width in a key"),
        pytest.param("a: b\u00a0", [(2, 5)], id="NBSP at the end of a value"),
        pytest.param("a:\n-\u00a0b", [(3, 2)], id="NBSP behind a dash"),
        pytest.param("a:\n\u00a0\u00a0- b", [(3, 1)], id="NBSP as indentation"),
        pytest.param("a:\n　- b\n　- c", [(3, 1), (4, 1)], id="U+3000 as indentation"),
        pytest.param("a: b\u00a0# c", [(2, 5)], id="NBSP before a comment"),
        pytest.param("a: b\u00a0\u00a0#c", [(2, 5)], id="two of them, told once"),
        pytest.param("a: 'b'\na2: [b,\u00a0c]", [(3, 8)], id="NBSP behind a comma"),
        pytest.param("a: 'b'\n\ufeffc: d", [(3, 1)], id="a BOM inside"),
        pytest.param("a: |\n  b\n\u00a0c: d", [(4, 1)], id="NBSP right behind a block scalar"),
    ],
)
def test_as_structure_they_are_faults(text: str, expected: list[tuple[int, int]]) -> None:
    assert told(text) == [("invisible-character", *place) for place in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a:\tb", [("tab-in-frontmatter", 2, 3)], id="tab behind the colon"),
        pytest.param("a:\n\t- b", [("tab-in-frontmatter", 3, 1)], id="tab as indentation"),
        pytest.param(
            "a: b\tc\td\n\te",
            [("tab-in-frontmatter", 2, 5), ("tab-in-frontmatter", 3, 1)],
            id="tabs, once a line",
        ),
        pytest.param(
            "a\t: b\rc\t: d\r\ne\t: f",
            [(("tab-in-frontmatter", line, 2)) for line in (2, 3, 4)],
            id="tabs, once a line of any end",
        ),
        pytest.param("a: b\u2028c", [("unicode-line-break", 2, 5)], id="U+2028"),
        pytest.param(
            "a: b\u2028c\u2028d\u2029e\nf: g\u2028h",
            [("unicode-line-break", *place) for place in [(2, 5), (2, 9), (3, 5)]],
            id="each character once a line",
        ),
        pytest.param("a: 'b\u2029c'", [("unicode-line-break", 2, 6)], id="U+2029 in quotes"),
        pytest.param("# b\u0085c", [("unicode-line-break", 2, 4)], id="U+0085 in a comment"),
        pytest.param("a: b\x0bc", [("unicode-line-break", 2, 5)], id="VT"),
        pytest.param("a: b\x0cc", [("unicode-line-break", 2, 5)], id="FF"),
        pytest.param("a: b\x00c", [("invisible-character", 2, 5)], id="NUL"),
        pytest.param("a: b\x1bc", [("invisible-character", 2, 5)], id="ESC"),
        pytest.param("a: b\x7fc", [("invisible-character", 2, 5)], id="DEL"),
        pytest.param("a: b\ufffec", [("invisible-character", 2, 5)], id="U+FFFE"),
        pytest.param(
            "a: \x01\nb: \u2028c\n\td: e\nf\u00a0: g",
            [
                ("invisible-character", 2, 4),
                ("unicode-line-break", 3, 4),
                ("tab-in-frontmatter", 4, 1),
                ("invisible-character", 5, 2),
            ],
            id="each kind at once",
        ),
    ],
)
def test_what_belongs_nowhere_is_told(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert told(text) == expected


def test_a_blank_takes_the_place_of_what_is_no_yaml() -> None:
    screening = screened("a\u00a0: b\u2028c\n\td: e")
    assert screening.text == f"{BEFORE}a : b c\n d: e\n---\n"
    assert screening.readable


def test_a_key_with_a_hidden_character_is_not_read_on() -> None:
    assert not screened("a\u200bb: c").readable


CONFLICT = "a: 1\n<<<<<<< ours\nb: 2\n||||||| base\nb: 0\n=======\nb: 3\n>>>>>>> theirs\nc: 4"


def test_a_conflict_is_told_once_and_ends_the_reading() -> None:
    assert told(CONFLICT) == [("merge-conflict-marker", 3, 1)]
    assert not screened(CONFLICT).readable


def test_each_conflict_is_told() -> None:
    assert [line for _, line, _ in told(f"{CONFLICT}\n{CONFLICT}")] == [3, 12]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
def test_a_conflict_is_seen_with_any_line_end(end: str) -> None:
    text = CONFLICT.replace("\n", end)
    (problem,) = conflict_markers(text, Span(0, len(text)))
    assert (problem.raw, problem.span.start) == ("<<<<<<< ours", text.index("<"))


@pytest.mark.parametrize(
    "text", ["a: <<<<<<< b", "a: |\n  <<<<<<< b", "======", "<<<<<<<<", "a: '======='"]
)
def test_what_only_looks_like_a_conflict_is_none(text: str) -> None:
    assert list(conflict_markers(text, Span(0, len(text)))) == []


@pytest.mark.parametrize(
    ("char", "name"),
    [
        ("\u200b", "U+200B ZERO WIDTH SPACE"),
        ("\u00a0", "U+00A0 NO-BREAK SPACE"),
        ("\x00", "U+0000 CONTROL"),
        ("\U000e0041", "U+E0041 TAG LATIN CAPITAL LETTER A"),
        ("\ufffe", "U+FFFE"),
    ],
)
def test_a_character_is_named_by_its_code_point(char: str, name: str) -> None:
    assert describe(char) == name


_PIECES = st.sampled_from(
    ["a", ":", " ", "-", "#", "'", "\n", "\r", "\t", "\u00a0", "\u3000", "\u200b", "\u2028", "\x00"]
)


@given(st.lists(_PIECES, max_size=20).map("".join))
def test_screening_moves_nothing(text: str) -> None:
    screening = screened(text)
    whole = f"{BEFORE}{text}\n---\n"
    assert len(screening.text) == len(whole)
    changed = [at for at, (a, b) in enumerate(zip(whole, screening.text, strict=True)) if a != b]
    lines = LineIndex(whole)
    reported = {(lines.place(p.span.start).line, p.raw) for p in screening.problems}
    assert {screening.text[at] for at in changed} <= {" "}
    assert not any(whole[at].isalnum() or whole[at] in "\n\r:#'-" for at in changed)
    assert {(lines.place(at).line, whole[at]) for at in changed} <= reported
    assert is_plain(text) <= (screening.text == whole)
