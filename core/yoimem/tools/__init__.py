"""The agent's tools over a memory, and what keeps generic tools away from it."""

from yoimem.tools.definitions import Argument, ToolDefinition
from yoimem.tools.errors import ErrorCode, MemoryToolError
from yoimem.tools.memory_tools import MemoryTools
from yoimem.tools.results import (
    DeleteResult,
    EditResult,
    ListEntry,
    ListResult,
    ReadResult,
    ToolResult,
    WriteResult,
    as_text,
)

__all__ = [
    "Argument",
    "DeleteResult",
    "EditResult",
    "ErrorCode",
    "ListEntry",
    "ListResult",
    "MemoryToolError",
    "MemoryTools",
    "ReadResult",
    "ToolDefinition",
    "ToolResult",
    "WriteResult",
    "as_text",
]
