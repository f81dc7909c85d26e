"""The MCP server: the tools and the records, over standard input and output (section 10).

The official SDK's low-level server speaks the protocol; what is offered, what is refused and in
which words is the tools' own.
"""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from importlib.metadata import version
from typing import Any, TextIO, TypeVar

import anyio
from anyio import to_thread
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server

from yoimem.interfaces.mcp_server.completion import completions
from yoimem.interfaces.mcp_server.prompts import prompt, prompts
from yoimem.interfaces.mcp_server.records import ERROR_CODE, SUMMARY, read, resources, template
from yoimem.interfaces.mcp_server.toolbox import Toolbox
from yoimem.tools import MemoryToolError, MemoryTools, ToolDefinition
from yoimem.tools.results import sendable

_INSTRUCTIONS = f"""\
This is the memory of the project: one Markdown record a fact, kept in the repository.
Read {SUMMARY} before you start, and look with knowledge_search and memory_search for what is known
of your task. Change records through these tools only. A refusal names every fault and the way to
mend it, and nothing is written until all are mended.
"""

_Answer = TypeVar("_Answer")
_Context = ServerRequestContext[Any]
_Page = types.PaginatedRequestParams | None


def serve(tools: MemoryTools, wire: TextIO) -> None:
    """Serve `tools` to the client that writes to standard input and reads from `wire`.

    Returns when the client goes away.
    """
    toolbox = Toolbox(tools)
    try:
        anyio.run(_serve, toolbox, wire)
    except* BrokenPipeError:
        pass  # the client is gone, and nobody is left to answer
    finally:
        toolbox.close()


async def _serve(toolbox: Toolbox, wire: TextIO) -> None:
    handlers = _Handlers(toolbox)
    server = Server(
        "yoimem",
        version=version("yoimem"),
        instructions=_INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete,
    )
    options = server.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio_server(stdout=anyio.wrap_file(wire)) as (requests, answers):
        await server.run(requests, answers, options)


class _Handlers:
    """Answers requests from the toolbox.

    The tools block, so they work in a thread. They take turns: tools are not made for several
    threads, and the redirection of standard output is the whole process's.
    """

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._turn = anyio.CapacityLimiter(1)

    async def list_tools(self, _context: _Context, _page: _Page) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(each) for each in self._toolbox.definitions])

    async def call_tool(
        self, context: _Context, call: types.CallToolRequestParams
    ) -> types.CallToolResult:
        before = self._toolbox.memory
        result = await self._work(partial(_call, self._toolbox, call.name, call.arguments or {}))
        if self._toolbox.memory is not before:
            await context.session.send_tool_list_changed()
        return result

    async def list_resources(self, _context: _Context, _page: _Page) -> types.ListResourcesResult:
        return await self._work(lambda: resources(self._toolbox.memory))

    async def list_resource_templates(
        self, _context: _Context, _page: _Page
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[template()])

    async def read_resource(
        self, _context: _Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await self._work(lambda: read(self._toolbox.memory, asked.uri))

    async def list_prompts(self, _context: _Context, _page: _Page) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=prompts())

    async def get_prompt(
        self, _context: _Context, asked: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        return await self._work(lambda: prompt(self._toolbox.memory, asked))

    async def complete(
        self, _context: _Context, asked: types.CompleteRequestParams
    ) -> types.CompleteResult:
        return await self._work(lambda: completions(self._toolbox.memory, asked))

    async def _work(self, work: Callable[[], _Answer]) -> _Answer:
        return await to_thread.run_sync(_unheard, work, limiter=self._turn)


def _unheard(work: Callable[[], _Answer]) -> _Answer:
    """Do `work`; what plugins print meanwhile goes to standard error."""
    with redirect_stdout(sys.stderr):
        return work()


def _tool(definition: ToolDefinition) -> types.Tool:
    hints = {"readOnlyHint": definition.read_only, "openWorldHint": False}
    return types.Tool.model_validate({**definition.for_mcp(), "annotations": hints})


def _call(toolbox: Toolbox, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """Call a tool; a refusal is a result too, so that the model reads all of it.

    There is text only: hosts that get structured content hide the text from the model, and show it
    a record with its line ends escaped.
    """
    try:
        text = toolbox.call(name, arguments)
    except MemoryToolError as error:
        return types.CallToolResult(
            content=[_text(error.message)], is_error=True, _meta={ERROR_CODE: error.code}
        )
    return types.CallToolResult(content=[_text(text)])


def _text(text: str) -> types.TextContent:
    return types.TextContent(text=sendable(text))
