"""The words of a text: forms, parts of identifiers, every script, and no text that harms."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimem.recall import words
from yoimem.recall.words import normalized, tokens_of, words_in, written_of

ANY_TEXT = st.text(st.characters())  # lone surrogates and NUL too


def terms_of(text: str) -> str:
    return words.terms_of(words_in(text))


def terms(text: str) -> list[str]:
    return terms_of(text).split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Configuring Configured configures", "configur configur configur"),
        ("readFile", "read file readfil"),
        ("HTTPServer", "http server httpserver"),
        ("snake_case", "snake case snakecas"),
        ("pre-edit", "pre edit preedit"),
        ("utf-8 sha256", "utf 8 utf8 sha256"),
        ("C++ C# F#, C", "c c++ c c# f f# c"),
        ("a+b #slug", "a b slug"),
        ("don't", "don t dont"),
        ("résumé Straße", "resum strass"),
        ("サーバーを再起動", "サー ーバ バー ーを を再 再起 起動 動"),
        ("手", "手"),
        ("SQLite使う", "sq lite sqlite 使う う"),
        ("한국어", "한국 국어 어"),
        ("می‌خواهم", "می خواهم میخواهم"),
        ("हिन्दी", "हिन्दी"),
        ('🎉 *** "(', ""),
        ("\x00 \ud800", ""),
    ],
)
def test_the_terms_of_a_text(text: str, expected: str) -> None:
    assert terms_of(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("ＳＱＬｉｔｅ", "sqlite"),
        (unicodedata.normalize("NFD", "ガイド"), "ガイド"),
        (unicodedata.normalize("NFD", "café"), "CAFE"),
        ("don’t", "don't"),
        ("preedit", "pre-edit"),
        ("getaddrinfo", "getAddrInfo"),
    ],
)
def test_spellings_that_meet(one: str, other: str) -> None:
    assert terms(one)[-1] == terms(other)[-1]


def test_a_word_without_an_end_is_cut() -> None:
    assert max(map(len, terms("a" * 100_000 + "1"))) == 64


@given(ANY_TEXT)
def test_terms_hold_nothing_but_words(text: str) -> None:
    """No quote, NUL or surrogate reaches SQLite: each would be syntax there, or an error."""
    found = terms_of(text)
    found.encode()
    assert not set('"\0*()') & set(found)
    assert "  " not in found


@given(ANY_TEXT)
def test_tokens_are_the_same_words_at_their_places(text: str) -> None:
    normal = normalized(text)
    tokens = list(tokens_of(normal))
    assert " ".join(term for token in tokens for term in token.terms) == terms_of(text)
    for token in tokens:
        assert terms_of(normal[token.start : token.end]) == " ".join(token.terms)


@given(ANY_TEXT)
def test_decomposed_text_has_the_same_terms(text: str) -> None:
    assert terms_of(unicodedata.normalize("NFD", text)) == terms_of(
        unicodedata.normalize("NFC", text)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Configuring Résumés", "+configuring +resumes"),
        ("readFile C++", "+read +file +c"),
        ("サーバーを", ""),
    ],
)
def test_words_as_they_are_written(text: str, expected: str) -> None:
    assert written_of(words_in(text)) == expected
    assert [w for token in tokens_of(normalized(text)) for w in token.written] == expected.split()
