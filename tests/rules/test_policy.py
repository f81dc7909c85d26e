"""What the page of PL001 cannot show: every actor and operation."""

from datetime import UTC, datetime

import pytest

from yoimem import Context, NoOptions
from yoimem.lint.rule import Actor, Operation
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem_rules.policy import WorkflowWrite

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("operation", WorkflowWrite.meta.operations)
@pytest.mark.parametrize(("actor", "count"), [("human", 0), ("agent", 1), ("consolidator", 1)])
def test_people_alone_write_workflows(operation: Operation, actor: Actor, count: int) -> None:
    record = Reader(Kinds()).read_text("workflow/release.md", "---\ndescription: d\n---\n")
    context = Context(NoOptions(), NOW, actor=actor, operation=operation)
    assert len(list(WorkflowWrite().check(record, context))) == count
