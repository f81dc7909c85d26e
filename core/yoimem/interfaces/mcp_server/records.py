"""The records as resources of the protocol."""

from urllib.parse import quote, unquote

from mcp import MCPError, types

from yoimem.tools import ListEntry, MemoryToolError, MemoryTools
from yoimem.tools.results import sendable
from yoimem.workspace.writer import Writer

ERROR_CODE = "yoimem/code"
"""The key in the `_meta` or the `data` of a refusal that holds its code, like `conflict`."""

RECORD_URI = "yoimem://record/"
RECORD_TEMPLATE = f"{RECORD_URI}{{+path}}"
SUMMARY = "memory/summary.md"

_MARKDOWN = "text/markdown"


def template() -> types.ResourceTemplate:
    """Return the template of every record's address."""
    return types.ResourceTemplate(
        name="record",
        uri_template=RECORD_TEMPLATE,
        description=f"A record by its path below the memory's root, like {SUMMARY}.",
        mime_type=_MARKDOWN,
    )


def resources(tools: MemoryTools) -> types.ListResourcesResult:
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


def read(tools: MemoryTools, uri: str) -> types.ReadResourceResult:
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
