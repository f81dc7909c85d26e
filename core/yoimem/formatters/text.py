"""The format for people at a terminal: each finding with its line, a caret and the help."""

from collections.abc import Iterator

import click

from yoimem.formatters.excerpt import excerpt
from yoimem.formatters.visible import visible, visible_lines
from yoimem.formatters.wording import location
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Diagnostic, Failure, Report
from yoimem.lint.rule import Severity

_INDENT = " " * 4
_HELP = "help: "
_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow"}


class TextFormatter:
    """Shows findings with their source lines, then failures, then a summary."""

    name = "text"

    def format(self, report: Report, shown: Presentation) -> str:
        """Return the whole text of `report`."""
        lines = list(_body(report, shown))
        if lines:
            lines.append("")
        if lines or not shown.quiet:
            lines.append(_summary(report))
        text = "".join(f"{line}\n" for line in lines)
        return text if shown.colour else click.unstyle(text)


def _body(report: Report, shown: Presentation) -> Iterator[str]:
    for diagnostic in report.diagnostics:
        yield from _diagnostic_lines(diagnostic, shown.prefix)
    for failure in report.failures:
        yield from _failure_lines(failure, shown.prefix)


def _diagnostic_lines(diagnostic: Diagnostic, prefix: str) -> Iterator[str]:
    place = f"{diagnostic.start.line}:{diagnostic.start.column}"
    colour = _COLOURS[diagnostic.severity]
    code = click.style(diagnostic.code, fg=colour, bold=True)
    path = visible(prefix + diagnostic.path)
    yield f"{path}:{place}: {code} {diagnostic.name} {visible(diagnostic.message)}"

    shown = excerpt(diagnostic)
    number = str(diagnostic.start.line)
    mark = click.style(f"{shown.carets} {diagnostic.severity}", fg=colour)
    yield f"{_INDENT}{number} | {shown.line}".rstrip()
    yield f"{_INDENT}{' ' * len(number)} | {' ' * shown.indent}{mark}"
    if diagnostic.help:
        yield from _hanging(f"{_INDENT}{_HELP}", diagnostic.help)


def _failure_lines(failure: Failure, prefix: str) -> Iterator[str]:
    where = click.style("could not judge", fg="red", bold=True)
    first, *more = visible_lines(failure.message)
    yield f"{where}: {location(failure, prefix)}: {first}"
    details = more + (visible_lines(failure.traceback) if failure.traceback else [])
    yield from (f"{_INDENT}{line}".rstrip() for line in details)


def _hanging(label: str, text: str) -> Iterator[str]:
    """Yield the lines of `text`, the first after `label`, the others below its start."""
    first, *more = visible_lines(text)
    yield f"{label}{first}"
    yield from (f"{' ' * len(label)}{line}".rstrip() for line in more)


def _summary(report: Report) -> str:
    found = [
        _count(len(items), noun)
        for items, noun in ((report.errors, "error"), (report.warnings, "warning"))
        if items
    ]
    failed = [_count(len(report.failures), "failure")] if report.failures else []
    counts = ", ".join([*(found or ["no findings"]), *failed])
    fixable = sum(1 for d in report.diagnostics if d.fix is not None and d.fix.safe)
    offer = f"; {fixable} can be fixed with --fix" if fixable else ""
    return f"checked {_count(report.records, 'record')}: {counts}{offer}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
