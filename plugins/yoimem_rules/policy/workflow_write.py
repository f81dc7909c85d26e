from collections.abc import Iterable

from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity
from yoimem_rules.wording import shorten

_VERBS = {"create": "creates", "update": "changes", "delete": "deletes"}


class WorkflowWrite(RecordRule):
    """Somebody other than a person writes a workflow."""

    meta = RuleMeta(
        code="PL001",
        name="workflow-write",
        severity=Severity.ERROR,
        since="0.1",
        record_kinds=("workflow",),
        operations=("create", "update", "delete"),
    )

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        if ctx.actor == "human":
            return
        yield Finding(
            f"the {ctx.actor} {_VERBS[ctx.operation]} the workflow `{shorten(record.path)}`, and"
            " workflows are written by people alone",
            help="leave the file as it is, and offer what you propose to a person with the tool"
            " `workflow_offer`",
        )
