"""What slugs name, as the rules on references ask it of a snapshot."""

from yoimem import Snapshot
from yoimem.records.kinds import BUILTIN_KINDS
from yoimem.workspace.snapshot import Edge, Facts

MOST_SUGGESTIONS = 100
"""In how many findings of a run a near slug is looked for, which costs a pass over all slugs."""


def slug_of(path: str) -> str:
    """Return the slug of the record at `path`, whether it is there or not."""
    return path.rpartition("/")[2].removesuffix(".md")


def kinds_of(snapshot: Snapshot, edge: Edge) -> tuple[str, ...]:
    """Return those of the kinds that `edge` may name which have a record of its slug."""
    return tuple(kind for kind in edge.kinds if edge.slug in snapshot.slugs(kind))


def a_record(snapshot: Snapshot, slug: str) -> Facts | None:
    """Return a record of whatever kind that bears `slug`; None when there is none."""
    paths = snapshot.paths_of(slug, (kind.name for kind in BUILTIN_KINDS))
    return snapshot.facts[paths[0]] if paths else None
