"""What a rule is, what it is told, and what it yields."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Generic, Literal, TypeVar

from yoimem.lint.evidence import Evidence
from yoimem.records.record import Record
from yoimem.records.text import Span
from yoimem.workspace.snapshot import Snapshot

Actor = Literal["human", "agent", "consolidator"]
Operation = Literal["check", "create", "update", "delete"]
FieldPath = tuple[str | int, ...]
OptionsT_co = TypeVar("OptionsT_co", covariant=True)


class Severity(StrEnum):
    """How grave it is: an `ERROR` fails the run and closes the gate, a `WARNING` does not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` in the place of `span`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits of the record's text that mend a finding.

    `title` says what the `edits` do. A `safe` fix cannot change what the record means.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule yields; the engine stamps it with code, name, severity and path.

    `message` says what is wrong, `help` how to mend it, and `fix` mends it by itself. `span` or
    `field` says where: a stretch of the record's text, or the path of a frontmatter field
    (`("sources", 0, "range")`) that the engine looks up. Without either it is the first line.
    `path` names the record, and only a project rule gives it. `subject` tells apart two findings of
    one rule in one record, whatever their lines: the slug or the field they speak of. `hide` holds
    the stretches of the record's text that no output may show: the engine masks them in everything
    that the run says.
    """

    message: str
    span: Span | None = None
    help: str | None = None
    fix: Fix | None = None
    subject: str = ""
    field: FieldPath = ()
    path: str | None = None
    hide: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleMeta:
    """What is fixed about a rule.

    `code` is for ever (`ACME001`), `name` is what people read (`rationale-missing`), `severity` is
    what a configuration may change, `since` the version that brought the rule. `record_kinds` names
    the kinds that a record rule is asked about (empty: all, and files of no kind too), `operations`
    the operations; project rules are asked about all of both. `depends_on` says what the answer
    rests on, for the gate and the cache: `record` (the judged record alone), `slugs` (every slug),
    `body` (every record's `#slug`s), or the names of the fields that it follows. `aliases` holds
    the names it had before.
    """

    code: str
    name: str
    severity: Severity
    since: str
    record_kinds: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ("check", "create", "update")
    depends_on: tuple[str, ...] = ("record",)
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context(Generic[OptionsT_co]):
    """What a rule is told beside the thing it judges (design, section 6).

    `options` are the rule's, as configured. `now` is the time, which a rule never asks the clock
    for. `actor` is who writes, `operation` what is done. `changed` holds the overlaid paths, or
    None when everything is judged: a project rule yields only what they can alter. `before` is the
    record before the change. `evidence` is what a run of the consolidator injects
    (staged sources, candidates, frequencies), None otherwise.
    """

    options: OptionsT_co
    now: datetime
    actor: Actor = "human"
    operation: Operation = "check"
    changed: frozenset[str] | None = None
    before: Record | None = None
    evidence: Evidence | None = None


@dataclass(frozen=True)
class NoOptions:
    """The options of a rule that has none."""


class Rule:
    """What record rules and project rules share. A rule holds no state and touches no disk.

    `meta` says what is fixed about it. `Options` is a frozen dataclass with defaults: what a
    configuration may set, as an int, float, bool, str or tuple[str, ...].
    """

    meta: ClassVar[RuleMeta]
    Options: ClassVar[type] = NoOptions


class RecordRule(Rule):
    """Judges one record by itself.

    A rule that only words what the reader could not use sets `only_problems`, and is not asked
    about records without a problem.
    """

    only_problems: ClassVar[bool] = False

    def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
        """Yield what is wrong with `record`."""
        raise NotImplementedError


class ProjectRule(Rule):
    """Judges records against each other."""

    def check(self, snapshot: Snapshot, ctx: Context[Any]) -> Iterable[Finding]:
        """Yield what is wrong among the records of `snapshot`, each finding with its `path`."""
        raise NotImplementedError
