"""Rules on who may write what: PL."""

from yoimem import RecordRule
from yoimem_rules.policy.decision_deleted import DecisionDeleted
from yoimem_rules.policy.knowledge_without_candidate import KnowledgeWithoutCandidate
from yoimem_rules.policy.protected_record import ProtectedRecord
from yoimem_rules.policy.suppression_written import SuppressionWritten
from yoimem_rules.policy.unproven_source import UnprovenSource
from yoimem_rules.policy.workflow_write import WorkflowWrite

RULES: tuple[type[RecordRule], ...] = (
    WorkflowWrite,
    UnprovenSource,
    KnowledgeWithoutCandidate,
    ProtectedRecord,
    DecisionDeleted,
    SuppressionWritten,
)
