from yoimem.formatters.concise import ConciseFormatter
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Report

MIXED = """\
.yoi/memory/decisions/use-sqlite.md:4:9: error: FM106 invalid-status `done` is no status
.yoi/memory/requests/検索.md:1:4: warning: FM013 delimiter-trailing-space \
100% blank: after `---`, there is a blank
.yoi/memory/requests/検索.md:7:1: warning: BL002 sources-overflow 11 sources
.yoi/memory/summary.md: failure: rule ACME001 (acme 1.0): ValueError: no\\nand no again
plugin beta 2.0: failure: beta does not load
"""

HOSTILE = (
    r"knowledge/a\xff<b>.md:2:3: error: SC002 invisible-character "
    r"""\x1b[2J & U+202E \u202e in\r\n::error::'"<x>"
knowledge/a\xff<b>.md: failure: rule X1: \x1b[0m\x00]]>\n::stop::
"""
)


def test_one_line_a_finding_and_a_failure(mixed_report: Report) -> None:
    assert ConciseFormatter().format(mixed_report, Presentation(prefix=".yoi/")) == MIXED


def test_a_line_end_in_a_message_breaks_no_line(hostile_report: Report) -> None:
    assert ConciseFormatter().format(hostile_report, Presentation()) == HOSTILE


def test_a_clean_run_says_nothing(empty_report: Report) -> None:
    assert ConciseFormatter().format(empty_report, Presentation()) == ""
