"""Completing what a person begins to type: a record's path, a slug."""

from collections.abc import Sequence

from mcp import MCPError, types

from yoimem.interfaces.mcp_server.prompts import RECALL
from yoimem.interfaces.mcp_server.records import RECORD_TEMPLATE
from yoimem.tools import MemoryTools

_MOST = 100


def completions(tools: MemoryTools, asked: types.CompleteRequestParams) -> types.CompleteResult:
    """Complete the path of a record, or the slug that the prompt `recall` takes."""
    ref, begun = asked.ref, asked.argument
    if isinstance(ref, types.ResourceTemplateReference):
        if ref.uri == RECORD_TEMPLATE and begun.name == "path":
            paths = tools.recall.library.paths()
            return _result([path for path in paths if path.startswith(begun.value)])
    elif ref.name == RECALL and begun.name == "slug":
        return _result([found.typed for found in tools.recall.complete(begun.value)])
    raise MCPError(
        types.INVALID_PARAMS,
        f"only `path` of {RECORD_TEMPLATE} and `slug` of the prompt `{RECALL}` can be completed",
    )


def _result(values: Sequence[str]) -> types.CompleteResult:
    completion = types.Completion(
        values=list(values[:_MOST]), total=len(values), has_more=len(values) > _MOST
    )
    return types.CompleteResult(completion=completion)
