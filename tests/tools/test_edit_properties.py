"""Edits are exact: what is found is replaced literally, and no other byte changes."""

import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.conftest import DECISION, NOW, Memory

from yoimem.lint.host import load_plugins
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.tools import MemoryToolError, MemoryTools
from yoimem.tools.edit import edit_text
from yoimem.tools.stamp import stamp

PATH = "memory/decisions/use-sqlite.md"
HEAD = DECISION.removesuffix("Body.\n")
STAMPED = HEAD.replace("updated_at: 2026-01-10T09:00:00Z", "updated_at: 2026-03-01T12:00:00Z")
PLUGINS = load_plugins()


def tools_of(memory: Memory) -> MemoryTools:
    return MemoryTools(memory.root, clock=lambda: NOW, plugins=PLUGINS)


def put(memory: Memory, body: str, line_end: str = "\n", mark: str = "") -> None:
    text = mark + (HEAD + body).replace("\n", line_end)
    memory.write(PATH, "").write_bytes(text.encode())


def body_of(memory: Memory, line_end: str = "\n", mark: str = "") -> str:
    """Return the body, and hold that all before it is as it was, but for the time."""
    text = (memory.root / PATH).read_bytes().decode()
    head = mark + STAMPED.replace("\n", line_end)
    assert text.startswith(head)
    return text.removeprefix(head)


def fails(work: Callable[[], object]) -> str:
    with pytest.raises(MemoryToolError) as caught:
        work()
    assert caught.value.code == "invalid_argument"
    return caught.value.message


# By example


def test_one_place_is_replaced(memory: Memory) -> None:
    put(memory, "One two three.\n")
    result = tools_of(memory).memory_edit(PATH, "two", "2")
    assert (body_of(memory), result.count) == ("One 2 three.\n", 1)


def test_several_places_are_named_by_their_lines(memory: Memory) -> None:
    put(memory, "One two.\ntwo\n\nNo.\ntwo two\n")
    before = (memory.root / PATH).read_bytes()
    message = fails(lambda: tools_of(memory).memory_edit(PATH, "two", "2"))
    assert "4 times, on lines 7, 8, 11:" in message
    assert (memory.root / PATH).read_bytes() == before
    result = tools_of(memory).memory_edit(PATH, "two", "2", replace_all=True)
    assert (body_of(memory), result.count) == ("One 2.\n2\n\nNo.\n2 2\n", 4)


def test_overlapping_places_are_several(memory: Memory) -> None:
    put(memory, "aaaa\n")
    assert "2 times" in fails(lambda: tools_of(memory).memory_edit(PATH, "aaa", "b"))
    result = tools_of(memory).memory_edit(PATH, "aaa", "b", replace_all=True)
    assert (body_of(memory), result.count) == ("ba\n", 1)


def test_many_places_do_not_make_a_long_message() -> None:
    message = fails(lambda: edit_text("x\n" * 5000, "x", "y", replace_all=False))
    assert "5000 times" in message
    assert "and 4980 more" in message
    assert len(message) < 300


def test_what_is_not_there_may_be_near(memory: Memory) -> None:
    put(memory, "One.\n  Two.\nThree.\n")
    edit = tools_of(memory).memory_edit
    assert "read it again" in fails(lambda: edit(PATH, "Four.", "5"))
    assert "first line stands on line 8" in fails(lambda: edit(PATH, "Two.\nFour.", "5"))


def test_nothing_and_the_same_are_no_edits(memory: Memory) -> None:
    put(memory, "One.\n")
    edit = tools_of(memory).memory_edit
    for replace_all in (False, True):
        assert "is empty" in fails(lambda: edit(PATH, "", "x", replace_all))  # noqa: B023
        assert "the same" in fails(lambda: edit(PATH, "One.", "One.", replace_all))  # noqa: B023
    put(memory, "One.\n", "\r\n")
    assert "the same" in fails(lambda: edit(PATH, "One.\n", "One.\r\n"))


@pytest.mark.parametrize("new", ["$&", "\\1", "\\g<0>", "$1$$", "{0}", "%s", "\\n", "\\", "🦀", ""])
def test_the_replacement_is_literal(memory: Memory, new: str) -> None:
    put(memory, "One (two) three.\n")
    tools_of(memory).memory_edit(PATH, "(two)", new)
    assert body_of(memory) == f"One {new} three.\n"


