"""The hooks that a plugin may implement: hooks collect, the engine dispatches (section 8)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pluggy

from yoimem.lint.rule import Rule
from yoimem.records.kinds import RecordKind

if TYPE_CHECKING:
    from yoimem.lint.formatter import Formatter
    from yoimem.lint.session_reader import SessionReader

PROJECT = "yoimem"
"""The name of pluggy's project and of the one entry-point group."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def yoimem_register_rules() -> Sequence[type[Rule]]:  # type: ignore[empty-body]
    """Return rule classes: subclasses of `RecordRule` or `ProjectRule` with their `meta`."""


@hookspec
def yoimem_register_record_kinds() -> Sequence[RecordKind]:  # type: ignore[empty-body]
    """Return record kinds: schema, dataclass, places and limit of each."""


@hookspec
def yoimem_register_formatters() -> Sequence["Formatter"]:  # type: ignore[empty-body]
    """Return formatters, each with the name by which it is asked for."""


@hookspec
def yoimem_register_session_readers() -> Sequence["SessionReader"]:  # type: ignore[empty-body]
    """Return readers of session logs, each with the name of its format."""
