"""Masking: what a finding hides (`Finding.hide`) shows in no output of its run."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from yoimem.lint.report import Diagnostic, Failure
from yoimem.lint.rule import Fix

_FRAGMENT = 6
"""How much of a secret counts as the secret: messages cut, wrap and escape what they quote."""

_SHORTEST = 2
"""What is hidden and shorter than this is no secret; to mask it would garble every message."""

_SHOWN = 4
_SHOWN_FROM = 12
"""The first characters of a secret this long are shown, to tell which one it is."""


class Mask:
    """Masks secrets, whole or in part, wherever they stand in a text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # By their length, the fragments that are masked, with how much of each is shown.
        self._fragments: dict[int, dict[str, int]] = {}
        for secret in secrets:
            self._add(secret)

    def __bool__(self) -> bool:
        return bool(self._fragments)

    def text(self, text: str) -> str:
        """Return `text` with `…` for each secret, behind its first characters."""
        return self._masked(text, lambda length: "…")

    def source(self, text: str) -> str:
        """Return a line of a record with `*` for each masked character: columns stay right."""
        return self._masked(text, lambda length: "*" * length)

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return `diagnostic` without secrets; a fix that would repeat one is dropped."""
        return replace(
            diagnostic,
            message=self.text(diagnostic.message),
            help=diagnostic.help and self.text(diagnostic.help),
            fix=diagnostic.fix and self._fix(diagnostic.fix),
            subject=self.text(diagnostic.subject),
            source=self.source(diagnostic.source),
        )

    def failure(self, failure: Failure) -> Failure:
        """Return `failure` without secrets."""
        return replace(
            failure, message=self.text(failure.message), traceback=self.text(failure.traceback)
        )

    def _add(self, secret: str) -> None:
        if len(secret) < _SHORTEST:  # every other word would hold it
            return
        size = min(len(secret), _FRAGMENT)
        known = self._fragments.setdefault(size, {})
        fragments = (secret[at : at + size] for at in range(len(secret) - size + 1))
        for fragment in fragments:
            if not fragment.isspace():
                known.setdefault(fragment, 0)
        if len(secret) >= _SHOWN_FROM:
            known[secret[:size]] = _SHOWN

    def _fix(self, fix: Fix) -> Fix | None:
        repeats = any(self.source(edit.text) != edit.text for edit in fix.edits)
        return None if repeats else replace(fix, title=self.text(fix.title))

    def _masked(self, text: str, cover: Callable[[int], str]) -> str:
        masked = self._marks(text)
        parts: list[str] = []
        at = 0
        while at < len(text):
            start = masked.find(1, at)
            if start < 0:
                break
            end = masked.find(0, start)
            end = len(text) if end < 0 else end
            parts += [text[at:start], cover(end - start)]
            at = end
        return "".join([*parts, text[at:]])

    def _marks(self, text: str) -> bytearray:
        """Return a 1 for each character of `text` that is masked, a 0 for each that is shown."""
        marks = bytearray(len(text))
        for size, known in self._fragments.items():
            heads: list[tuple[int, int]] = []
            for at in range(len(text) - size + 1):
                shown = known.get(text[at : at + size])
                if shown is None:
                    continue
                if not marks[at]:
                    heads.append((at, shown))
                marks[at : at + size] = b"\1" * size
            for at, shown in heads:
                marks[at : at + shown] = b"\0" * shown
        return marks
