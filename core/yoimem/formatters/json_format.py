"""The format for programs. `report.schema.json` beside this module describes it.

Strings are the records' own, not made visible: the output is ASCII, so nothing in it can act on a
terminal, and any encoding takes it.
"""

import json
from typing import Any

from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Diagnostic, Failure, Report
from yoimem.lint.rule import Fix

VERSION = 1
"""Counts up when a program that reads the format has to change."""


class JsonFormatter:
    """Writes one JSON object; its paths are relative to its `root`."""

    name = "json"

    def format(self, report: Report, shown: Presentation) -> str:
        """Return the whole text of `report`."""
        content = {
            "version": VERSION,
            "root": _root(shown.prefix),
            "paths": "root",
            "diagnostics": [_diagnostic(diagnostic) for diagnostic in report.diagnostics],
            "failures": [_failure(failure) for failure in report.failures],
            "summary": {
                "records": report.records,
                "errors": len(report.errors),
                "warnings": len(report.warnings),
                "failures": len(report.failures),
            },
        }
        return json.dumps(content, indent=2) + "\n"


def _root(prefix: str) -> str:
    if not prefix:
        return "."
    return prefix.removesuffix("/") or "/"


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "path": diagnostic.path,
        "line": diagnostic.start.line,
        "column": diagnostic.start.column,
        "end_line": diagnostic.end.line,
        "end_column": diagnostic.end.column,
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "fix": _fix(diagnostic.fix) if diagnostic.fix else None,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "title": fix.title,
        "safe": fix.safe,
        "edits": [
            {"start": edit.span.start, "end": edit.span.end, "text": edit.text}
            for edit in fix.edits
        ],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "where": failure.where,
        "plugin": failure.plugin,
        "path": failure.path,
        "message": failure.message,
    }
