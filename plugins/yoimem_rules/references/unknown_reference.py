from collections.abc import Iterable, Iterator

from yoimem import Context, Finding, NoOptions, ProjectRule, RuleMeta, Severity, Snapshot
from yoimem.lint.words import nearest
from yoimem.workspace.snapshot import Edge
from yoimem_rules.references.naming import MOST_SUGGESTIONS, a_record, kinds_of, slug_of

_ADVICE = "write the slug of a record that is there, write that record first, or take the name out"


class UnknownReference(ProjectRule):
    """A field names a record that is not there, or two at once."""

    meta = RuleMeta(
        code="RF001",
        name="unknown-reference",
        severity=Severity.ERROR,
        since="0.1",
        depends_on=("slugs", "replaced_by", "requires"),
    )

    def check(self, snapshot: Snapshot, ctx: Context[NoOptions]) -> Iterable[Finding]:
        left = MOST_SUGGESTIONS
        for edge in _edges(snapshot, ctx.changed):
            named = kinds_of(snapshot, edge)
            if not named and snapshot.is_whole(edge.kinds):
                yield _unknown(edge, _advice(snapshot, edge) if left > 0 else _ADVICE)
                left -= 1
            elif len(named) > 1:
                yield _ambiguous(edge, named)


def _edges(snapshot: Snapshot, changed: frozenset[str] | None) -> Iterable[Edge]:
    """Return the edges that a change can alter: those of a changed record, those that name it."""
    if changed is None:
        return (edge for facts in snapshot.facts.values() for edge in facts.edges)
    return dict.fromkeys(edge for path in sorted(changed) for edge in _edges_at(snapshot, path))


def _edges_at(snapshot: Snapshot, path: str) -> Iterator[Edge]:
    facts = snapshot.facts.get(path)
    if facts is not None:
        yield from facts.edges
    yield from snapshot.edges_to(slug_of(path))


def _unknown(edge: Edge, advice: str) -> Finding:
    field = edge.field[0]
    wanted = " or ".join(edge.kinds)
    return Finding(
        f"`{field}` names `{edge.slug}`, and no {wanted} record bears that slug",
        path=edge.path,
        field=edge.field,
        subject=edge.slug,
        help=advice,
    )


def _advice(snapshot: Snapshot, edge: Edge) -> str:
    near = nearest(edge.slug, (slug for kind in edge.kinds for slug in snapshot.slugs(kind)))
    if near:
        return f"did you mean `{near}`?"
    other = a_record(snapshot, edge.slug)
    if other is not None:
        return (
            f"this field names no {other.kind} record, as `{other.path}` is one: take the name out"
        )
    return _ADVICE


def _ambiguous(edge: Edge, named: tuple[str, ...]) -> Finding:
    return Finding(
        f"`{edge.field[0]}` names `{edge.slug}`, and a {' and a '.join(named)} record bear it",
        path=edge.path,
        field=edge.field,
        subject=edge.slug,
        help="rename one of the two records, and name here the one that is meant",
    )
