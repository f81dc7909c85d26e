from collections.abc import Iterable, Iterator

from yoimem import Context, Finding, NoOptions, ProjectRule, RuleMeta, Severity, Snapshot
from yoimem.lint.words import nearest
from yoimem.records.kinds import KNOWLEDGE, Kinds
from yoimem.records.markdown import needs_record
from yoimem_rules.references.naming import MOST_SUGGESTIONS, a_record, slug_of

_KINDS = Kinds()
_NO_REFERENCE = (
    "a word that is no reference is written with a backslash, `\\#word`, and code in backticks"
)

_ADVICE = f"write the knowledge record first, or take the reference out; {_NO_REFERENCE}"


class UnknownBodyReference(ProjectRule):
    """A `#slug` in a body names no knowledge record."""

    meta = RuleMeta(
        code="RF006",
        name="unknown-body-reference",
        severity=Severity.ERROR,
        since="0.1",
        depends_on=("slugs", "body"),
    )

    def check(self, snapshot: Snapshot, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if not snapshot.is_whole((KNOWLEDGE.name,)):
            return
        left = MOST_SUGGESTIONS
        for path, slugs in _suspects(snapshot, ctx.changed):
            record = snapshot.record(path)
            for reference in record.references if record else ():
                if reference.slug in slugs:
                    advice = _advice(snapshot, reference.slug) if left > 0 else _ADVICE
                    left -= 1
                    yield Finding(
                        f"`#{reference.slug}` names no knowledge record",
                        path=path,
                        span=reference.span,
                        subject=reference.slug,
                        help=advice,
                    )


def _suspects(
    snapshot: Snapshot, changed: frozenset[str] | None
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the records that hold an unknown `#slug`, maybe in code, each with those slugs.

    No Markdown is parsed for this: it costs more than everything else.
    """
    known = snapshot.slugs(KNOWLEDGE.name)
    gone = frozenset(slug_of(path) for path in changed or () if _KINDS.of(path) is KNOWLEDGE)
    naming = {path for slug in gone for path in snapshot.mentions_of(slug)}
    for path in snapshot.facts if changed is None else sorted(changed | naming):
        facts = snapshot.facts.get(path)
        if facts is None or not facts.mentions:
            continue
        slugs = facts.mentions if changed is None or path in changed else gone
        # `#2fa-setup` is a reference as long as the record is there: it goes with this change.
        unknown = frozenset(
            s for s in slugs if s not in known and (s in gone or not needs_record(s))
        )
        if unknown:
            yield path, unknown


def _advice(snapshot: Snapshot, slug: str) -> str:
    near = nearest(slug, snapshot.slugs(KNOWLEDGE.name))
    if near:
        return f"did you mean `#{near}`? {_NO_REFERENCE}"
    other = a_record(snapshot, slug)
    if other is not None:
        return f"`#slug` names knowledge alone: write `{other.path}` in backticks; {_NO_REFERENCE}"
    return _ADVICE
