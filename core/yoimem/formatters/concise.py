"""The format for editors and `grep`: one line a finding, and nothing when nothing is found."""

from yoimem.formatters.visible import visible
from yoimem.formatters.wording import origin
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Diagnostic, Failure, Report


class ConciseFormatter:
    """Shows one line a finding and one line a failure."""

    name = "concise"

    def format(self, report: Report, shown: Presentation) -> str:
        """Return the whole text of `report`."""
        lines = [_diagnostic_line(diagnostic, shown.prefix) for diagnostic in report.diagnostics]
        lines += [_failure_line(failure, shown.prefix) for failure in report.failures]
        return "".join(f"{line}\n" for line in lines)


def _diagnostic_line(diagnostic: Diagnostic, prefix: str) -> str:
    place = f"{visible(prefix + diagnostic.path)}:{diagnostic.start.line}:{diagnostic.start.column}"
    rule = f"{diagnostic.code} {diagnostic.name}"
    return f"{place}: {diagnostic.severity}: {rule} {visible(diagnostic.message)}"


def _failure_line(failure: Failure, prefix: str) -> str:
    message = visible(failure.message)
    if failure.path is None:
        return f"{origin(failure)}: failure: {message}"
    return f"{visible(prefix + failure.path)}: failure: {origin(failure)}: {message}"
