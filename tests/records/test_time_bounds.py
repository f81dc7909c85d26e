"""A file that is made to take long is read in a bounded time.

The bounds are several times what was measured; what grows with the square of its length passes
them by far.
"""

from itertools import pairwise

import pytest
from tests.timing import timed

from yoimem.records.kinds import Kinds
from yoimem.records.markdown import references
from yoimem.records.reader import MAX_BYTES, MAX_FRONTMATTER, Limits, Reader
from yoimem.records.record import Record

READER = Reader(Kinds(), Limits(max_frontmatter=MAX_BYTES))
"""Reads frontmatter of any length, so that what grows with its square cannot hide."""


def read(frontmatter: str) -> Record:
    return READER.read_text("workflow/a.md", f"---\n{frontmatter}\n---\n")


def filled(before: str, part: str, after: str = "", size: int = MAX_BYTES - 64) -> str:
    """Repeat `part` until the whole has nearly `size` bytes."""
    room = size - len(before.encode()) - len(after.encode())
    return before + part * (room // len(part.encode())) + after


NAMES = "abcdefghij"
BOMB = "a: &a [x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in pairwise(NAMES)
)


@pytest.mark.parametrize(
    ("frontmatter", "problem", "bound"),
    [
        pytest.param("a: " + "[" * 200_000, "yaml-too-deep", 2, id="200,000 brackets"),
        pytest.param("a: " + "{a: " * 3_900, "yaml-too-deep", 2, id="deep, on the clean path"),
        pytest.param("a: " + "[[]," * 4_000, "yaml-too-deep", 2, id="wide and deep"),
        pytest.param("a:\n  " + "- " * 200_000, "yaml-too-deep", 2, id="200,000 dashes"),
        pytest.param("k" * 200_000 + ": v", "yaml-syntax", 2, id="a key of 200 kB"),
        pytest.param(BOMB, "yaml-alias", 0.5, id="alias bomb"),
        pytest.param("description: |\n" + "  text\n" * 71_000, None, 1.5, id="block of 500 kB"),
        pytest.param(filled("description: ", "word "), None, 3, id="1 MiB plain"),
        pytest.param(filled('description: "', "\\x41", '"'), None, 3, id="1 MiB of escapes"),
        pytest.param(
            filled("description: ", "1:1"), "ambiguous-scalar", 3, id="1 MiB like a number"
        ),
        pytest.param(filled("", "# c\n"), "missing-field", 3, id="1 MiB of comments"),
    ],
)
def test_long_frontmatter(frontmatter: str, problem: str | None, bound: float) -> None:
    record, seconds = timed(lambda: read(frontmatter))
    assert {found.name for found in record.problems} == ({problem} if problem else set())
    assert seconds < bound


@pytest.mark.parametrize(
    "frontmatter",
    [
        pytest.param(filled("description: |\n", "  a\tb\n", size=300_000), id="a tab a line"),
        pytest.param(filled("description: |\n  ", "\t", size=300_000), id="tabs in one line"),
        pytest.param(filled("description: ", "a\u2028", size=300_000), id="U+2028"),
        pytest.param(filled("description: ", "\x00", size=300_000), id="NUL"),
        pytest.param(filled("description: a", "\u200b", "b", size=300_000), id="zero-width run"),
        pytest.param(filled("description: a", "b\u200b", "b", size=300_000), id="zero width"),
        pytest.param(filled("description: d\n", "# \u00a0c\n", size=300_000), id="in comments"),
        pytest.param(filled("x: 'a'\n? '", "\u00a0", "'\n: v", size=300_000), id="in one key"),
        pytest.param(filled("a: b: c\n", "-", "a\u00a0", size=300_000), id="dashes, no YAML"),
        pytest.param(filled("a: b: c\n", "\u3164", "x", size=300_000), id="fillers, no YAML"),
        pytest.param(filled("a: b: c\nd", "\u00a0", "x", size=300_000), id="run, no YAML"),
    ],
)
def test_many_strange_characters(frontmatter: str) -> None:
    _, seconds = timed(lambda: read(frontmatter))
    assert seconds < 2.5


@pytest.mark.parametrize(
    "part",
    [
        "a: b\n",
        "- a\n",
        "-\n",
        "- A\n",
        "- no\n",
        "- a #b\n",
        "- {a: b}\n",
        "? a\n",
        "\u00a0a: b\n",
        "\x00",
    ],
    ids=repr,
)
def test_the_longest_frontmatter_that_is_parsed(part: str) -> None:
    before = "description: d\n" + ("requires:\n" if part.startswith("-") else "")
    frontmatter = filled(before, part, size=MAX_FRONTMATTER)
    text = f"---\n{frontmatter}\n---\n"
    record, seconds = timed(lambda: Reader(Kinds()).read_text("workflow/a.md", text))
    assert "file-too-large" not in {problem.name for problem in record.problems}
    assert seconds < 3


@pytest.mark.parametrize("part", ["a: b\n", "[", "\x00", "\u00a0", "\n", "漢"], ids=repr)
def test_longer_frontmatter_is_refused_at_once(part: str) -> None:
    text = f"---\n{filled('', part)}\n---\n"
    record, seconds = timed(lambda: Reader(Kinds()).read_text("workflow/a.md", text))
    assert [problem.name for problem in record.problems] == ["file-too-large"]
    assert seconds < 2


def test_invisible_characters_among_many_values() -> None:
    frontmatter = filled("description: d\nrequires:\n", "- \u00a0a\n", size=60_000)
    record, seconds = timed(lambda: read(frontmatter))
    assert len(record.problems) == frontmatter.count("\u00a0")
    assert seconds < 2.5


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("#aa-b\n" * 10_000, id="one paragraph"),
        pytest.param("#aa-b " * 10_000, id="one line"),
        pytest.param("- #aa-b\n" * 5_000, id="one list"),
    ],
)
def test_many_references(body: str) -> None:
    found, seconds = timed(lambda: references(body))
    assert len(found) == body.count("#")
    assert seconds < 2.5


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("#" + "a-" * 300_000, id="a slug without end"),
        pytest.param("#a" + "-" * 300_000 + "_", id="hyphens without end"),
        pytest.param("{" * 100_000 + " #aa-b", id="braces before it"),
        pytest.param("{.a " * 50_000 + "#aa-b", id="attributes before it"),
        pytest.param("://" * 100_000 + "#aa-b " * 100, id="addresses before it"),
    ],
)
def test_hard_bodies(body: str) -> None:
    _, seconds = timed(lambda: references(body))
    assert seconds < 2.5
