import pytest

from yoimem.lint.report import Diagnostic, Failure, Report
from yoimem.lint.rule import Edit, Fix, Severity
from yoimem.records.text import Place, Span


@pytest.fixture
def mixed_report() -> Report:
    """An error, two warnings with a safe and an unsafe fix, and two failures."""
    error = Diagnostic(
        path="memory/decisions/use-sqlite.md",
        start=Place(4, 9),
        end=Place(4, 13),
        code="FM106",
        name="invalid-status",
        severity=Severity.ERROR,
        message="`done` is no status",
        help="write one of open, resolved, replaced",
        source="status: done",
    )
    fixable = Diagnostic(
        path="memory/requests/検索.md",
        start=Place(1, 4),
        end=Place(1, 5),
        code="FM013",
        name="delimiter-trailing-space",
        severity=Severity.WARNING,
        message="100% blank: after `---`, there is a blank",
        help="take it away,\nor let `--fix` do it",
        fix=Fix("take the blank away", (Edit(Span(3, 4), ""),)),
        source="--- ",
    )
    unsafe = Diagnostic(
        path="memory/requests/検索.md",
        start=Place(7, 1),
        end=Place(9, 1),
        code="BL002",
        name="sources-overflow",
        severity=Severity.WARNING,
        message="11 sources",
        fix=Fix("keep the last 10", (Edit(Span(90, 140), "[]"),), safe=False),
        source="sources:",
    )
    crash = Failure(
        where="rule ACME001",
        plugin="acme 1.0",
        path="memory/summary.md",
        message="ValueError: no\nand no again",
        traceback="Traceback:\n  line 1\n",
    )
    missing = Failure(where="plugin beta 2.0", plugin="beta 2.0", message="beta does not load")
    return Report("/srv/web/.yoi", (error, fixable, unsafe), (crash, missing), records=3)


@pytest.fixture
def empty_report() -> Report:
    return Report("/srv/web/.yoi", (), (), records=1)


@pytest.fixture
def hostile_report() -> Report:
    """Strings that a terminal, a workflow log or an XML parser would act on."""
    diagnostic = Diagnostic(
        path="knowledge/a\udcff<b>.md",
        start=Place(2, 3),
        end=Place(2, 4),
        code="SC002",
        name="invisible-character",
        severity=Severity.ERROR,
        message='\x1b[2J & U+202E \u202e in\r\n::error::\'"<x>"',
        help="see \x07 or\n::warning::\ud800",
        source="a:\u202e\x1b]0;x\x07",
    )
    failure = Failure("rule X1", "\x1b[0m\x00]]>\n::stop::", path="knowledge/a\udcff<b>.md")
    return Report("/srv/web/.yoi", (diagnostic,), (failure,), records=1)
