"""Hands to yoimem what this plugin adds; the entry point in `pyproject.toml` names this module."""

from example_team_rules.incident import INCIDENT
from example_team_rules.incident_closed_early import IncidentClosedEarly
from example_team_rules.markdown_table import MarkdownTable
from example_team_rules.rationale_missing import RationaleMissing
from yoimem import Formatter, ProjectRule, RecordKind, RecordRule, hookimpl


@hookimpl
def yoimem_register_rules() -> list[type[RecordRule | ProjectRule]]:
    """Return the rules."""
    return [RationaleMissing, IncidentClosedEarly]


@hookimpl
def yoimem_register_record_kinds() -> list[RecordKind]:
    """Return the kinds of record."""
    return [INCIDENT]


@hookimpl
def yoimem_register_formatters() -> list[Formatter]:
    """Return the output formats."""
    return [MarkdownTable()]
