from dataclasses import replace

import click

from yoimem.formatters.text import TextFormatter
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Report

MIXED = """\
.yoi/memory/decisions/use-sqlite.md:4:9: FM106 invalid-status `done` is no status
    4 | status: done
      |         ^^^^ error
    help: write one of open, resolved, replaced
.yoi/memory/requests/検索.md:1:4: FM013 delimiter-trailing-space \
100% blank: after `---`, there is a blank
    1 | ---
      |    ^ warning
    help: take it away,
          or let `--fix` do it
.yoi/memory/requests/検索.md:7:1: BL002 sources-overflow 11 sources
    7 | sources:
      | ^^^^^^^^ warning
could not judge: rule ACME001 (acme 1.0) in .yoi/memory/summary.md: ValueError: no
    and no again
    Traceback:
      line 1
could not judge: plugin beta 2.0: beta does not load

checked 3 records: 1 error, 2 warnings, 2 failures; 1 can be fixed with --fix
"""

HOSTILE = (
    r"knowledge/a\xff<b>.md:2:3: SC002 invisible-character "
    r"""\x1b[2J & U+202E \u202e in\r\n::error::'"<x>"
    2 | a:\u202e\x1b]0;x\x07
      |   ^^^^^^ error
    help: see \x07 or
          ::warning::\ud800
could not judge: rule X1 in knowledge/a\xff<b>.md: \x1b[0m\x00]]>
    ::stop::

checked 1 record: 1 error, 1 failure
"""
)


def test_findings_then_failures_then_a_summary(mixed_report: Report) -> None:
    assert TextFormatter().format(mixed_report, Presentation(prefix=".yoi/")) == MIXED


def test_nothing_reaches_the_terminal_raw(hostile_report: Report) -> None:
    assert TextFormatter().format(hostile_report, Presentation()) == HOSTILE


def test_colour_marks_severity_carets_and_codes_alone(mixed_report: Report) -> None:
    coloured = TextFormatter().format(mixed_report, Presentation(prefix=".yoi/", colour=True))

    assert click.unstyle(coloured) == MIXED
    assert click.style("FM106", fg="red", bold=True) in coloured
    assert click.style("^^^^ error", fg="red") in coloured
    assert click.style("FM013", fg="yellow", bold=True) in coloured
    assert click.style("^ warning", fg="yellow") in coloured


def test_a_clean_run_has_a_summary(empty_report: Report) -> None:
    shown = TextFormatter().format(empty_report, Presentation())

    assert shown == "checked 1 record: no findings\n"


def test_a_clean_run_that_is_quiet_says_nothing(empty_report: Report) -> None:
    assert TextFormatter().format(empty_report, Presentation(quiet=True)) == ""


def test_a_quiet_run_with_findings_keeps_its_summary(mixed_report: Report) -> None:
    shown = TextFormatter().format(mixed_report, Presentation(prefix=".yoi/", quiet=True))

    assert shown == MIXED


def test_a_quiet_run_that_only_failed_is_not_silent(mixed_report: Report) -> None:
    failed = Report(mixed_report.root, (), mixed_report.failures[1:], records=0)

    assert TextFormatter().format(failed, Presentation(quiet=True)) == (
        "could not judge: plugin beta 2.0: beta does not load\n"
        "\n"
        "checked 0 records: no findings, 1 failure\n"
    )


def test_line_numbers_widen_the_gutter(mixed_report: Report) -> None:
    error = mixed_report.diagnostics[0]
    far = replace(error, start=error.start._replace(line=1234), end=error.end._replace(line=1234))

    shown = TextFormatter().format(replace(mixed_report, diagnostics=(far,)), Presentation())

    assert shown.splitlines()[1:3] == [
        "    1234 | status: done",
        "         |         ^^^^ error",
    ]
