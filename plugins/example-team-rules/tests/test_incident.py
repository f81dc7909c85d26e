"""The record kind: what the built-in rules make of its frontmatter, place and length."""

from pathlib import Path

import pytest

from yoimem import lint
from yoimem.testing import workspace

INCIDENT = """\
---
created_at: 2026-02-03T09:00:00Z
updated_at: 2026-02-04T09:00:00Z
severity: major
status: open
---
Twelve orders were lost.
"""


def codes(folder: Path, text: str) -> list[str]:
    report = lint(workspace(folder, {"memory/incidents/orders-lost.md": text}))
    assert report.failures == ()
    return [diagnostic.code for diagnostic in report.diagnostics]


def test_an_incident_passes(tmp_path: Path) -> None:
    assert codes(tmp_path, INCIDENT) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (INCIDENT.replace("severity: major\n", ""), "FM101"),
        (INCIDENT.replace("major", "huge"), "FM102"),
        (INCIDENT.replace("status: open", "status: open\nowner: me"), "FM108"),
        (INCIDENT.replace("status: open", "status: open\ndecision: none-there"), "RF001"),
        (INCIDENT + "x" * 4_000, "SZ001"),
    ],
)
def test_an_incident_is_judged_by_its_schema_and_limit(
    tmp_path: Path, text: str, code: str
) -> None:
    assert codes(tmp_path, text) == [code]
