import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from yoimem import Context, Finding, ProjectRule, RuleMeta, Severity, Snapshot

_NUMBER = re.compile(r"-?\d+")
_SHOWN = 6


class SimilarSlugs(ProjectRule):
    """Several records of one kind have nearly the same slug."""

    meta = RuleMeta(
        code="BL003",
        name="similar-slugs",
        severity=Severity.WARNING,
        since="0.1",
        depends_on=("slugs",),
    )

    @dataclass(frozen=True)
    class Options:
        """How near slugs are, how many make a group, and how long a slug must be to count."""

        distance: int = 2
        group: int = 3
        min_length: int = 5

    def check(self, snapshot: Snapshot, ctx: Context[Options]) -> Iterable[Finding]:
        for kind in sorted({facts.kind for facts in snapshot.facts.values() if facts.kind}):
            slugs = snapshot.slugs(kind)
            for group in _groups(slugs, _changed_slugs(snapshot, kind, ctx.changed), ctx.options):
                if len(group) >= ctx.options.group:
                    yield _finding(kind, slugs[group[0]][0], group)


def _changed_slugs(
    snapshot: Snapshot, kind: str, changed: frozenset[str] | None
) -> frozenset[str] | None:
    if changed is None:
        return None
    facts = (snapshot.facts.get(path) for path in changed)
    return frozenset(known.slug for known in facts if known is not None and known.kind == kind)


def _groups(
    slugs: Iterable[str], changed: Collection[str] | None, options: SimilarSlugs.Options
) -> Iterator[list[str]]:
    """Yield the groups of similar slugs, of those that hold a `changed` slug alone if given."""
    long = [slug for slug in slugs if len(slug) >= options.min_length]
    if len(long) < options.group or (changed is not None and not changed):
        return
    from yoimem_rules.bloat.neighbours import group_of, similar_groups  # noqa: PLC0415 - rapidfuzz

    if changed is None:
        yield from similar_groups(long, options.distance, _without_numbers)
        return
    left = set(changed).intersection(long)
    while left:
        group = group_of(min(left), long, options.distance, _without_numbers)
        left.difference_update(group)
        yield group


def _without_numbers(slug: str) -> str:
    """Return what slugs that differ by their numbers share: they are a series on purpose."""
    return _NUMBER.sub("", slug)


def _finding(kind: str, path: str, group: list[str]) -> Finding:
    shown = ", ".join(f"`{slug}`" for slug in group[:_SHOWN])
    more = f" and {len(group) - _SHOWN} more" if len(group) > _SHOWN else ""
    return Finding(
        f"{len(group)} slugs of the kind {kind} are nearly the same: {shown}{more}",
        path=path,
        help="merge the records that speak of one thing, and give the others names that tell them"
        " apart",
    )
