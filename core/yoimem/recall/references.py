"""Expanding `#slug` and `/slug` in what a person or a model says (design, section 12).

The text stays as it was written, so that its sentences read on; the records that it names follow
below it, each once, in the order in which they are named. A `#slug` in a record that was brought in
is not followed: one name would draw in half the memory, and whoever reads it can ask for more.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from yoimem.lint.words import nearest
from yoimem.recall.library import Library
from yoimem.records.markdown import needs_record, references
from yoimem.records.record import Record

Invoker = Literal["user", "model"]

_WORKFLOW = re.compile(r"\s*/([a-z0-9][a-z0-9-]*)(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Note:
    """What was not brought in, and why: `slug` with its `#` or `/`, `why` in words."""

    slug: str
    why: str


@dataclass(frozen=True, slots=True)
class Expansion:
    """A text with the records that it names.

    `text` is the whole, `added` what stands below the text as it was given. `records` are those
    that were brought in. `refused` are those that may not be, or cannot be read; `unknown` are
    names that look like one of a record and are none.
    """

    text: str
    added: str
    records: tuple[Record, ...]
    refused: tuple[Note, ...]
    unknown: tuple[Note, ...]


def expand(library: Library, text: str, invoker: Invoker = "user") -> Expansion:
    """Return `text` with the knowledge that its `#slug`s name, and the workflow of its `/slug`.

    A `/slug` counts at the beginning alone, where it names a workflow; what the workflow requires
    comes before it. What `invoker` may not call is refused: to a user what has
    `user_invocable: false`, to a model a workflow without `model_invokation`.
    """
    gathered = _Gathered(library, invoker)
    begun = _WORKFLOW.match(text)
    if begun is not None:
        gathered.add_workflow(begun.group(1))
    for reference in references(text):
        gathered.add_knowledge(reference.slug)
    added = "\n\n".join([*map(_section, gathered.records), *_refusals(gathered.refused)])
    whole = f"{text.rstrip()}\n\n{added}\n" if added else text
    return Expansion(
        whole,
        added,
        tuple(gathered.records),
        tuple(gathered.refused),
        tuple(gathered.unknown),
    )


@dataclass(slots=True)
class _Gathered:
    """What the names in a text lead to."""

    library: Library
    invoker: Invoker
    records: list[Record] = field(default_factory=list)
    refused: list[Note] = field(default_factory=list)
    unknown: list[Note] = field(default_factory=list)

    def add_knowledge(self, slug: str) -> None:
        """Bring in the knowledge that `#slug` names."""
        found = self.library.named(slug, "knowledge")
        if found:
            self._add_called(found[0], f"#{slug}")
        elif not needs_record(slug):
            self._note_unknown(f"#{slug}", self.library.slugs("knowledge"))

    def add_workflow(self, slug: str) -> None:
        """Bring in the workflow that `/slug` names, after all that it requires."""
        found = self.library.named(slug, "workflow")
        if not found:
            self._note_unknown(f"/{slug}", self.library.slugs("workflow"))
            return
        why = _refusal(found[0], self.invoker)
        if why:
            self.refused.append(Note(f"/{slug}", why))
            return
        for record in self._required(found[0], (slug,)):
            self._add(record)
        self._add(found[0])

    def _required(self, workflow: Record, way: tuple[str, ...]) -> Iterator[Record]:
        """Yield what `workflow` requires, in order; `way` are the slugs that led to it."""
        for slug in workflow.values.get("requires", ()):
            if slug in way:
                chain = " -> ".join((*way, slug))
                self.refused.append(Note(f"/{slug}", f"it requires itself: {chain}"))
                continue
            found = self.library.named(slug, "knowledge", "workflow")
            if not found:
                why = f"the workflow `{way[-1]}` requires it, and there is no such record"
                self.refused.append(Note(f"/{slug}", why))
                continue
            if fault := _fault(found[0]):
                self.refused.append(Note(f"/{slug}", fault))
                continue
            if found[0].kind_name == "workflow":
                yield from self._required(found[0], (*way, slug))
            yield found[0]

    def _add_called(self, record: Record, name: str) -> None:
        why = _refusal(record, self.invoker)
        if not why:
            self._add(record)
        elif all(note.slug != name for note in self.refused):
            self.refused.append(Note(name, why))

    def _add(self, record: Record) -> None:
        if all(record.path != known.path for known in self.records):
            self.records.append(record)

    def _note_unknown(self, name: str, slugs: list[str]) -> None:
        near = nearest(name[1:], slugs)
        hint = f"; did you mean `{name[0]}{near}`?" if near else ""
        note = Note(name, f"there is no such record{hint}")
        if note not in self.unknown:
            self.unknown.append(note)


def _refusal(record: Record, invoker: Invoker) -> str:
    """Say why `invoker` does not get `record`; empty when it does."""
    if fault := _fault(record):
        return fault
    is_workflow = record.kind_name == "workflow"
    if invoker == "user" and not record.values.get("user_invocable", is_workflow):
        return "it has `user_invocable: false`, and users cannot call it"
    if invoker == "model" and is_workflow and not record.invoked_by_model:
        return "it has no `model_invokation: true`, and models cannot call it"
    return ""


def _fault(record: Record) -> str:
    """Say why a record cannot be trusted to be what it was meant to be; empty when it can."""
    if not record.problems:
        return ""
    return f"{record.path} cannot be read as a record; `yoimem check` says why"


def _section(record: Record) -> str:
    mark = "/" if record.kind_name == "workflow" else "#"
    description = " ".join(str(record.values.get("description", "")).split())
    return f"## {mark}{record.slug}: {description}\n\n{record.body.strip()}"


def _refusals(notes: list[Note]) -> list[str]:
    if not notes:
        return []
    return ["\n".join(["Not given:", *(f"- {note.slug}: {note.why}" for note in notes)])]
