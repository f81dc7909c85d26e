"""Rules on who may write what: PL."""

from yoimem import RecordRule
from yoimem_rules.policy.workflow_write import WorkflowWrite

RULES: tuple[type[RecordRule], ...] = (WorkflowWrite,)
