"""Which `#slug` of a body is a reference, and where exactly it stands."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yoimem.records.kinds import Kinds
from yoimem.records.markdown import (
    Heading,
    candidates,
    code_lines,
    headings,
    needs_record,
    references,
)
from yoimem.records.reader import Reader


def found(body: str) -> list[str]:
    """Return the slugs that `body` refers to; each span holds `#slug` and nothing else."""
    told = references(body)
    assert [body[r.span.start : r.span.end] for r in told] == [f"#{r.slug}" for r in told]
    assert {r.slug for r in told} <= set(candidates(body))
    return [r.slug for r in told]


REFERENCES = {
    "alone": ("#use-sqlite", ["use-sqlite"]),
    "in a sentence": ("See #use-sqlite, #run-tests.", ["use-sqlite", "run-tests"]),
    "twice in a line": ("#aa-b #aa-b", ["aa-b", "aa-b"]),
    "one inside another": ("#use-sqlite #use", ["use-sqlite", "use"]),
    "Japanese before": ("詳細は#use-sqlite", ["use-sqlite"]),
    "Japanese around": ("詳細は#use-sqliteを見る。", ["use-sqlite"]),
    "full-width brackets": ("（#use-sqlite）「#run-tests」", ["use-sqlite", "run-tests"]),
    "U+3000 before": ("詳細　#use-sqlite", ["use-sqlite"]),
    "U+3000 behind a URL": ("https://example.org/x　#use-sqlite", ["use-sqlite"]),
    "NBSP behind a URL": ("https://example.org/x\u00a0#use-sqlite", ["use-sqlite"]),
    "brackets": ("(#aa-b) [#cc-d] <#ee-f>", ["aa-b", "cc-d", "ee-f"]),
    "quotes": ("'#aa-b' \"#cc-d\" «#ee-f»", ["aa-b", "cc-d", "ee-f"]),
    "possessive": ("#aa-b's", ["aa-b"]),
    "strong and emphasis": ("**#aa-b** *#cc-d* _#ee-f_", ["aa-b", "cc-d"]),
    "escaped backslash": ("\\\\#aa-b", ["aa-b"]),
    "ATX heading": ("# See #aa-b", ["aa-b"]),
    "closed ATX heading": ("## See #aa-b ##\n### #cc-d   ###  ", ["aa-b", "cc-d"]),
    "heading with inner hashes": ("# a # #aa-b # #", ["aa-b"]),
    "setext heading": ("See #aa-b\nand #cc-d\n====", ["aa-b", "cc-d"]),
    "indented paragraph": ("   #aa-b\n   #cc-d", ["aa-b", "cc-d"]),
    "paragraph of lines": ("a\n  b #aa-b\n\tc #cc-d \nd", ["aa-b", "cc-d"]),
    "hard breaks": ("#aa-b  \n#cc-d\\\n#ee-f", ["aa-b", "cc-d", "ee-f"]),
    "CRLF": ("a #aa-b\r\nb #cc-d\r\n\r\n- #ee-f\r\n", ["aa-b", "cc-d", "ee-f"]),
    "CR": ("a #aa-b\rb #cc-d\r\r- #ee-f\r", ["aa-b", "cc-d", "ee-f"]),
    "quote": ("> a #aa-b\n> b #cc-d\nlazy #ee-f", ["aa-b", "cc-d", "ee-f"]),
    "quote in a quote": ("> > #aa-b\n>> #cc-d\n> #ee-f", ["aa-b", "cc-d", "ee-f"]),
    "list": ("- #aa-b\n* #cc-d\n1. #ee-f\n2) #gg-h", ["aa-b", "cc-d", "ee-f", "gg-h"]),
    "nested list": ("- a\n  - b #aa-b\n    c #cc-d\n\n    d #ee-f", ["aa-b", "cc-d", "ee-f"]),
    "list in a quote": ("> 1. a #aa-b\n>    b #cc-d", ["aa-b", "cc-d"]),
    "task": ("- [ ] #aa-b\n- [x] #cc-d", ["aa-b", "cc-d"]),
    "tab behind a marker": ("-\t#aa-b\n\t b #cc-d", ["aa-b", "cc-d"]),
    "tab behind a quote mark": (">\t#aa-b\n>\t  #cc-d", ["aa-b", "cc-d"]),
    "table": ("| a | #aa-b |\n|---|---|\n| #cc-d | #ee-f |", ["aa-b", "cc-d", "ee-f"]),
    "behind a link definition": ("[a]: /u '#no-no'\n#aa-b", ["aa-b"]),
    "behind inline code": ("`#no-no` #aa-b ``a ` #no-no`` #cc-d", ["aa-b", "cc-d"]),
    "behind a link": ("[#no-no](u) #aa-b", ["aa-b"]),
    "behind an image": ("![#no-no](u) #aa-b", ["aa-b"]),
    "behind a fence": ("```\n#no-no\n```\n#aa-b", ["aa-b"]),
    "behind HTML": ("<b>#aa-b</b> <i title='#no-no'>#cc-d</i>", ["aa-b", "cc-d"]),
    "behind a comment": ("a <!-- #no-no --> #aa-b", ["aa-b"]),
    "below U+3000 alone": ("　\n#aa-b", ["aa-b"]),
    "below U+3000 in a quote": ("> 　\n> #aa-b", ["aa-b"]),
    "below a form feed": ("\x0c\n#aa-b", ["aa-b"]),
    "behind a NUL": ("a\0 #aa-b", ["aa-b"]),
    "behind U+2028": ("a\u2028#aa-b\nb\u0085#cc-d", ["aa-b", "cc-d"]),
    "behind emoji": ("🏴👩\u200d💻 #aa-b", ["aa-b"]),
    "brackets that are no link": ("[a #aa-b] [c](", ["aa-b"]),
    "unclosed code": ("` #aa-b", ["aa-b"]),
    "a digit in it": ("#v2-plan", ["v2-plan"]),
    "an issue number": ("#123", ["123"]),
}

NO_REFERENCES = {
    "nothing": "",
    "no hash": "use-sqlite",
    "hash alone": "# #\n#",
    "heading": "# use-sqlite",
    "escaped": "\\#use-sqlite",
    "inline code": "`#use-sqlite`",
    "code over lines": "`a\n#use-sqlite`",
    "fence": "```\n#use-sqlite\n```",
    "tilde fence": "~~~ md\n#use-sqlite\n~~~",
    "unclosed fence": "```\n#use-sqlite",
    "fence in a quote": "> ```\n> #use-sqlite\n> ```",
    "fence in a list": "- a\n  ```\n  #use-sqlite\n  ```",
    "indented code": "a\n\n    #use-sqlite",
    "tabbed code": "a\n\n\t#use-sqlite",
    "link text": "[#use-sqlite](u)",
    "link text with more": "[see #use-sqlite *now*](u)",
    "link target": "[a](#use-sqlite) [b](<#use-sqlite>)",
    "link title": "[a](u '#use-sqlite')",
    "reference link": "[#use-sqlite][r]\n\n[r]: /u",
    "link definition": "[r]: #use-sqlite",
    "image": "![#use-sqlite](u)",
    "image with more": "![see #use-sqlite](u) a",
    "autolink": "<https://example.org/#use-sqlite> <https://example.org?#use-sqlite>",
    "bare URL": "https://example.org/a#use-sqlite http://example.org/#use-sqlite",
    "HTML block": "<div>\n#use-sqlite\n</div>",
    "HTML attribute": "a <a href='#use-sqlite'> b",
    "HTML anchor": "a <a href='u'>#use-sqlite</a>",
    "HTML comment": "<!-- #use-sqlite -->",
    "entity": "&#use-sqlite; &#35;use-sqlite",
    "heading attribute": "# Title {#use-sqlite}",
    "word before": "a#use-sqlite 1#use-sqlite _#use-sqlite",
    "sign before": "/#use-sqlite ##use-sqlite =#use-sqlite ?#use-sqlite .#use-sqlite -#use-sqlite",
    "capitals": "#Use-sqlite #runSubagent #TODO",
    "underscore": "#use_sqlite #use-sqlite_",
    "hyphen behind": "#use-sqlite-",
    "double hyphen": "#use--sqlite",
    "too long": "#" + "a" * 65,
    "accented word": "#größe",
    "Japanese tag": "#設計",
    "full-width hash": "＃use-sqlite",
}


@pytest.mark.parametrize(("body", "slugs"), REFERENCES.values(), ids=REFERENCES)
def test_a_reference_is_found_at_its_place(body: str, slugs: list[str]) -> None:
    assert found(body) == slugs


@pytest.mark.parametrize("body", NO_REFERENCES.values(), ids=NO_REFERENCES)
def test_what_is_no_reference_is_passed_over(body: str) -> None:
    assert found(body) == []


@pytest.mark.parametrize("slug", ["123", "582-592", "0-a", "fff", "abcd", "a1b2c3", "deadbeef"])
def test_an_issue_number_or_a_colour_counts_only_as_a_record(slug: str) -> None:
    assert needs_record(slug)


@pytest.mark.parametrize("slug", ["a", "ab", "abcde", "feedbag", "facade-x", "use-sqlite", "xyz"])
def test_another_slug_always_counts(slug: str) -> None:
    assert not needs_record(slug)


def test_candidates_are_each_slug_once_in_order() -> None:
    assert candidates("#bb-c `#aa-b` #bb-c a#dd-e") == ("bb-c", "aa-b")


@pytest.mark.parametrize("before", ["", "\ufeff"], ids=["plain", "BOM"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
def test_a_record_tells_places_in_its_file(before: str, end: str) -> None:
    text = before + end.join(["---", "description: d", "---", "# 漢字", "", "- 🏴 #use-sqlite", ""])
    record = Reader(Kinds()).read_text("workflow/a.md", text)
    (reference,) = record.references
    assert record.lines.place(reference.span.start) == (6, 5)
    assert text[reference.span.start : reference.span.end] == "#use-sqlite"


_SEPARATORS = st.sampled_from([" ", "", "。", "　", ", ", "\t", "\u00a0", " (", ") ", " **", "** "])
_NOISE = st.sampled_from(
    ["word", "漢字", "🏴", "`#no-no`", "[#no-no](u)", "![#no-no](u)", "<http://a#no-no>", "\\#no-no",
     "a#no-no", "<b>", "</b>", "*", "_", "[", "]", "(", "&amp;", "#", "|", "`", "<!-- #no-no -->", "\0"]
)  # fmt: skip
_LINE = st.lists(st.one_of(_SEPARATORS, _NOISE, st.just("#aa-b"), st.just("#cc-d")), max_size=6)
_PREFIX = st.sampled_from(
    ["", "", "", " ", "   ", "    ", "\t", "> ", ">\t", ">> ", "- ", "-\t", "  - ", "1. ", "# ", "## ",
     "```", "~~~", "---", "===", "　", "\x0c", "| ", "<div>", "[r]: /u", "> - ", "  > "]
)  # fmt: skip
_LINES = st.builds(lambda prefix, parts: prefix + "".join(parts), _PREFIX, _LINE)
_BODIES = st.builds(
    lambda lines, end, last: end.join(lines) + last,
    st.lists(_LINES, max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n", " #", " ##  "]),
)


@settings(max_examples=1000, deadline=None)
@given(st.one_of(_BODIES, st.text("#a-b \n\t>`[]()!*\r\u3000", max_size=40)))
def test_a_span_always_holds_exactly_the_reference(body: str) -> None:
    told = references(body)
    assert [body[r.span.start : r.span.end] for r in told] == [f"#{r.slug}" for r in told]
    assert [r.span for r in told] == sorted({r.span for r in told})
    assert {r.slug for r in told} <= set(candidates(body))


_CONTAINERS = st.lists(st.sampled_from(["> ", ">", "- ", "1. ", "* ", ">\t", "-   "]), max_size=3)
_PLAIN_LINE = st.lists(
    st.sampled_from(["#aa-b", "#cc-d", "word", "漢字", "🏴", "**x**"]), min_size=1
)


@settings(max_examples=500, deadline=None)
@given(
    containers=_CONTAINERS,
    lines=st.lists(_PLAIN_LINE, min_size=1, max_size=4),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_no_reference_of_a_paragraph_is_lost(
    containers: list[str], lines: list[list[str]], end: str
) -> None:
    paragraph = [" ".join(words) for words in lines]
    body = "".join(containers) + end.join(paragraph)
    expected = [word[1:] for words in lines for word in words if word.startswith("#")]
    assert found(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("# One\n\ntext\n\n## Two ##\n", [Heading(1, "One", 1), Heading(2, "Two", 5)]),
        ("One\n===\nTwo\n---\n", [Heading(1, "One", 1), Heading(2, "Two", 3)]),
        ("> # Quoted\n- ## Item\n", [Heading(1, "Quoted", 1), Heading(2, "Item", 2)]),
        ("```\n# no\n```\n\n    # no\n#no\n####### no\n", []),
        ("#\r\n# `a` *b*\r\n", [Heading(1, "", 1), Heading(1, "`a` *b*", 2)]),
    ],
    ids=["ATX", "setext", "in containers", "none", "empty, inline marks, CRLF"],
)
def test_headings_are_found(body: str, expected: list[Heading]) -> None:
    assert list(headings(body)) == expected


def test_the_lines_of_code_are_told() -> None:
    body = "a\n```\nb\n```\nc\n\n    d\n\n> ~~~\n> e\n"
    assert code_lines(body) == {2, 3, 4, 7, 9, 10}
