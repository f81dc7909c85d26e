"""Expanding `#slug` and `/slug` in what a person or a model says (design, section 12).

The text stays as it was written, so that its sentences read on; the records that it names follow
below it, each once, in the order in which they are named. A `#slug` in a record that was brought in
is not followed: one name would draw in half the memory, and whoever reads it can ask for more.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from yoimem.lint.words import nearest
from yoimem.recall.library import Library, described
from yoimem.records.markdown import needs_record, references
from yoimem.records.record import Record

Invoker = Literal["user", "model"]

KIND_OF_MARK = {"#": "knowledge", "/": "workflow"}
"""What stands before a slug, and the kind of record that it then names."""

_OTHER_MARK = {"#": "/", "/": "#"}
_WORKFLOW = re.compile(r"\s*/([a-z0-9][a-z0-9-]*)(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Note:
    """What was not brought in, and why: `slug` with its `#` or `/`, `why` in words.

    `meant` is the name that was likely meant, empty where none is near.
    """

    slug: str
    why: str
    meant: str = ""


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
    for slug in dict.fromkeys(reference.slug for reference in references(text)):
        gathered.add_knowledge(slug)
    records, refused = tuple(gathered.records.values()), _notes(gathered.refused)
    added = "\n\n".join([*map(_section, records), *_refusals(refused)])
    whole = f"{text.rstrip()}\n\n{added}\n" if added else text
    return Expansion(whole, added, records, refused, tuple(gathered.unknown.values()))


@dataclass(slots=True)
class _Gathered:
    """What the names in a text lead to, each once."""

    library: Library
    invoker: Invoker
    records: dict[str, Record] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, Note] = field(default_factory=dict)
    _slugs: dict[str, list[str]] = field(default_factory=dict)

    def add_knowledge(self, slug: str) -> None:
        """Bring in the knowledge that `#slug` names."""
        found = self.library.named(slug, "knowledge")
        if found:
            self._add_called(found, f"#{slug}")
        elif not needs_record(slug):
            self._note_unknown("#", slug)

    def add_workflow(self, slug: str) -> None:
        """Bring in the workflow that `/slug` names, after all that it requires."""
        found = self.library.named(slug, "workflow")
        if found:
            self._add_called(found, f"/{slug}")
        else:
            self._note_unknown("/", slug)

    def _add_called(self, found: Sequence[Record], name: str) -> None:
        if found[0].path in self.records:
            return
        if why := _ambiguity(found) or refusal(found[0], self.invoker):
            self.refused[name] = why
        else:
            self._add_with_required(found[0])

    def _add_with_required(self, called: Record) -> None:
        """Bring in all that `called` requires, in order, and then itself.

        Who may call a workflow gets what it requires, whoever may call that by itself.
        """
        way, pending, met = [called], [_requires(called)], {called.path}
        while way:
            slug = next(pending[-1], None)
            if slug is None:
                pending.pop()
                done = way.pop()
                self.records.setdefault(done.path, done)
                continue
            record = self._required(slug, way)
            if record is not None and record.path not in met:
                met.add(record.path)
                way.append(record)
                pending.append(_requires(record))

    def _required(self, slug: str, way: Sequence[Record]) -> Record | None:
        """Return the record that the last one of `way` requires, or note why it is not given."""
        found = self.library.named(slug, "knowledge", "workflow")
        if not found:
            why = f"the workflow `{way[-1].slug}` requires it, and there is no such record"
            self.refused.setdefault(f"/{slug}", why)
            return None
        why = _ambiguity(found) or _circle(found[0], way) or _fault(found[0])
        if why:
            self.refused.setdefault(_name(found[0]), why)
            return None
        return found[0]

    def _note_unknown(self, mark: str, slug: str) -> None:
        name = f"{mark}{slug}"
        meant = self._meant(mark, slug)
        others = () if meant else self.library.named(slug)
        if meant:
            why = f"there is no such record; did you mean `{meant}`?"
        elif others:
            meant = others[0].path
            why = f"`{mark}` names {KIND_OF_MARK[mark]} alone; read {meant} by its path"
        else:
            why = "there is no such record"
        self.unknown[name] = Note(name, why, meant)

    def _meant(self, mark: str, slug: str) -> str:
        """Return the name that was likely meant: the same with the other mark, or a near slug."""
        other = _OTHER_MARK[mark]
        if self.library.named(slug, KIND_OF_MARK[other]):
            return f"{other}{slug}"
        kind = KIND_OF_MARK[mark]
        if kind not in self._slugs:
            self._slugs[kind] = self.library.slugs(kind)
        near = nearest(slug, self._slugs[kind])
        return f"{mark}{near}" if near else ""


def _requires(record: Record) -> Iterator[str]:
    return iter(record.values.get("requires", ()))


def _circle(record: Record, way: Sequence[Record]) -> str:
    """Say that the `way` to `record` goes through it; empty when it does not."""
    paths = [each.path for each in way]
    if record.path not in paths:
        return ""
    chain = (*way[paths.index(record.path) :], record)
    return f"it requires itself: {' -> '.join(each.slug for each in chain)}"


def _ambiguity(found: Sequence[Record]) -> str:
    """Say that a name fits several records; empty when it fits one."""
    if len(found) == 1:
        return ""
    return f"several records are called so: {', '.join(record.path for record in found)}"


def refusal(record: Record, invoker: Invoker) -> str:
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
    return f"## {_name(record)}: {described(record)}\n\n{record.body.strip()}"


def _name(record: Record) -> str:
    mark = "/" if record.kind_name == "workflow" else "#"
    return f"{mark}{record.slug}"


def _refusals(notes: Sequence[Note]) -> list[str]:
    if not notes:
        return []
    return ["\n".join(["Not given:", *(f"- {note.slug}: {note.why}" for note in notes)])]


def _notes(reasons: Mapping[str, str]) -> tuple[Note, ...]:
    return tuple(Note(slug, why) for slug, why in reasons.items())
