"""Where frontmatter begins and ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timing import timed

from yoimem.records.frame import BOM, HANDLER, _find_plain, later_opener, opens


def parts(text: str) -> tuple[str, str] | None:
    """Return frontmatter and body of `text`, None when it has no whole frame."""
    return HANDLER.split(text) if HANDLER.find(text) else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("---\na: b\n---\nBody.\n", ("a: b", "Body.\n"), id="LF"),
        pytest.param("---\r\na: b\r\n---\r\nBody.\r\n", ("a: b", "Body.\r\n"), id="CRLF"),
        pytest.param("---\ra: b\r---\rBody.\r", ("a: b", "Body.\r"), id="CR"),
        pytest.param("---\r\na: b\nc: d\r---\nBody.", ("a: b\nc: d", "Body."), id="mixed ends"),
        pytest.param("\ufeff---\na: b\n---\nBody.", ("a: b", "Body."), id="BOM"),
        pytest.param("---  \na: b\n---\t\nBody.", ("a: b", "Body."), id="trailing blanks"),
        pytest.param("---\u00a0\na: b\n---\u200b\nB", ("a: b", "B"), id="invisible blanks"),
        pytest.param("---\n---\nBody.", ("", "Body."), id="empty frontmatter"),
        pytest.param("---\r\n---\r\nBody.", ("", "Body."), id="empty frontmatter, CRLF"),
        pytest.param("---\n\n---\nBody.", ("", "Body."), id="one blank line"),
        pytest.param("---\n\n\n---\nBody.", ("\n", "Body."), id="two blank lines"),
        pytest.param("---\na: b\n---", ("a: b", ""), id="no final newline"),
        pytest.param("---\n---", ("", ""), id="delimiters alone"),
        pytest.param("---\na: b\n---\n\n Body", ("a: b", "\n Body"), id="body as on disk"),
        pytest.param("---\na: b\n---\n---\nc\n", ("a: b", "---\nc\n"), id="rule in the body"),
        pytest.param("---\na: |\n  ---\n  b\n---\nB", ("a: |\n  ---\n  b", "B"), id="block scalar"),
        pytest.param("---\n----\n--- x\n---\nB", ("----\n--- x", "B"), id="longer lines"),
    ],
)
def test_a_frame_is_split(text: str, expected: tuple[str, str]) -> None:
    assert parts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("---", id="opener alone"),
        pytest.param("---\n", id="opener line alone"),
        pytest.param("---\na: b\n", id="no closer"),
        pytest.param("---\na: b\n --- \n", id="indented closer"),
        pytest.param("---\na: b\n--- c\n", id="closer with text"),
        pytest.param("---\na: b\n...\n", id="dots"),
        pytest.param("----\na: b\n---\n", id="four hyphens"),
        pytest.param(" ---\na: b\n---\n", id="indented opener"),
        pytest.param("\n---\na: b\n---\n", id="opener on line 2"),
        pytest.param("--- # c\na: b\n---\n", id="comment behind the opener"),
        pytest.param("\ufeff\ufeff---\na: b\n---\n", id="two BOMs"),
        pytest.param("---\u2028a: b\u2028---\u2028", id="U+2028 ends no line"),
    ],
)
def test_what_has_no_whole_frame_is_not_split(text: str) -> None:
    assert parts(text) is None
    with pytest.raises(ValueError, match="no frontmatter"):
        HANDLER.split(text)


def test_the_spans_are_the_parts_with_their_blanks() -> None:
    text = "\ufeff--- \r\na: b\r\n---\t\r\nBody.\r\n"
    frame = HANDLER.find(text)
    assert frame is not None
    assert [text[span.start : span.end] for span in frame] == [
        "--- ",
        "a: b",
        "---\t",
        "Body.\r\n",
    ]


_PIECES = st.sampled_from(["---", "--", "-", "\n", "\r\n", "\r", " ", "\t", BOM, "a: b", "\u00a0"])
_TEXTS = st.lists(_PIECES, max_size=12).map("".join)


@given(st.one_of(_TEXTS, _TEXTS.map("---\n{}".format), _TEXTS.map("---\na: b\n{}".format)))
def test_the_quick_way_finds_the_frame_of_the_slow_way(text: str) -> None:
    quick = _find_plain(text)
    assert quick is None or quick == HANDLER._find(text)


@given(_TEXTS)
def test_the_parts_of_a_frame_follow_each_other(text: str) -> None:
    frame = HANDLER.find(text)
    if frame is None:
        return
    edges = [offset for span in frame for offset in span]
    assert edges == sorted(edges)
    assert edges[-1] == len(text)
    assert text[frame.opener.start :].startswith("---")
    assert text[frame.closer.start :].startswith("---")
    assert opens(text)


@pytest.mark.parametrize(
    "line", ["\n", "\r\n", "\r", "--- x\n", "-" * 80 + "\n", " ---\n"], ids=repr
)
def test_an_unclosed_frame_is_found_at_once(line: str) -> None:
    text = "---\n" + line * 100_000
    frame, seconds = timed(lambda: HANDLER.find(text))
    assert frame is None
    assert seconds < 2


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("# T\n---\na: b\n---\n", 4),
        ("\r\n--- \r\na: b", 2),
        ("x", None),
        ("---\na: b", None),
        ("x\n---", None),
    ],
    ids=["below a heading", "below a blank line", "none", "the first line", "the last line"],
)
def test_a_later_opener_is_found(text: str, start: int | None) -> None:
    found = later_opener(text)
    assert (found and found.start) == start
