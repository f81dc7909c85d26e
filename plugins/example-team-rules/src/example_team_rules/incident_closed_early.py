"""ACME002: a rule that compares records."""

from collections.abc import Iterable

from yoimem import Context, Finding, NoOptions, ProjectRule, RuleMeta, Severity, Snapshot


class IncidentClosedEarly(ProjectRule):
    """An incident is closed while the decision that it led to is still open."""

    meta = RuleMeta(
        code="ACME002",
        name="incident-closed-early",
        severity=Severity.WARNING,
        since="0.1",
        depends_on=("decision", "status"),
    )

    def check(self, snapshot: Snapshot, ctx: Context[NoOptions]) -> Iterable[Finding]:
        """Yield a finding for each closed incident whose decision is open."""
        for facts in snapshot.facts.values():
            if facts.kind != "incident" or facts.status != "closed":
                continue
            for edge in facts.edges:
                named = snapshot.paths_of(edge.slug, edge.kinds)
                if any(snapshot.facts[path].status == "open" for path in named):
                    yield Finding(
                        f"the incident is closed, and the decision `{edge.slug}` is still open",
                        path=facts.path,
                        field=edge.field,
                        subject=edge.slug,
                        help=f"settle `{edge.slug}` first, or set `status: open` here",
                    )
