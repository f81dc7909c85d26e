"""The estimate of tokens, held against the counts of a real tokenizer."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timing import timed

from yoimem.records.tokens import estimate_tokens

COUNTED = json.loads((Path(__file__).parent / "data" / "tokens.json").read_text("utf-8"))["texts"]


@pytest.mark.parametrize("counted", COUNTED, ids=[each["name"] for each in COUNTED])
def test_the_estimate_is_within_20_percent(counted: dict[str, str | int]) -> None:
    assert estimate_tokens(str(counted["text"])) == pytest.approx(counted["tokens"], rel=0.2)


def test_the_counted_texts_are_of_many_sorts() -> None:
    sorts = Counter(each["name"].partition("-")[0] for each in COUNTED)
    assert sorts["japanese"] >= 10
    assert sorts["code"] >= 10
    assert sorts["english"] + sorts["markdown"] + sorts["record"] >= 15
    assert sorts.keys() >= {"chinese", "korean", "persian", "data", "log"}


def test_the_estimate_is_not_off_to_one_side() -> None:
    ratios = [estimate_tokens(each["text"]) / each["tokens"] for each in COUNTED]
    assert sum(ratios) / len(ratios) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("two words", 2),
        ("=" * 60, 1),
        ("=" * 500, 8),
        ("a\n\n\n    b", 3),
        ("12345", 2),
        ("保存先", 4),
        ("\0\x1b\x7f", 1),
    ],
)
def test_what_counts_as_one(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_a_text_costs_about_what_its_parts_cost(first: str, second: str) -> None:
    parts = estimate_tokens(first) + estimate_tokens(second)
    assert abs(estimate_tokens(f"{first}\n{second}") - parts) <= 3


@given(st.text(min_size=1))
def test_no_text_that_says_something_is_free(text: str) -> None:
    assert estimate_tokens(text) > 0 or not text.strip(" \t")


@pytest.mark.parametrize(
    "text", ["a", "A", "_", "=-", " ", " \n", "1", "é", "日", "日a ", "\udcff"]
)
def test_a_long_text_of_any_sort_is_counted_at_once(text: str) -> None:
    long = text * 500_000
    _, seconds = timed(lambda: estimate_tokens(long))
    assert seconds < 2
