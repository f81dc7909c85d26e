"""The format for GitHub Actions: workflow commands that become annotations of a change."""

from yoimem.formatters.visible import visible, visible_block
from yoimem.formatters.wording import explanation, location
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Diagnostic, Failure, Report


class GithubFormatter:
    """Writes one workflow command a finding and one a failure."""

    name = "github"

    def format(self, report: Report, shown: Presentation) -> str:
        """Return the whole text of `report`."""
        lines = [_diagnostic_command(diagnostic, shown.prefix) for diagnostic in report.diagnostics]
        lines += [_failure_command(failure, shown.prefix) for failure in report.failures]
        return "".join(f"{line}\n" for line in lines)


def _diagnostic_command(diagnostic: Diagnostic, prefix: str) -> str:
    properties = {
        "file": visible(prefix + diagnostic.path),
        **_region(diagnostic),
        "title": f"{diagnostic.code} {diagnostic.name}",
    }
    return _command(diagnostic.severity, properties, explanation(diagnostic))


def _failure_command(failure: Failure, prefix: str) -> str:
    message = f"{location(failure, prefix)}: {visible_block(failure.message)}"
    return _command("error", {"title": "could not judge"}, message)


def _region(diagnostic: Diagnostic) -> dict[str, str]:
    """Return the lines and, within one line only, the columns: GitHub takes no others.

    Its last column is part of the region, and so is its last line.
    """
    start, end = diagnostic.start, diagnostic.end
    if end.line > start.line:
        last_line = end.line - 1 if end.column == 1 else end.line
        return {"line": str(start.line), "endLine": str(last_line)}
    return {
        "line": str(start.line),
        "endLine": str(start.line),
        "col": str(start.column),
        "endColumn": str(max(start.column, end.column - 1)),
    }


def _command(name: str, properties: dict[str, str], message: str) -> str:
    joined = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    return f"::{name} {joined}::{_escape_data(message)}"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
