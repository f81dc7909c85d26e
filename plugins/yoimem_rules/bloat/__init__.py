"""Rules against a memory that swells: BL."""

from yoimem import ProjectRule, RecordRule
from yoimem_rules.bloat.large_low_importance import LargeLowImportance
from yoimem_rules.bloat.similar_slugs import SimilarSlugs
from yoimem_rules.bloat.sources_overflow import SourcesOverflow
from yoimem_rules.bloat.summary_over_budget import SummaryOverBudget

RULES: tuple[type[RecordRule | ProjectRule], ...] = (
    LargeLowImportance,
    SourcesOverflow,
    SimilarSlugs,
    SummaryOverBudget,
)
