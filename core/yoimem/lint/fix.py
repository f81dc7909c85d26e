"""Applying fixes: edits of a record's text, so that every byte outside them stays as it is."""

from collections.abc import Callable, Iterable

from yoimem.lint.report import Diagnostic
from yoimem.lint.rule import Edit, Fix, Severity

_MOST_ROUNDS = 10


def apply_fixes(text: str, fixes: Iterable[Fix]) -> str:
    """Return `text` with `fixes` applied, in the order given.

    A fix is applied whole or not at all: one that touches what an earlier one changed waits for the
    next round.
    """
    taken: list[Edit] = []
    for fix in fixes:
        if not any(_meet(edit, other) for edit in fix.edits for other in taken):
            taken += fix.edits
    for edit in sorted(taken, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def mend(text: str, judge: Callable[[str], Iterable[Diagnostic]], *, unsafe: bool = False) -> str:
    """Return `text` with the fixes of what `judge` finds in it applied, until none is left.

    Unsafe fixes, which may change what the record means, are applied only when asked for. A round
    that brings a new error is not kept, and fixes that never come to rest change nothing.
    """
    mended = text
    found = list(judge(text))
    for _ in range(_MOST_ROUNDS):
        fixes = [d.fix for d in found if d.fix is not None and (d.fix.safe or unsafe)]
        tried = apply_fixes(mended, fixes)
        if tried == mended:
            return mended
        after = list(judge(tried))
        if not _errors(after) <= _errors(found):
            return mended
        mended, found = tried, after
    return text


def _errors(found: Iterable[Diagnostic]) -> set[tuple[str, str]]:
    return {(d.code, d.subject) for d in found if d.severity is Severity.ERROR}


def _meet(edit: Edit, other: Edit) -> bool:
    """Tell whether two edits touch the same place; two insertions at one place do."""
    if edit.span == other.span:
        return True
    return edit.span.start < other.span.end and other.span.start < edit.span.end
