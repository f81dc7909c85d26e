"""Fixes change what they say, and no other byte."""

from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DECISION, Memory
from yoimem import Edit, Fix, Span
from yoimem.lint.api import mend_records
from yoimem.lint.fix import apply_fixes


@st.composite
def text_and_fixes(draw: st.DrawFn) -> tuple[str, list[Fix]]:
    text = draw(st.text(min_size=1, max_size=40))
    places = st.integers(0, len(text))
    spans = draw(st.lists(st.tuples(places, places), max_size=5))
    edits = [Edit(Span(min(pair), max(pair)), draw(st.text(max_size=3))) for pair in spans]
    return text, [Fix("mend", (edit,)) for edit in edits]


@given(text_and_fixes())
def test_the_text_between_the_edits_stays(given_: tuple[str, list[Fix]]) -> None:
    text, fixes = given_
    result = apply_fixes(text, fixes)
    taken: list[Edit] = []
    for fix in fixes:
        (edit,) = fix.edits
        others = (o.span for o in taken)
        if all(
            (edit.span.end <= o.start or o.end <= edit.span.start) and edit.span != o
            for o in others
        ):
            taken.append(edit)
    rest, at = [], 0
    for edit in sorted(taken, key=lambda e: e.span):
        rest += [text[at : edit.span.start], edit.text]
        at = edit.span.end
    assert result == "".join([*rest, text[at:]])


def test_a_fix_is_applied_whole_or_not_at_all() -> None:
    first = Fix("a", (Edit(Span(0, 2), "X"),))
    second = Fix("b", (Edit(Span(1, 3), "Y"), Edit(Span(5, 6), "Z")))
    assert apply_fixes("abcdef", [first, second]) == "Xcdef"


def test_records_are_mended_byte_for_byte(memory: Memory) -> None:
    text = "\ufeff" + DECISION.replace("\n", "\r\n").replace("---\r\n", "--- \r\n", 1) + "a\u200bb"
    memory.write("memory/decisions/a.md", text)
    (change,) = mend_records(memory.root)
    assert change.after.decode() == DECISION.replace("\n", "\r\n") + "ab"


def test_unsafe_fixes_wait_to_be_asked_for(memory: Memory) -> None:
    text = "---\ndescription: Cutover of PR #81, tests missing\n---\nx\n"
    memory.write("workflow/a.md", text)
    assert list(mend_records(memory.root)) == []
    (change,) = mend_records(memory.root, unsafe=True)
    assert b"description: 'Cutover of PR #81, tests missing'\n" in change.after
