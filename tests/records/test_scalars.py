"""Which plain scalars mean the same to every YAML reader."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from yoimem.records.scalars import AmbiguousText, is_ambiguous, plain_value, quoted, reading

_NUMBERS = """
    0010 00 -0 +5 +0 0x1F 0xff -0x1 0b101 +0b1 0o17 1_000 1_ 12:30 1:2:3 190:20:30.15 1.5 1. .5
    +1.5 -1.5 1e3 1E3 1e+3 1.5e-3 .5e1 .inf -.inf +.INF .Inf .nan .NaN .NAN 019e12345678
    123456789012345678901 0_1
""".split()
_BOOLEANS = "y Y n N yes Yes YES no No NO on On ON off Off OFF True TRUE False FALSE".split()
_TIMES = [
    "2026-01-10",
    "2026-1-2T3:04:05",
    "2026-01-10T09:00:00Z",
    "2026-01-10T09:00:00.5Z",
    "2026-01-10 09:00:00",
    "2026-01-10 09:00:00 +09:00",
    "2026-01-10t09:00:00-5",
]
_WORDS = """
    open use-sqlite a-b not nonsense yesterday online Nope truE nUll 1.2.3 v1 1a 0x 0xg 0b2 e3 12:3a
    12:60x 1-2 2026-01 2026-01-10x .in .nano -- -a +a 漢字 é a=b <<x _1 1e 12:30am 019e12345678-a
""".split()


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        *[(text, "a number") for text in _NUMBERS],
        *[(text, "true or false") for text in _BOOLEANS],
        *[(text, "a date") for text in _TIMES],
        ("=", "a sign of its own"),
        ("<<", "a sign of its own"),
    ],
)
def test_an_ambiguous_scalar_is_known_and_named(text: str, meaning: str) -> None:
    assert is_ambiguous(text)
    assert reading(text) == meaning
    value = plain_value(text)
    assert isinstance(value, AmbiguousText)
    assert value == text


@pytest.mark.parametrize("text", _WORDS)
def test_a_word_is_only_a_word(text: str) -> None:
    assert not is_ambiguous(text)
    assert plain_value(text) == text
    assert not isinstance(plain_value(text), AmbiguousText)
    assert reading(text) == "text"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Null", None),
        ("NULL", None),
        ("true", True),
        ("false", False),
        ("0", 0),
        ("12", 12),
        ("-7", -7),
        ("18446744073709551615", 2**64 - 1),
    ],
)
def test_what_every_reader_takes_alike_has_its_value(text: str, value: object) -> None:
    assert plain_value(text) == value
    assert type(plain_value(text)) is type(value)


_NUMBERLIKE = st.text("0123456789+-._:eExob ", max_size=8)
_ALL = st.one_of(
    _NUMBERLIKE, st.text(max_size=6), st.sampled_from([*_NUMBERS, *_BOOLEANS, *_TIMES, *_WORDS])
)


def _yaml_1_1_reads_it_as_text(text: str) -> bool:
    resolver = yaml.SafeLoader("")
    tag: str = resolver.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    # `!`, `&` and `*` alone are no plain scalars: the scanner never hands them on.
    return tag == "tag:yaml.org,2002:str" or text in {"!", "&", "*"}


@given(_ALL)
def test_what_pyyaml_takes_for_something_else_is_never_silently_text(text: str) -> None:
    value = plain_value(text)
    if not _yaml_1_1_reads_it_as_text(text):
        assert isinstance(value, AmbiguousText) or not isinstance(value, str)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20))
def test_a_quoted_text_is_read_as_itself(text: str) -> None:
    assert yaml.safe_load(quoted(text)) == text
