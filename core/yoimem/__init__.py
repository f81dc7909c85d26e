"""The memory of a coding agent, kept in the repository, and one set of rules that judges it.

`lint` and `lint_text` judge; the rest is what a plugin needs.
"""

from yoimem.lint.api import lint, lint_text
from yoimem.lint.errors import ConfigError
from yoimem.lint.evidence import Evidence
from yoimem.lint.formatter import Formatter, Presentation
from yoimem.lint.hookspecs import hookimpl
from yoimem.lint.report import Diagnostic, Failure, Report
from yoimem.lint.rule import (
    Context,
    Edit,
    Finding,
    Fix,
    NoOptions,
    ProjectRule,
    RecordRule,
    RuleMeta,
    Severity,
)
from yoimem.lint.session_reader import SessionEntry, SessionReader
from yoimem.records.kinds import RecordKind
from yoimem.records.record import Record
from yoimem.records.text import Span
from yoimem.workspace.layout import RootNotFoundError
from yoimem.workspace.snapshot import Snapshot

__all__ = [
    "ConfigError",
    "Context",
    "Diagnostic",
    "Edit",
    "Evidence",
    "Failure",
    "Finding",
    "Fix",
    "Formatter",
    "NoOptions",
    "Presentation",
    "ProjectRule",
    "Record",
    "RecordKind",
    "RecordRule",
    "Report",
    "RootNotFoundError",
    "RuleMeta",
    "SessionEntry",
    "SessionReader",
    "Severity",
    "Snapshot",
    "Span",
    "hookimpl",
    "lint",
    "lint_text",
]
