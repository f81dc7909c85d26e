"""How a memory tool fails: one exception that says everything at once (design, section 10)."""

from collections.abc import Iterable
from typing import Literal

from yoimem.lint.report import Diagnostic, Report
from yoimem.tools.results import sendable

ErrorCode = Literal["invalid_argument", "not_found", "conflict", "denied", "busy", "internal"]


class MemoryToolError(Exception):
    """A tool call that changed nothing.

    `code` says of which kind the failure is, `message` everything that is wrong and how to mend it,
    `report` what the rules found, if they were asked.
    """

    def __init__(self, code: ErrorCode, message: str, report: Report | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.report = report


def refusal(report: Report, stood_before: Iterable[Diagnostic], retry: str) -> MemoryToolError:
    """Make the error of a change that the rules refuse.

    Every violation is one line with its place, its rule and the way to mend it. `stood_before`
    holds what was wrong with the record before the change; `retry` says what to do next.
    """
    if report.failures:
        lines = [f"- {failure.where}: {failure.message}" for failure in report.failures]
        head = "refused, and nothing was written: a rule failed, so no change can be let through"
        return MemoryToolError("internal", "\n".join([head, *lines]), report)
    old = {(d.code, d.subject) for d in stood_before}
    lines = [violation(d, stood_before=(d.code, d.subject) in old) for d in report.errors]
    count = f"{len(lines)} error{'s' if len(lines) > 1 else ''}"
    head = f"refused, and nothing was written: {count}"
    return MemoryToolError("invalid_argument", "\n".join([head, *lines, retry]), report)


def violation(diagnostic: Diagnostic, *, stood_before: bool = False) -> str:
    """Word one diagnostic in one line."""
    place = f"{diagnostic.path}:{diagnostic.start.line}:{diagnostic.start.column}"
    before = " (it was there before this change)" if stood_before else ""
    text = f"- {place}: {diagnostic.code} {diagnostic.name}: {diagnostic.message}{before}"
    if diagnostic.source.strip():
        text += f"; the line is `{diagnostic.source.strip()[:200]}`"
    if diagnostic.help:
        text += f"; to mend it: {' '.join(diagnostic.help.split())}"
    return sendable(text)
