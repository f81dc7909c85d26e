"""The memory tools as pydantic-ai takes them; imported only where a model is called."""

from typing import Any

from pydantic_ai import ModelRetry, RunContext, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from yoimem.pipeline.consolidate_agent import Progress
from yoimem.tools.definitions import ToolDefinition as MemoryToolDefinition
from yoimem.tools.errors import MemoryToolError
from yoimem.tools.memory_tools import MemoryTools
from yoimem.tools.results import as_text, sendable

_ANY_OBJECT = SchemaValidator(
    core_schema.dict_schema(keys_schema=core_schema.str_schema(), strict=True)
)


class MemoryToolset(AbstractToolset[None]):
    """Calls `tools` for a model; a refusal goes back to it, `most_refusals` times at most.

    What the arguments must be is left to the tools' own definitions, whose messages say how to mend
    a call; here they must only be an object.
    """

    def __init__(self, tools: MemoryTools, told: Progress, most_refusals: int) -> None:
        self._tools = tools
        self._told = told
        self._most_refusals = most_refusals

    @property
    def id(self) -> str:
        """The name of the toolset."""
        return "yoimem"

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:
        """Return the tools that there are."""
        return {each.name: self._tool(each) for each in map(_definition, self._tools.definitions)}

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[None],
        tool: ToolsetTool[None],
    ) -> str:
        """Call the tool `name`, and return what the model reads.

        Raises:
            ModelRetry: the tool refused.
        """
        self._told(name, tool_args)
        try:
            return sendable(as_text(self._tools.call(name, tool_args)))
        except MemoryToolError as error:
            raise ModelRetry(sendable(error.message)) from error

    def _tool(self, definition: ToolDefinition) -> ToolsetTool[None]:
        return ToolsetTool(
            toolset=self,
            tool_def=definition,
            max_retries=self._most_refusals,
            args_validator=_ANY_OBJECT,
        )


def _definition(definition: MemoryToolDefinition) -> ToolDefinition:
    return ToolDefinition(
        name=definition.name,
        description=definition.description,
        parameters_json_schema=definition.input_schema(),
        sequential=True,  # several calls of one answer take turns, in their order
    )
