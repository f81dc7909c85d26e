"""What a rule's author tests with beside the page."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.conftest import DECISION, KNOWLEDGE
from yoimem import Context, Finding, ProjectRule, RecordRule, RuleMeta, Severity, Snapshot, lint
from yoimem.lint.errors import ConfigError
from yoimem.records.record import Record
from yoimem.testing import Found, findings, workspace


class Stale(RecordRule):
    meta = RuleMeta("ACME001", "stale", Severity.WARNING, "1.0", record_kinds=("decision",))

    @dataclass(frozen=True)
    class Options:
        most_days: int = 30

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        days = (ctx.now - record.values["updated_at"]).days
        if days > ctx.options.most_days:
            yield Finding(f"{days} days old", field=("updated_at",))


class Crowded(ProjectRule):
    meta = RuleMeta("ACME002", "crowded", Severity.WARNING, "1.0")

    def check(self, snapshot: Snapshot, ctx: Context[object]) -> Iterable[Finding]:
        for path in sorted(snapshot.facts)[1:]:
            yield Finding("one too many", path=path)


class Crashes(Crowded):
    def check(self, snapshot: Snapshot, ctx: Context[object]) -> Iterable[Finding]:
        return [Finding("nowhere")]


TEXTS = {"memory/decisions/b.md": DECISION, "memory/decisions/a.md": DECISION}
MARCH = datetime(2026, 3, 1, tzinfo=UTC)


def test_findings_of_a_record_rule_in_order_and_of_no_other_rule() -> None:
    texts = {**TEXTS, "knowledge/broken.md": "no frontmatter"}
    assert findings(Stale, texts, now=MARCH) == [
        Found("memory/decisions/a.md", 3, 13, "49 days old"),
        Found("memory/decisions/b.md", 3, 13, "49 days old"),
    ]


def test_findings_under_options() -> None:
    assert findings(Stale, TEXTS, options={"most-days": 50}, now=MARCH) == []
    with pytest.raises(ConfigError, match="unknown option `days`"):
        findings(Stale, TEXTS, options={"days": 50})


def test_findings_of_a_project_rule() -> None:
    assert findings(Crowded, TEXTS) == [Found("memory/decisions/b.md", 1, 1, "one too many")]
    assert findings(Crowded, {}) == []


def test_a_rule_that_fails_has_no_findings() -> None:
    with pytest.raises(AssertionError, match="ACME002 could not be judged"):
        findings(Crashes, TEXTS)


def test_a_workspace_is_written_as_it_is_and_can_be_added_to(tmp_path: Path) -> None:
    place = workspace(tmp_path, {"memory/decisions/a.md": DECISION.replace("\n", "\r\n")})
    workspace(place, {"knowledge/b.md": KNOWLEDGE})
    assert (place / ".yoi/memory/decisions/a.md").read_bytes().count(b"\r\n") == 7
    report = lint(place)
    assert (report.records, report.diagnostics, report.failures) == (2, (), ())
    assert lint(workspace(tmp_path / "empty", {})).records == 0
