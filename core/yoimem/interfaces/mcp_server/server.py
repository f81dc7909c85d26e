"""The MCP server: the memory tools and the records, over standard input and output (section 10).

The official SDK's low-level server speaks the protocol; what is offered, what is refused and in
which words is the memory tools' own.
"""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from importlib.metadata import version
from typing import Any, TextIO, TypeVar
from urllib.parse import quote, unquote

import anyio
from anyio import to_thread
from mcp import MCPError, types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from yoimem.tools import ListEntry, MemoryToolError, MemoryTools, ToolDefinition, as_text
from yoimem.tools.results import sendable
from yoimem.workspace.writer import Writer

ERROR_CODE = "yoimem/code"
"""The key in the `_meta` of a refusal that holds its code, like `conflict`."""

RECORD_URI = "yoimem://record/"
RECORD_TEMPLATE = f"{RECORD_URI}{{+path}}"
SUMMARY = "memory/summary.md"

_MARKDOWN = "text/markdown"
_MOST_COMPLETIONS = 100
_INSTRUCTIONS = f"""\
This is the memory of the project: one Markdown record a fact, kept in the repository.
Read {SUMMARY} before you start, and see with memory_list what else is known.
Change records through these tools only. A refusal names every fault and the way to mend it, and
nothing is written until all are mended.
"""

_Answer = TypeVar("_Answer")
_Context = ServerRequestContext[Any]
_Page = types.PaginatedRequestParams | None


def serve(tools: MemoryTools, wire: TextIO) -> None:
    """Serve `tools` to the client that writes to standard input and reads from `wire`.

    Returns when the client goes away.
    """
    try:
        anyio.run(_serve, tools, wire)
    except* BrokenPipeError:
        pass  # the client is gone, and nobody is left to answer


async def _serve(tools: MemoryTools, wire: TextIO) -> None:
    handlers = _Handlers(tools)
    server = Server(
        "yoimem",
        version=version("yoimem"),
        instructions=_INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_completion=handlers.complete,
    )
    async with stdio_server(stdout=anyio.wrap_file(wire)) as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())


class _Handlers:
    """Answers requests from the memory tools.

    The tools block, so they work in a thread. They take turns: tools are not made for several
    threads, and the redirection of standard output is the whole process's.
    """

    def __init__(self, tools: MemoryTools) -> None:
        self._tools = tools
        self._turn = anyio.CapacityLimiter(1)

    async def list_tools(self, _context: _Context, _page: _Page) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(each) for each in self._tools.definitions])

    async def call_tool(
        self, _context: _Context, call: types.CallToolRequestParams
    ) -> types.CallToolResult:
        return await self._work(partial(_call, self._tools, call.name, call.arguments or {}))

    async def list_resources(self, _context: _Context, _page: _Page) -> types.ListResourcesResult:
        return await self._work(partial(_resources, self._tools))

    async def list_resource_templates(
        self, _context: _Context, _page: _Page
    ) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="record",
            uri_template=RECORD_TEMPLATE,
            description=f"A record by its path below the memory's root, like {SUMMARY}.",
            mime_type=_MARKDOWN,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _context: _Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await self._work(partial(_read, self._tools, asked.uri))

    async def complete(
        self, _context: _Context, asked: types.CompleteRequestParams
    ) -> types.CompleteResult:
        return await self._work(partial(_complete, self._tools, asked))

    async def _work(self, work: Callable[[], _Answer]) -> _Answer:
        return await to_thread.run_sync(_unheard, work, limiter=self._turn)


def _unheard(work: Callable[[], _Answer]) -> _Answer:
    """Do `work`; what plugins print meanwhile goes to standard error."""
    with redirect_stdout(sys.stderr):
        return work()


def _tool(definition: ToolDefinition) -> types.Tool:
    hints = {"readOnlyHint": definition.read_only, "openWorldHint": False}
    return types.Tool.model_validate({**definition.for_mcp(), "annotations": hints})


def _call(tools: MemoryTools, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """Call a tool; a refusal is a result too, so that the model reads all of it.

    There is text only: hosts that get structured content hide the text from the model, and show it
    a record with its line ends escaped.
    """
    try:
        result = tools.call(name, arguments)
    except MemoryToolError as error:
        return types.CallToolResult(
            content=[_text(error.message)], is_error=True, _meta={ERROR_CODE: error.code}
        )
    return types.CallToolResult(content=[_text(as_text(result))])


def _resources(tools: MemoryTools) -> types.ListResourcesResult:
    """List the records, the summary first."""
    records = sorted(tools.memory_list().records, key=lambda record: record.path != SUMMARY)
    return types.ListResourcesResult(resources=[_resource(record) for record in records])


def _resource(record: ListEntry) -> types.Resource:
    important = types.Annotations(priority=1.0) if record.path == SUMMARY else None
    return types.Resource(
        name=record.path,
        uri=RECORD_URI + quote(record.path),
        description=record.description,
        mime_type=_MARKDOWN,
        annotations=important,
    )


def _read(tools: MemoryTools, uri: str) -> types.ReadResourceResult:
    """Read the record that `uri` names, as it stands on disk."""
    try:
        path = _path_in(uri)
        tools.memory_read(path, limit=1)  # refuses what is no record
    except MemoryToolError as error:
        code = types.INTERNAL_ERROR if error.code == "internal" else types.INVALID_PARAMS
        raise MCPError(code, sendable(error.message), {ERROR_CODE: error.code}) from error
    stored = Writer(tools.root.path).read(path)
    text = stored.data.decode("utf-8", "backslashreplace") if stored else ""
    content = types.TextResourceContents(uri=uri, text=text, mime_type=_MARKDOWN)
    return types.ReadResourceResult(contents=[content])


def _path_in(uri: str) -> str:
    if not uri.startswith(RECORD_URI):
        raise MemoryToolError(
            "not_found", f"there is no resource {uri!r}; records are {RECORD_TEMPLATE}"
        )
    return unquote(uri.removeprefix(RECORD_URI))


def _complete(tools: MemoryTools, asked: types.CompleteRequestParams) -> types.CompleteResult:
    """Complete the path of a record."""
    ref = asked.ref
    known = isinstance(ref, types.ResourceTemplateReference) and ref.uri == RECORD_TEMPLATE
    if not known or asked.argument.name != "path":
        raise MCPError(types.INVALID_PARAMS, f"only `path` of {RECORD_TEMPLATE} can be completed")
    paths = (record.path for record in tools.memory_list().records)
    fitting = [path for path in paths if path.startswith(asked.argument.value)]
    completion = types.Completion(
        values=fitting[:_MOST_COMPLETIONS],
        total=len(fitting),
        has_more=len(fitting) > _MOST_COMPLETIONS,
    )
    return types.CompleteResult(completion=completion)


def _text(text: str) -> types.TextContent:
    return types.TextContent(text=sendable(text))
