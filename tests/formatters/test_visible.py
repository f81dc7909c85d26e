import pytest

from yoimem.formatters.visible import visible, visible_lines, width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain `text` \\x1b", "plain `text` \\x1b"),
        ("記録\u3000葛\U000e0100飾", "記録\u3000葛\U000e0100飾"),
        ("é e\u0301 👍🏽 ❤\ufe0f", "é e\u0301 👍🏽 ❤\ufe0f"),
        ("\x1b[31m\x00\x7f\x9b", r"\x1b[31m\x00\x7f\x9b"),
        ("a\nb\r\nc\td", r"a\nb\r\nc\td"),
        ("\u202e\u2066\u200f\u061c", r"\u202e\u2066\u200f\u061c"),
        ("\u200b\u200d\ufeff\u2060\u00ad", r"\u200b\u200d\ufeff\u2060\xad"),
        ("\u2028\u2029\u0085", r"\u2028\u2029\x85"),
        ("a\u00a0b\u202f", r"a\xa0b\u202f"),
        ("\u3164\u115f\u034f\ufffe", r"\u3164\u115f\u034f\ufffe"),
        ("\U000e0041", r"\U000e0041"),
        ("\udcff\udc80", r"\xff\x80"),
        ("\ud800\udfff", r"\ud800\udfff"),
    ],
)
def test_what_hides_or_acts_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_lines_end_as_the_lines_of_a_record_do() -> None:
    assert visible_lines("a\r\nb\rc\u2028d\x0be\n\n") == ["a", "b", r"c\u2028d\x0be"]


@pytest.mark.parametrize(
    ("text", "columns"), [("", 0), ("abc", 3), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("e\u0301", 1)]
)
def test_width_in_a_terminal(text: str, columns: int) -> None:
    assert width(text) == columns
