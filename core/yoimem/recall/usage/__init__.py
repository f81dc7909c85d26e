"""How much records are used, in events and in figures (section 12; seed 003)."""

from yoimem.recall.usage.events import UsageEvent, UsageHistory, UsageLog, UsedRecord
from yoimem.recall.usage.measure import Usage, Use, measure

__all__ = ["Usage", "UsageEvent", "UsageHistory", "UsageLog", "Use", "UsedRecord", "measure"]
