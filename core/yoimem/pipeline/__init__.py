"""From a session to records: extract, stage, consolidate, offer (section 13).

A host calls `after_turn` when a turn of a session ends, and `before_compaction` before it
rearranges what the session holds.
"""

from yoimem.pipeline.after_turn import AfterTurn, after_turn, before_compaction
from yoimem.pipeline.extract import ExtractResult

__all__ = ["AfterTurn", "ExtractResult", "after_turn", "before_compaction"]
