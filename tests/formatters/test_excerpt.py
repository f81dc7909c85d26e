from time import perf_counter

import pytest

from yoimem.formatters.excerpt import Excerpt, excerpt
from yoimem.formatters.visible import width
from yoimem.lint.report import Diagnostic
from yoimem.lint.rule import Severity
from yoimem.records.text import Place


def on_line(source: str, column: int, end_column: int, *, lines: int = 1) -> Diagnostic:
    return Diagnostic(
        path="memory/summary.md",
        start=Place(3, column),
        end=Place(2 + lines, end_column),
        code="X1",
        name="x",
        severity=Severity.ERROR,
        message="x",
        source=source,
    )


def show(shown: Excerpt) -> str:
    return f"{shown.line}\n{' ' * shown.indent}{shown.carets}"


@pytest.mark.parametrize(
    ("diagnostic", "expected"),
    [
        pytest.param(on_line("status: done", 9, 13), "status: done\n        ^^^^", id="plain"),
        pytest.param(on_line("説明: 日本語。", 5, 8), "説明: 日本語。\n      ^^^^^^", id="wide"),
        pytest.param(on_line("e\u0301: x", 5, 6), "e\u0301: x\n   ^", id="combining"),
        pytest.param(on_line("a\tb: c", 2, 3), "a    b: c\n ^^^^", id="under a tab"),
        pytest.param(on_line("\t\tb: c", 3, 4), "        b: c\n        ^", id="after tabs"),
        pytest.param(on_line("a\u202eb", 2, 3), "a\\u202eb\n ^^^^^^", id="under an escape"),
        pytest.param(on_line("\ufeff---", 1, 2), "\\ufeff---\n^^^^^^", id="under a BOM"),
        pytest.param(on_line("\ufeff--- ", 5, 6), "\\ufeff--- \n         ^", id="after a BOM"),
        pytest.param(on_line("ab", 2, 2), "ab\n ^", id="empty span"),
        pytest.param(on_line("ab", 3, 3), "ab\n  ^", id="line end"),
        pytest.param(on_line("ab", 9, 12), "ab\n  ^", id="past the line end"),
        pytest.param(on_line("", 1, 1), "\n^", id="empty line"),
        pytest.param(on_line("- a: b", 3, 2, lines=4), "- a: b\n  ^^^^", id="several lines"),
        pytest.param(on_line("", 1, 1, lines=2), "\n^", id="several lines from an empty one"),
    ],
)
def test_carets_stand_under_the_span(diagnostic: Diagnostic, expected: str) -> None:
    assert show(excerpt(diagnostic)) == expected


def test_a_line_that_fits_is_whole() -> None:
    source = "a" * 100 + "!" + "b" * 19

    assert excerpt(on_line(source, 101, 102)) == Excerpt(source, 100, "^")


def test_a_long_line_is_cut_behind_a_span_at_its_start() -> None:
    shown = excerpt(on_line("key: " + "x" * 400, 1, 4))

    assert shown == Excerpt("key: " + "x" * 115 + "…", 0, "^^^")


def test_a_long_line_is_cut_before_a_span_at_its_end() -> None:
    shown = excerpt(on_line("x" * 400 + " done", 402, 406))

    assert shown == Excerpt("…" + "x" * 115 + " done", 117, "^^^^")


def test_a_long_line_is_cut_on_both_sides() -> None:
    shown = excerpt(on_line("x" * 300 + "!!" + "y" * 300, 301, 303))

    assert shown == Excerpt("…" + "x" * 40 + "!!" + "y" * 78 + "…", 41, "^^")


@pytest.mark.parametrize("filler", ["語", "\u202e", "\t"])
def test_a_cut_counts_columns_and_keeps_the_start_of_the_span(filler: str) -> None:
    shown = excerpt(on_line(filler * 300 + "!!" + filler * 300, 301, 303))

    assert width(shown.line) <= 122
    assert width(shown.line.split("!!")[0]) == shown.indent
    assert shown.carets == "^^"


def test_carets_end_where_a_long_line_is_cut() -> None:
    shown = excerpt(on_line("x" * 500, 1, 501))

    assert shown == Excerpt("x" * 120 + "…", 0, "^" * 120)


def test_a_huge_line_takes_no_time() -> None:
    diagnostic = on_line("語" * 1_000_000, 500_000, 900_000)
    start = perf_counter()
    for _ in range(100):
        excerpt(diagnostic)

    assert perf_counter() - start < 1
