"""The output format."""

from pathlib import Path

from example_team_rules.markdown_table import MarkdownTable
from yoimem import Failure, Presentation, Report, lint
from yoimem.testing import workspace


def test_findings_and_failures_are_rows(tmp_path: Path) -> None:
    found = lint(workspace(tmp_path, {"knowledge/a|b.md": "no frontmatter"})).diagnostics
    report = Report(str(tmp_path), found, (Failure("rule ACME009", "it\nfailed"),), 1)
    text = MarkdownTable().format(report, Presentation(prefix=".yoi/"))
    head, _, *rows = text.splitlines()
    assert head == "| place | rule | severity | message |"
    assert [row.split(" | ")[0] for row in rows[:-1]] == [
        f"| .yoi/knowledge/a\\|b.md:{d.start.line}" for d in found
    ]
    assert rows[-1] == "|  | rule ACME009 | failure | it failed |"


def test_a_clean_report_is_no_table() -> None:
    assert MarkdownTable().format(Report(".", (), (), 3), Presentation()) == ""
