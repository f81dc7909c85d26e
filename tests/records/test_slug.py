"""What is a slug, what is said of one that is none, and what is proposed instead."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimem.records.slug import MAX_LENGTH, RESERVED, is_slug, slug_fault, suggest_slug

_GRAMMAR = re.compile(r"\A[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\Z", re.ASCII)


@pytest.mark.parametrize("slug", ["a", "0", "use-sqlite", "adr-0001", "a-b-c", "a" * 64, "con"])
def test_a_slug_is_taken(slug: str) -> None:
    assert is_slug(slug)
    assert slug_fault(slug) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("a" * 65, "65 characters", id="too long"),
        pytest.param("Use-Sqlite", "`S`, `U`", id="capitals"),
        pytest.param("use_sqlite", "`_`", id="underscore"),
        pytest.param("a b", "` `", id="blank"),
        pytest.param("use-sqlite\n", "`\n`", id="final line end"),
        pytest.param("a/b", "`/`", id="folder"),
        pytest.param("a.b", "`.`", id="dot"),
        pytest.param("設計", "`設`", id="japanese"),
        pytest.param("a\u0661", "`\u0661`", id="arabic digit"),
        pytest.param("cafe\u0301", "`\u0301`", id="combining accent"),
        pytest.param("a--b", "`--`", id="double hyphen"),
        pytest.param("-a", "begins or ends", id="leading hyphen"),
        pytest.param("a-", "begins or ends", id="trailing hyphen"),
        pytest.param("-", "begins or ends", id="hyphen alone"),
    ],
)
def test_what_is_no_slug_is_told_why(text: str, said: str) -> None:
    assert not is_slug(text)
    assert said in slug_fault(text)


@given(st.one_of(st.text(max_size=70), st.text("ab0-", max_size=70)))
def test_the_grammar_of_the_design_holds(text: str) -> None:
    assert is_slug(text) == (_GRAMMAR.match(text) is not None and "--" not in text)
    assert (slug_fault(text) == "") == is_slug(text)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Use SQLite", "use-sqlite"),
        ("use_sqlite", "use-sqlite"),
        ("Café -- crème", "cafe-creme"),
        ("--a--", "a"),
        ("ＡＢＣ", "abc"),
        ("設計", ""),
        ("a" * 63 + "-b", "a" * 63),
    ],
)
def test_the_nearest_slug_is_proposed(text: str, slug: str) -> None:
    assert suggest_slug(text) == slug


@given(st.text(max_size=100))
def test_what_is_proposed_is_a_slug(text: str) -> None:
    proposed = suggest_slug(text)
    assert proposed == "" or is_slug(proposed)
    assert len(proposed) <= MAX_LENGTH


def test_the_names_of_windows_devices_are_reserved() -> None:
    assert {"con", "prn", "aux", "nul", "com1", "com9", "lpt1", "lpt9"} <= RESERVED
    assert "console" not in RESERVED
