"""The format for code scanning: SARIF 2.1.0."""

import json
from typing import Any
from urllib.parse import quote

from yoimem.formatters.visible import visible_block
from yoimem.formatters.wording import explanation, origin
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Diagnostic, Failure, Report
from yoimem.lint.rule import Fix

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


class SarifFormatter:
    """Writes one SARIF log with one run; failures are notifications of its invocation."""

    name = "sarif"

    def format(self, report: Report, shown: Presentation) -> str:
        """Return the whole text of `report`."""
        log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, shown.prefix)]}
        return json.dumps(log, indent=2) + "\n"


def _run(report: Report, prefix: str) -> dict[str, Any]:
    names = {diagnostic.code: diagnostic.name for diagnostic in report.diagnostics}
    codes = sorted(names)
    indices = {code: index for index, code in enumerate(codes)}
    return {
        "tool": {"driver": {"name": "yoimem", "rules": [_rule(c, names[c]) for c in codes]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not report.failures,
                "toolExecutionNotifications": [
                    _notification(failure, prefix) for failure in report.failures
                ],
            }
        ],
        "results": [_result(d, indices[d.code], prefix) for d in report.diagnostics],
    }


def _rule(code: str, name: str) -> dict[str, Any]:
    return {"id": code, "name": name, "shortDescription": {"text": name.replace("-", " ")}}


def _result(diagnostic: Diagnostic, rule_index: int, prefix: str) -> dict[str, Any]:
    artifact = _artifact(prefix + diagnostic.path)
    region = {
        "startLine": diagnostic.start.line,
        "startColumn": diagnostic.start.column,
        "endLine": diagnostic.end.line,
        "endColumn": diagnostic.end.column,
    }
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule_index,
        "level": diagnostic.severity,
        "message": {"text": explanation(diagnostic)},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
    }
    if diagnostic.fix is not None and diagnostic.fix.safe:
        result["fixes"] = [_fix(diagnostic.fix, artifact)]
    return result


def _fix(fix: Fix, artifact: dict[str, str]) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": {
                "charOffset": edit.span.start,
                "charLength": edit.span.end - edit.span.start,
            },
            "insertedContent": {"text": edit.text},
        }
        for edit in fix.edits
    ]
    return {
        "description": {"text": fix.title},
        "artifactChanges": [{"artifactLocation": artifact, "replacements": replacements}],
    }


def _notification(failure: Failure, prefix: str) -> dict[str, Any]:
    notification: dict[str, Any] = {
        "level": "error",
        "message": {"text": f"{origin(failure)}: {visible_block(failure.message)}"},
    }
    if failure.path is not None:
        artifact = _artifact(prefix + failure.path)
        notification["locations"] = [{"physicalLocation": {"artifactLocation": artifact}}]
    return notification


def _artifact(path: str) -> dict[str, str]:
    """Return the location of `path` as a relative URI; bytes that are not UTF-8 stay themselves."""
    return {"uri": "".join(map(_quote, path))}


def _quote(character: str) -> str:
    is_byte = "\udc80" <= character <= "\udcff"
    return quote(character, errors="surrogateescape" if is_byte else "surrogatepass")