@pytest.mark.parametrize("old", [".*", "(two)", "^One", "t?wo", "[a-z]", "\\w"])
def test_what_is_sought_is_literal(memory: Memory, old: str) -> None:
    put(memory, f"One two {old} three.\n")
    tools_of(memory).memory_edit(PATH, old, "x")
    assert body_of(memory) == "One two x three.\n"


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("Two", "2", "One.\r\n2.\r\nThree.\r\n"),
        ("One.\nTwo.", "1.\n2.", "1.\r\n2.\r\nThree.\r\n"),
        ("One.\r\nTwo.", "1.\r\n2.", "1.\r\n2.\r\nThree.\r\n"),
        ("Two.", "Two.\nAnd a half.", "One.\r\nTwo.\r\nAnd a half.\r\nThree.\r\n"),
        ("\nTwo.", "\n2.", "One.\r\n2.\r\nThree.\r\n"),
        ("One.\nTwo.\n", "", "Three.\r\n"),
    ],
)
def test_a_record_with_crlf_takes_lf_and_stays_crlf(
    memory: Memory, old: str, new: str, wanted: str
) -> None:
    put(memory, "One.\nTwo.\nThree.\n", "\r\n")
    tools_of(memory).memory_edit(PATH, old, new)
    assert body_of(memory, "\r\n") == wanted


def test_a_byte_order_mark_stays(memory: Memory) -> None:
    put(memory, "One.\n", mark="\ufeff")
    result = tools_of(memory).memory_edit(PATH, "One", "Two")
    assert body_of(memory, mark="\ufeff") == "Two.\n"
    assert "FM012" in result.warnings[0]


@pytest.mark.parametrize("body", ["One.", "One.\n\n\n", "One.  ", "\n\nOne.\t", "One.\r"])
def test_the_end_of_the_file_stays(memory: Memory, body: str) -> None:
    put(memory, body)
    tools_of(memory).memory_edit(PATH, "One", "Two")
    assert body_of(memory) == body.replace("One", "Two")


def test_the_frontmatter_keeps_comments_order_and_quotes(memory: Memory) -> None:
    head = (
        "---  \n# Ours.\nstatus:   'open' # until May\n\nupdated_at: \"2026-01-10T09:00:00Z\"  # x\n"
        'sources: [ {range: [0,1] , session_id: "a" } ]\ncreated_at: 2026-01-10T09:00:00+09:00\n---\n'
    )
    memory.write(PATH, head + "One.\n")
    tools_of(memory).memory_edit(PATH, "One", "Two")
    wanted = head.replace('"2026-01-10T09:00:00Z"', "2026-03-01T12:00:00Z")
    assert (memory.root / PATH).read_text() == wanted + "Two.\n"


# By property

