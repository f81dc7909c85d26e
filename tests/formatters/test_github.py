from dataclasses import replace

import pytest

from yoimem.formatters.github import GithubFormatter
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Report
from yoimem.records.text import Place

MIXED = """\
::error file=.yoi/memory/decisions/use-sqlite.md,line=4,endLine=4,col=9,endColumn=12,\
title=FM106 invalid-status::`done` is no status%0Ahelp: write one of open, resolved, replaced
::warning file=.yoi/memory/requests/検索.md,line=1,endLine=1,col=4,endColumn=4,\
title=FM013 delimiter-trailing-space::100%25 blank: after `---`, there is a blank\
%0Ahelp: take it away,%0Aor let `--fix` do it
::warning file=.yoi/memory/requests/検索.md,line=7,endLine=8,\
title=BL002 sources-overflow::11 sources
::error title=could not judge::rule ACME001 (acme 1.0) in .yoi/memory/summary.md: \
ValueError: no%0Aand no again
::error title=could not judge::plugin beta 2.0: beta does not load
"""

HOSTILE = (
    r"::error file=knowledge/a\xff<b>.md,line=2,endLine=2,col=3,endColumn=3,"
    r"title=SC002 invisible-character::\x1b[2J & U+202E \u202e in\r\n::error::"
    r"""'"<x>"%0Ahelp: see \x07 or%0A::warning::\ud800
::error title=could not judge::rule X1 in knowledge/a\xff<b>.md: \x1b[0m\x00]]>%0A::stop::
"""
)


def test_one_command_a_finding_and_a_failure(mixed_report: Report) -> None:
    assert GithubFormatter().format(mixed_report, Presentation(prefix=".yoi/")) == MIXED


def test_a_message_starts_no_command_of_its_own(hostile_report: Report) -> None:
    assert GithubFormatter().format(hostile_report, Presentation()) == HOSTILE


def test_a_clean_run_says_nothing(empty_report: Report) -> None:
    assert GithubFormatter().format(empty_report, Presentation()) == ""


def test_properties_are_escaped(mixed_report: Report) -> None:
    odd = replace(mixed_report.diagnostics[0], path="knowledge/100%,a:b.md")

    shown = GithubFormatter().format(replace(mixed_report, diagnostics=(odd,)), Presentation())

    assert shown.startswith("::error file=knowledge/100%25%2Ca%3Ab.md,line=4,")


@pytest.mark.parametrize(
    ("end", "region"),
    [
        (Place(4, 9), "line=4,endLine=4,col=9,endColumn=9"),
        (Place(4, 10), "line=4,endLine=4,col=9,endColumn=9"),
        (Place(4, 20), "line=4,endLine=4,col=9,endColumn=19"),
        (Place(5, 1), "line=4,endLine=4"),
        (Place(6, 3), "line=4,endLine=6"),
    ],
)
def test_the_end_is_part_of_the_region(mixed_report: Report, end: Place, region: str) -> None:
    moved = replace(mixed_report.diagnostics[0], end=end)

    shown = GithubFormatter().format(replace(mixed_report, diagnostics=(moved,)), Presentation())

    assert f".md,{region},title=" in shown
