"""The tools of one MCP session: those of the memory, and those of the pipeline."""

from collections.abc import Mapping
from typing import Any

from yoimem.pipeline.consolidate_tools import ConsolidateTools
from yoimem.pipeline.extract_tools import ExtractTools
from yoimem.tools import MemoryTools, ToolDefinition, as_text
from yoimem.tools.definitions import definition_of


class Toolbox:
    """What a session can call now: while it consolidates, the memory tools are the run's own."""

    def __init__(self, tools: MemoryTools) -> None:
        self._tools = tools
        recall = tools.recall
        self._extract = ExtractTools(recall.root, recall.plugins)
        self._consolidate = ConsolidateTools(recall.root, recall.config, recall.plugins)

    @property
    def memory(self) -> MemoryTools:
        """The memory tools that hold now."""
        return self._consolidate.memory or self._tools

    @property
    def definitions(self) -> tuple[ToolDefinition, ...]:
        """The tools that there are now."""
        return (
            *self.memory.definitions,
            *self._extract.definitions,
            *self._consolidate.definitions,
        )

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call the tool `name`, and return what the model reads.

        Raises:
            MemoryToolError: the tool is unknown, an argument is wrong, or the tool refused.
        """
        definition_of(name, self.definitions)  # an unknown one is refused with all that there are
        for tools in (self._extract, self._consolidate):
            if any(name == definition.name for definition in tools.definitions):
                return tools.call(name, arguments)
        return as_text(self.memory.call(name, arguments))

    def close(self) -> None:
        """Let go of what an unfinished extract or run holds."""
        self._extract.close()
        self._consolidate.close()
