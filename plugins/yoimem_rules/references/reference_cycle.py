from collections.abc import Iterable, Iterator

from yoimem import Context, Finding, NoOptions, ProjectRule, RuleMeta, Severity, Snapshot
from yoimem_rules.references.graph import components, shortest_cycle
from yoimem_rules.references.naming import kinds_of, slug_of

_SHORTEST = {"replaced_by": 2, "requires": 1}  # RF002 reports a decision that replaces itself


class ReferenceCycle(ProjectRule):
    """Records refer to each other in a circle."""

    meta = RuleMeta(
        code="RF003",
        name="reference-cycle",
        severity=Severity.ERROR,
        since="0.1",
        depends_on=("slugs", "replaced_by", "requires"),
    )

    def check(self, snapshot: Snapshot, ctx: Context[NoOptions]) -> Iterable[Finding]:
        asked = None if ctx.changed is None else _touched(snapshot, ctx.changed)
        for field in _SHORTEST:
            yield from _Cycles(snapshot, field).findings(asked)


def _touched(snapshot: Snapshot, changed: frozenset[str]) -> frozenset[str]:
    """Return the records whose references, or whose names, a change can alter."""
    slugs = {slug_of(path) for path in changed}
    namesakes = (snapshot.paths_of(slug, ("decision", "knowledge", "workflow")) for slug in slugs)
    return changed.union(*namesakes)


class _Cycles:
    """The cycles over one field."""

    def __init__(self, snapshot: Snapshot, field: str) -> None:
        self._snapshot = snapshot
        self._field = field

    def findings(self, asked: frozenset[str] | None) -> Iterator[Finding]:
        """Yield one finding for each knot of cycles; of those through `asked` alone if given."""
        facts = self._snapshot.facts
        everyone = (path for path, known in facts.items() if known.edges)
        for component in components(everyone if asked is None else sorted(asked), self._successors):
            if asked is not None and asked.isdisjoint(component):
                continue
            first = min(component, key=lambda path: (slug_of(path), path))
            cycle = shortest_cycle(first, component, self._successors)
            if cycle:
                yield self._finding(cycle)

    def _successors(self, path: str) -> list[str]:
        """Return the records that the field of the record at `path` names.

        A name that fits two kinds leads nowhere: it is RF001 that asks which one is meant.
        """
        facts = self._snapshot.facts.get(path)
        if facts is None:
            return []
        return [
            named
            for edge in facts.edges
            if edge.field[0] == self._field and len(kinds_of(self._snapshot, edge)) == 1
            for named in self._snapshot.paths_of(edge.slug, edge.kinds)
            if named != path or _SHORTEST[self._field] == 1
        ]

    def _finding(self, cycle: list[str]) -> Finding:
        slugs = [slug_of(path) for path in cycle]
        edges = self._snapshot.facts[cycle[0]].edges
        place = next(e.field for e in edges if e.field[0] == self._field and e.slug == slugs[1])
        return Finding(
            f"`{self._field}` goes in a circle: {' -> '.join(slugs)}",
            path=cycle[0],
            field=place,
            subject=self._field,
            help=_HELP[self._field],
        )


_HELP = {
    "replaced_by": "let the chain end at the decision that holds: set its `status` to `open` or"
    " `resolved` and take its `replaced_by` out",
    "requires": "take one of these names out of the `requires` that it stands in",
}
