"""How much records are used, in events and in figures (section 12; seed 003)."""

from yoimem.recall.usage.events import UsageEvent, UsageHistory, UsageLog, UsedRecord
from yoimem.recall.usage.measure import CANDIDATE_KINDS, Usage, Use, measure

__all__ = [
    "CANDIDATE_KINDS",
    "Usage",
    "UsageEvent",
    "UsageHistory",
    "UsageLog",
    "Use",
    "UsedRecord",
    "measure",
]
