"""Completing the slug that a person begins to type (seed 003, "retrieval 経路")."""

from dataclasses import dataclass

from yoimem.recall.library import Library, described
from yoimem.recall.references import KIND_OF_MARK, refusal
from yoimem.records.record import Record


@dataclass(frozen=True, slots=True)
class Completion:
    """What a prefix may become: `typed` is the slug with its `#` or `/`."""

    typed: str
    slug: str
    description: str
    path: str


def complete(library: Library, prefix: str) -> tuple[Completion, ...]:
    """Return what `prefix` may become, those that begin with it first, then those that hold it.

    `#` begins knowledge and `/` a workflow; a prefix with neither is one of knowledge. What has
    `user_invocable: false` is left out (seed 003).
    """
    mark = prefix[0] if prefix[:1] in KIND_OF_MARK else "#"
    begun = prefix.removeprefix(mark).lower()
    kind = KIND_OF_MARK[mark]
    fitting = [slug for slug in library.slugs(kind) if begun in slug]
    fitting.sort(key=lambda slug: not slug.startswith(begun))
    found = (record for slug in fitting for record in library.named(slug, kind)[:1])
    return tuple(_completion(record, mark) for record in found if not refusal(record, "user"))


def _completion(record: Record, mark: str) -> Completion:
    return Completion(f"{mark}{record.slug}", record.slug, described(record), record.path)
