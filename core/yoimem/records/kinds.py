"""The kinds of record: where each lives, its schema, its fields (design, sections 2 and 3)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from marshmallow import Schema, ValidationError, validates_schema

from yoimem.records.faults import Fault
from yoimem.records.fields import (
    Choice,
    Flag,
    Slug,
    SlugList,
    Source,
    SourceField,
    SourceList,
    Text,
    Timestamp,
)

SLUG_MARK = "<slug>"
"""What stands for the slug in a kind's place."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """The fields of the summary."""

    updated_at: datetime
    created_at: datetime | None = None
    last_rewritten_from_range: Source | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """The fields of a decision."""

    created_at: datetime
    updated_at: datetime
    sources: tuple[Source, ...]
    status: str
    replaced_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """The fields of a request."""

    created_at: datetime
    updated_at: datetime
    sources: tuple[Source, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Knowledge:
    """The fields of a knowledge record."""

    created_at: datetime
    updated_at: datetime
    last_sources: tuple[Source, ...]
    kind: str
    description: str
    model_invokation: bool
    user_invocable: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Workflow:
    """The fields of a workflow; `auto_invoke` is the older name of `model_invokation`."""

    description: str
    created_at: datetime | None = None
    updated_at: datetime | None = None
    model_invokation: bool = False
    auto_invoke: bool = False
    user_invocable: bool = True
    requires: tuple[str, ...] = ()


class SummarySchema(Schema):
    """Judges the frontmatter of the summary."""

    updated_at = Timestamp(required=True)
    created_at = Timestamp()
    last_rewritten_from_range = SourceField()


class DecisionSchema(Schema):
    """Judges the frontmatter of a decision."""

    created_at = Timestamp(required=True)
    updated_at = Timestamp(required=True)
    sources = SourceList(required=True)
    status = Choice("open", "resolved", "replaced", name="invalid-status", required=True)
    replaced_by = Slug()


class RequestSchema(Schema):
    """Judges the frontmatter of a request."""

    created_at = Timestamp(required=True)
    updated_at = Timestamp(required=True)
    sources = SourceList(required=True)


class KnowledgeSchema(Schema):
    """Judges the frontmatter of a knowledge record."""

    created_at = Timestamp(required=True)
    updated_at = Timestamp(required=True)
    last_sources = SourceList(required=True)
    kind = Text(required=True)
    description = Text(required=True)
    model_invokation = Flag(required=True)
    user_invocable = Flag(required=True)


class WorkflowSchema(Schema):
    """Judges the frontmatter of a workflow."""

    description = Text(required=True)
    created_at = Timestamp()
    updated_at = Timestamp()
    model_invokation = Flag()
    auto_invoke = Flag()
    user_invocable = Flag()
    requires = SlugList()

    @validates_schema
    def _one_meaning(self, data: Mapping[str, Any], **kwargs: object) -> None:
        older, newer = data.get("auto_invoke"), data.get("model_invokation")
        if older is None or newer is None or older == newer:
            return
        fault = Fault(
            "invalid-field",
            "it says the opposite of `model_invokation`, whose older name it is",
            "one of the two, or both alike",
        )
        raise ValidationError([fault], field_name="auto_invoke")


@dataclass(frozen=True)
class RecordKind:
    """One kind of record; a plugin adds a kind by making one.

    `name` is what rules and reports call it. `schema` judges the frontmatter, `data` is the
    dataclass that takes the fields as typed values. `places` are root-relative paths, with `<slug>`
    for the slug where it is not one fixed file. `body_limit` is the longest body in code points,
    None for no limit. `references` maps a field to the kinds of record that its slugs name.
    """

    name: str
    schema: type[Schema]
    data: type
    places: tuple[str, ...]
    body_limit: int | None = None
    references: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def loader(self) -> Schema:
        """The one instance of the schema; unknown keys are not its business."""
        return self.schema(unknown="exclude")

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The schema's fields by their names."""
        return dict(self.loader.fields)

    @cached_property
    def times(self) -> frozenset[str]:
        """The names of the fields that hold times."""
        return frozenset(name for name, f in self.fields.items() if isinstance(f, Timestamp))


SUMMARY = RecordKind("summary", SummarySchema, Summary, ("memory/summary.md",), 20_000)
DECISION = RecordKind(
    "decision",
    DecisionSchema,
    Decision,
    ("memory/decisions/<slug>.md",),
    8_000,
    {"replaced_by": ("decision",)},
)
REQUEST = RecordKind("request", RequestSchema, Request, ("memory/requests/<slug>.md",), 8_000)
KNOWLEDGE = RecordKind("knowledge", KnowledgeSchema, Knowledge, ("knowledge/<slug>.md",), 8_000)
WORKFLOW = RecordKind(
    "workflow",
    WorkflowSchema,
    Workflow,
    ("workflow/<slug>.md", "memory/workflow/<slug>.md"),
    None,
    {"requires": ("knowledge", "workflow")},
)
BUILTIN_KINDS = (SUMMARY, DECISION, REQUEST, KNOWLEDGE, WORKFLOW)


class Kinds:
    """The kinds in force, and which of them a path belongs to."""

    def __init__(self, kinds: Iterable[RecordKind] = BUILTIN_KINDS) -> None:
        self.all = tuple(kinds)
        self.by_name = {kind.name: kind for kind in self.all}
        self._files: dict[str, RecordKind] = {}
        self._folders: dict[str, RecordKind] = {}
        for kind in self.all:
            for place in kind.places:
                self._add(place, kind)
        self.folders = frozenset({"memory", "knowledge", "workflow"}) | {
            place.partition("/")[0] for place in (*self._files, *self._folders)
        }

    def of(self, path: str) -> RecordKind | None:
        """Return the kind whose place the root-relative `path` is; None when there is none."""
        if path in self._files:
            return self._files[path]
        folder, _, name = path.rpartition("/")
        return self._folders.get(folder) if name.endswith(".md") else None

    def choices(self, name: str) -> tuple[str, ...]:
        """List what the field `name` may hold in one kind or another; none where it is any text."""
        fields = [kind.fields[name] for kind in self.all if name in kind.fields]
        if not all(isinstance(known, Choice) for known in fields):
            return ()
        return tuple(dict.fromkeys(choice for known in fields for choice in known.choices))

    def _add(self, place: str, kind: RecordKind) -> None:
        folder, _, name = place.rpartition("/")
        fixed = SLUG_MARK not in place
        if not folder or not name.endswith(".md") or re.search(r"^/|(?:^|/)[._]|//|\\", place):
            raise ValueError(
                f"the place `{place}` of the record kind `{kind.name}` is not a path of a `.md`"
                " file in a folder below the root"
            )
        if not fixed and name != f"{SLUG_MARK}.md":
            raise ValueError(
                f"the place `{place}` of the record kind `{kind.name}` must end in `<slug>.md`"
            )
        other = self._folders.get(folder) if fixed else self._kind_in(folder)
        other = other or (self._files if fixed else self._folders).get(place if fixed else folder)
        if other is not None:
            raise ValueError(
                f"the record kinds `{other.name}` and `{kind.name}` share the place `{place}`"
            )
        if fixed:
            self._files[place] = kind
        else:
            self._folders[folder] = kind

    def _kind_in(self, folder: str) -> RecordKind | None:
        """Return a kind that has a fixed file in `folder`."""
        inside = (kind for file, kind in self._files.items() if file.rpartition("/")[0] == folder)
        return next(inside, None)
