"""The agent's tools over a memory, and what keeps generic tools away from it."""

from yoimem.tools.anthropic_memory import AdapterResult, AnthropicMemoryTool
from yoimem.tools.definitions import Argument, ToolDefinition
from yoimem.tools.errors import ErrorCode, MemoryToolError
from yoimem.tools.guarded import guard
from yoimem.tools.memory_tools import MemoryTools
from yoimem.tools.recall import Recall
from yoimem.tools.results import (
    DeleteResult,
    EditResult,
    ListEntry,
    ListResult,
    MoveResult,
    ReadResult,
    ToolResult,
    WriteResult,
    as_text,
)
from yoimem.tools.scope import Scope

__all__ = [
    "AdapterResult",
    "AnthropicMemoryTool",
    "Argument",
    "DeleteResult",
    "EditResult",
    "ErrorCode",
    "ListEntry",
    "ListResult",
    "MemoryToolError",
    "MemoryTools",
    "MoveResult",
    "ReadResult",
    "Recall",
    "Scope",
    "ToolDefinition",
    "ToolResult",
    "WriteResult",
    "as_text",
    "guard",
]
