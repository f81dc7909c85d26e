"""Stamping findings: what a rule yields is looked at, and becomes a diagnostic."""

from yoimem.lint.report import Diagnostic
from yoimem.lint.rule import Edit, Finding, Fix
from yoimem.lint.ruleset import ActiveRule
from yoimem.records.record import Record
from yoimem.records.text import Span


def stamp(active: ActiveRule, finding: Finding, record: Record) -> Diagnostic:
    """Return `finding` of the rule `active` as a diagnostic of `record`.

    Raises:
        ValueError: it, or an edit of its fix, lies outside the text.
    """
    span = _span_of(finding, record)
    start, end = record.lines.place(span.start), record.lines.place(span.end)
    return Diagnostic(
        path=record.path,
        start=start,
        end=end,
        code=active.meta.code,
        name=active.meta.name,
        severity=active.severity,
        message=finding.message,
        help=finding.help,
        fix=finding.fix,
        subject=finding.subject,
        source=record.lines.text(start.line),
    )


def checked(finding: object) -> Finding:
    """Return what a rule yielded, if it is a finding.

    Raises:
        TypeError: it is something else, or a part of it is of a wrong type.
    """
    if not isinstance(finding, Finding):
        raise TypeError(f"a rule yields findings, not {finding!r}")
    if not isinstance(finding.message, str):
        raise TypeError(f"the message of a finding is a text, not {finding.message!r}")
    if not isinstance(finding.help, str | None):
        raise TypeError(f"the help of a finding is a text or None, not {finding.help!r}")
    if not isinstance(finding.subject, str):
        raise TypeError(f"the subject of a finding is a text, not {finding.subject!r}")
    if not isinstance(finding.fix, Fix | None):
        raise TypeError(f"the fix of a finding is a Fix or None, not {finding.fix!r}")
    if finding.fix is not None:
        _check_fix(finding.fix)
    return finding


def _check_fix(fix: Fix) -> None:
    if not isinstance(fix.title, str):
        raise TypeError(f"the title of a fix is a text, not {fix.title!r}")
    for edit in fix.edits:
        if not isinstance(edit, Edit) or not isinstance(edit.text, str):
            raise TypeError(f"a fix holds edits with a text, not {edit!r}")


def _span_of(finding: Finding, record: Record) -> Span:
    for edit in finding.fix.edits if finding.fix else ():
        require_inside(edit.span, record)
    if finding.field:
        return record.span(*finding.field)
    span = finding.span or record.first_line
    require_inside(span, record)
    return span


def require_inside(span: Span, record: Record) -> None:
    """Let `span` pass if it lies in the text of `record`.

    Raises:
        ValueError: it does not.
    """
    if not (isinstance(span, Span) and type(span.start) is int and type(span.end) is int):
        raise TypeError(f"a span holds two whole numbers, and is not {span!r}")
    if not 0 <= span.start <= span.end <= len(record.text):
        raise ValueError(
            f"a finding is at {span.start} to {span.end}, outside the text of"
            f" {len(record.text)} characters"
        )