LINE_ENDS = ["\n", "\r\n", "\r"]
LINES = st.text(st.sampled_from("ab#é語🦀 .$\\&1`-"), max_size=8)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Make a text whose lines end in LF, in CRLF, or in all there is."""
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\n", "\r\n"], LINE_ENDS]))
    lines = draw(st.lists(LINES, min_size=1, max_size=8))
    joined = "".join(line + draw(st.sampled_from(ends)) for line in lines)
    return joined + draw(LINES)


@given(texts(), st.data())
def test_no_other_character_changes(text: str, data: st.DataObject) -> None:
    assume(text)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    # A model copies whole lines: it does not take half of a line end.
    assume(not re.search(r"^\n", text[start:end]) or text[max(0, start - 1) : start] != "\r")
    assume(not (text[start:end].endswith("\r") and text[end : end + 1] == "\n"))
    old, new = text[start:end], data.draw(texts())
    assume(old != new)
    only_crlf = "\r\n" in text and not re.search(r"(?<!\r)\n", text)
    written = re.sub(r"\r\n|\n", "\r\n", new) if only_crlf else new
    assume(old != written)
    places = sum(text.startswith(old, at) for at in range(len(text)))
    if places > 1:
        assert f"{places} times" in fails(lambda: edit_text(text, old, new, replace_all=False))
        edited, number = edit_text(text, old, new, replace_all=True)
        assert (edited, number) == (text.replace(old, written), text.count(old))
    else:
        edited = text[:start] + written + text[end:]
        assert edit_text(text, old, new, replace_all=False) == (edited, 1)


@given(texts(), texts(), st.booleans())
def test_line_ends_of_the_model_do_not_matter_where_all_are_crlf(
    text: str, new: str, replace_all: bool
) -> None:
    text = re.sub(r"\r\n|\n|\r", "\r\n", text)
    assume("\r\n" in text)
    assume(text != re.sub(r"\r\n|\n", "\r\n", new))
    as_lf = text.replace("\r\n", "\n")
    edited, number = edit_text(text, as_lf, new, replace_all=replace_all)
    assert number == 1
    assert edited == re.sub(r"\r\n|\n", "\r\n", new)


FIELDS = {
    "created_at": ["2026-01-10T09:00:00Z", '"2026-01-10T09:00:00+09:00"', "yesterday # a guess"],
    "updated_at": ["2026-01-10T09:00:00Z", "'2026-01-11T09:00:00Z'   # x", "", ">-\n  2026-01-11"],
    "status": ["open", "'open'", "resolved # done"],
    "sources": ["[]", "[{session_id: s, range: [0, 1]}]", "\n- session_id: s\n  range: [0, 1]"],
    "owner": ["me", "|\n  a\n\n  b\n", "{a: [b, c]}"],
}


@st.composite
def records(draw: st.DrawFn) -> str:
    """Make a decision whose fields stand in any order, in several ways of writing."""
    names = draw(st.permutations(list(FIELDS)))
    kept = [n for n in names if n in {"status", "sources"} or draw(st.booleans())]
    lines = [f"{name}: {draw(st.sampled_from(FIELDS[name]))}".rstrip(" ") for name in kept]
    noise = ["# a comment", ""]
    lines += [draw(st.sampled_from(noise)) for _ in range(draw(st.integers(0, 2)))]
    text = "---\n" + "\n".join(lines) + "\n---\n" + draw(LINES) + "\n"
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return mark + text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


READER = Reader(Kinds())


def values_of(text: str) -> dict[str, object]:
    root = READER.read_text(PATH, text).composition.root
    assert root is not None
    return {key: _plain(value) for key, (_, value) in root.entries.items()}


def _plain(node: object) -> object:
    if hasattr(node, "entries"):
        return {key: _plain(value) for key, (_, value) in node.entries.items()}
    return [_plain(item) for item in node.items] if hasattr(node, "items") else node.text  # type: ignore[attr-defined]


@given(records(), st.booleans())
def test_a_stamp_changes_the_times_and_nothing_else(text: str, created: bool) -> None:
    stamped = stamp(READER.read_text(PATH, text), NOW, created=created)
    moment = "2026-03-01T12:00:00Z"
    before, after = values_of(text), values_of(stamped)
    stamps = {"created_at", "updated_at"} if created else {"updated_at"}
    assert after == {**before, **dict.fromkeys(stamps, moment)}
    # Every line that holds no time is there, in the same order.
    times = re.compile(r"(?:created|updated)_at: *[^\r\n]*(?:\r?\n  [^\r\n]*2026-01-11[^\r\n]*)?")
    left, right = times.sub("", text), times.sub("", stamped)
    assert re.sub(r"(?:\r?\n)+", "\n", left) == re.sub(r"(?:\r?\n)+", "\n", right)
    assert re.findall(r"\r?\n", stamped)[: text.count("\n")] == re.findall(r"\r?\n", text)
    assert ("\r\n" in text) == ("\r\n" in stamped)
    assert re.search(r"(?<!\r)\n", stamped) is None or "\r\n" not in text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.text(st.sampled_from("abé語🦀 .$"), min_size=1, max_size=6), min_size=1, max_size=5
    ),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.text(st.sampled_from("xyz\\$&1🐟\n"), max_size=8),
)
def test_on_disk_no_other_byte_changes(
    lines: list[str], line_end: str, mark: str, new: str
) -> None:
    body = "\n".join([*lines, "THE PLACE", *lines])
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(os.path.realpath(folder)))
        put(memory, body, line_end, mark)
        tools_of(memory).memory_edit(PATH, "THE PLACE", new)
        wanted = body.replace("THE PLACE", new).replace("\n", line_end)
        assert body_of(memory, line_end, mark) == wanted
