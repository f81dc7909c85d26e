"""The format for test viewers of CI systems: JUnit XML.

An error is a failed test and a failure of the run is a test in error. A warning is a skipped test:
viewers show those with their message, and do not turn a run red that the exit code calls green.
A clean run has one passed test, for viewers that take an empty suite for a broken one.
"""

from collections.abc import Mapping
from html import escape

from yoimem.formatters.visible import visible, visible_block
from yoimem.formatters.wording import explanation, origin
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Diagnostic, Failure, Report
from yoimem.lint.rule import Severity

_OUTCOMES = {Severity.ERROR: "failure", Severity.WARNING: "skipped"}


class JunitFormatter:
    """Writes one test suite with a test case for each finding and each failure."""

    name = "junit"

    def format(self, report: Report, shown: Presentation) -> str:
        """Return the whole text of `report`."""
        cases = [_diagnostic_case(diagnostic, shown.prefix) for diagnostic in report.diagnostics]
        cases += [_failure_case(failure, shown.prefix) for failure in report.failures]
        if not cases:
            cases = [_start_tag("testcase", {"classname": "yoimem", "name": "no findings"}, "/")]
        counts = {
            "tests": len(cases),
            "failures": len(report.errors),
            "errors": len(report.failures),
            "skipped": len(report.warnings),
        }
        suite = _start_tag("testsuite", {"name": "yoimem", **counts})
        lines = [
            '<?xml version="1.0" encoding="utf-8"?>',
            "<testsuites>",
            suite,
            *cases,
            "</testsuite>",
            "</testsuites>",
        ]
        return "".join(f"{line}\n" for line in lines)


def _diagnostic_case(diagnostic: Diagnostic, prefix: str) -> str:
    path = visible(prefix + diagnostic.path)
    place = f"{diagnostic.start.line}:{diagnostic.start.column}"
    case = {
        "classname": path,
        "name": f"{diagnostic.code} {diagnostic.name} at {place}",
        "file": path,
        "line": diagnostic.start.line,
    }
    outcome = _OUTCOMES[diagnostic.severity]
    details = {"type": diagnostic.severity, "message": visible(diagnostic.message)}
    return _case(case, outcome, details, f"{path}:{place}: {explanation(diagnostic)}")


def _failure_case(failure: Failure, prefix: str) -> str:
    path = "yoimem" if failure.path is None else visible(prefix + failure.path)
    details = {"type": "failure", "message": visible(failure.message)}
    text = visible_block(f"{failure.message}\n{failure.traceback}")
    return _case({"classname": path, "name": origin(failure)}, "error", details, text)


def _case(
    case: Mapping[str, object], outcome: str, details: Mapping[str, object], text: str
) -> str:
    start = _start_tag("testcase", case) + _start_tag(outcome, details)
    return f"{start}{escape(text)}</{outcome}></testcase>"


def _start_tag(name: str, attributes: Mapping[str, object], end: str = "") -> str:
    joined = " ".join(f'{key}="{escape(str(value))}"' for key, value in attributes.items())
    return f"<{name} {joined}{end}>"
