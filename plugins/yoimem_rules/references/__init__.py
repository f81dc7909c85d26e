"""Rules on what records say of each other: RF."""

from yoimem import ProjectRule, RecordRule
from yoimem_rules.references.reference_cycle import ReferenceCycle
from yoimem_rules.references.replaced_without_target import ReplacedWithoutTarget
from yoimem_rules.references.self_reference import SelfReference
from yoimem_rules.references.target_without_replaced import TargetWithoutReplaced
from yoimem_rules.references.unknown_body_reference import UnknownBodyReference
from yoimem_rules.references.unknown_reference import UnknownReference

RULES: tuple[type[RecordRule | ProjectRule], ...] = (
    UnknownReference,
    SelfReference,
    ReferenceCycle,
    ReplacedWithoutTarget,
    TargetWithoutReplaced,
    UnknownBodyReference,
)
