"""An immutable index of every record under a root, with overlays for text not yet on disk."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from yoimem.records.fields import Source
from yoimem.records.kinds import Kinds
from yoimem.records.markdown import candidates
from yoimem.records.reader import Reader
from yoimem.records.record import Record


class Edge(NamedTuple):
    """A reference in frontmatter.

    The `field` (its way in the frontmatter) of the record at `path` names `slug`, a record of one
    of `kinds`.
    """

    path: str
    field: tuple[str | int, ...]
    slug: str
    kinds: tuple[str, ...]


class Facts(NamedTuple):
    """What the snapshot keeps of a record.

    `path` is relative to the root, `slug` its stem. `kind` is the kind's name, empty for a file of
    no kind. `status` is the field of that name, `sources` where it came from. `edges` are the
    references in its frontmatter. `mentions` holds the slugs behind a `#` in the body, code and
    links included: `Record.references` tells which of them are text.
    """

    path: str
    slug: str
    kind: str
    status: str | None
    sources: tuple[Source, ...]
    edges: tuple[Edge, ...]
    mentions: tuple[str, ...]


def facts_of(record: Record) -> Facts:
    """Return what the snapshot keeps of `record`."""
    edges = _edges(record) if record.kind and record.kind.references else ()
    return Facts(
        record.path,
        record.slug,
        record.kind_name,
        record.values.get("status"),
        record.sources,
        edges,
        candidates(record.body),
    )


class Snapshot:
    """Every record under a root, as facts; the records themselves are read again when asked for.

    `facts` maps each path to what is kept of its record. Building it costs one pass over the facts;
    an overlay shares what it does not change. `unread` names the folders that could not be read.
    """

    def __init__(
        self,
        facts: Mapping[str, Facts],
        reader: Reader,
        load: Callable[[str], Record | None],
        overlays: Mapping[str, Record] | None = None,
        unread: frozenset[str] = frozenset(),
    ) -> None:
        facts = MappingProxyType(dict(facts))  # no rule may change what another one sees
        self.facts = facts
        self._reader = reader
        self._load = load
        self._overlays = dict(overlays or {})
        self.unread = unread
        self._last: Record | None = None

    @classmethod
    def of_texts(cls, texts: Mapping[str, str], reader: Reader | None = None) -> "Snapshot":
        """Make the snapshot of a memory that is on no disk: root-relative paths and their texts."""
        reader = reader or Reader(Kinds())
        records = {path: reader.read_text(path, text) for path, text in sorted(texts.items())}
        facts = {path: facts_of(record) for path, record in records.items()}
        return cls(facts, reader, records.get)

    def with_text(self, path: str, text: str) -> "Snapshot":
        """Return this snapshot with `text` at the root-relative `path`."""
        record = self._reader.read_text(path, text)
        # In order, as if it had been there from the start: every index lists paths in this order.
        facts = dict(sorted({**self.facts, path: facts_of(record)}.items()))
        overlays = {**self._overlays, path: record}
        return Snapshot(facts, self._reader, self._load, overlays, self.unread)

    def without(self, path: str) -> "Snapshot":
        """Return this snapshot without the record at the root-relative `path`."""
        facts = {known: kept for known, kept in self.facts.items() if known != path}
        overlays = {known: kept for known, kept in self._overlays.items() if known != path}
        return Snapshot(facts, self._reader, self._load, overlays, self.unread)

    def record(self, path: str) -> Record | None:
        """Return the record at the root-relative `path`, None when there is none."""
        if path not in self.facts:
            return None
        if path in self._overlays:
            return self._overlays[path]
        # Whoever asks asks again: a record with many findings is not read for each of them.
        if self._last is None or self._last.path != path:
            self._last = self._load(path)
        return self._last

    def is_whole(self, kinds: Iterable[str]) -> bool:
        """Tell whether every record of `kinds` is here: False where a folder could not be read.

        What is not here may still be there: no rule can say that it is missing.
        """
        known = self._reader.kinds.by_name
        places = (place for kind in kinds if kind in known for place in known[kind].places)
        return not any(place.startswith(f"{folder}/") for place in places for folder in self.unread)

    def paths_of(self, slug: str, kinds: Iterable[str]) -> tuple[str, ...]:
        """Return the paths of the records of `kinds` that bear `slug`."""
        return tuple(path for kind in kinds for path in self.slugs(kind).get(slug, ()))

    def slugs(self, kind: str) -> Mapping[str, tuple[str, ...]]:
        """Return the slugs of the records of `kind`, each with the paths that bear it."""
        return self._slugs.get(kind, {})

    def edges_to(self, slug: str) -> tuple[Edge, ...]:
        """Return the references in frontmatter that name `slug`."""
        return self._edges_to.get(slug, ())

    def mentions_of(self, slug: str) -> tuple[str, ...]:
        """Return the paths of the records whose body holds `#slug`, in code or in text."""
        return self._mentions_of.get(slug, ())

    def holders_of(self, source: Source) -> tuple[str, ...]:
        """Return the paths of the records that name `source`, to the entry, as one of theirs."""
        return self._holders_of.get(source, ())

    @cached_property
    def _holders_of(self) -> Mapping[Source, tuple[str, ...]]:
        found: dict[Source, list[str]] = {}
        for facts in self.facts.values():
            for source in facts.sources:
                found.setdefault(source, []).append(facts.path)
        return {source: tuple(dict.fromkeys(paths)) for source, paths in found.items()}

    @cached_property
    def _slugs(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        found: dict[str, dict[str, tuple[str, ...]]] = {}
        for facts in self.facts.values():
            of_kind = found.setdefault(facts.kind, {})
            of_kind[facts.slug] = (*of_kind.get(facts.slug, ()), facts.path)
        return found

    @cached_property
    def _edges_to(self) -> Mapping[str, tuple[Edge, ...]]:
        found: dict[str, list[Edge]] = {}
        for facts in self.facts.values():
            for edge in facts.edges:
                found.setdefault(edge.slug, []).append(edge)
        return {slug: tuple(edges) for slug, edges in found.items()}

    @cached_property
    def _mentions_of(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for facts in self.facts.values():
            for slug in facts.mentions:
                found.setdefault(slug, []).append(facts.path)
        return {slug: tuple(paths) for slug, paths in found.items()}


def _edges(record: Record) -> tuple[Edge, ...]:
    assert record.kind is not None
    found: list[Edge] = []
    for field, kinds in record.kind.references.items():
        value = record.values.get(field)
        if isinstance(value, str):
            found.append(Edge(record.path, (field,), value, kinds))
        elif isinstance(value, tuple):
            found += [
                Edge(record.path, (field, index), slug, kinds)
                for index, slug in enumerate(value)
                if isinstance(slug, str)
            ]
    return tuple(found)
