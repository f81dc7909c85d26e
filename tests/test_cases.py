"""Inputs that broke other tools, with the right answer (tests/cases/records.jsonl)."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from yoimem import Report, lint
from yoimem.testing import write_file

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "records.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case_has_exactly_the_expected_findings(case: dict[str, Any], tmp_path: Path) -> None:
    root = tmp_path / ".yoi"
    for path, text in case["files"].items():
        write_file(root, path, text)
    lint(root)  # so that no import is timed below

    start = time.perf_counter()
    report = lint(root)
    seconds = time.perf_counter() - start

    assert report.failures == ()
    assert sorted(map(_wanted, case["expect"])) == sorted(_found(report, case))
    for expected in case["expect"]:
        _assert_details(expected, report)
        assert seconds < expected.get("max_seconds", 60)


def _wanted(expected: dict[str, Any]) -> tuple[str, str, str]:
    return (expected["path"], expected["name"], expected["severity"])


def _found(report: Report, case: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (d.path, d.name, str(d.severity))
        for d in report.diagnostics
        if d.name not in case["also_allowed"]
    ]


def _assert_details(expected: dict[str, Any], report: Report) -> None:
    candidates = [
        d for d in report.diagnostics if (d.path, d.name) == (expected["path"], expected["name"])
    ]
    assert any(
        d.start.line == expected.get("line", d.start.line)
        and d.start.column == expected.get("column", d.start.column)
        and all(part in d.message for part in expected.get("message_has", ()))
        for d in candidates
    ), [(d.start, d.message) for d in candidates]
