"""Completing what a person begins to type: a record's path, a slug, a session."""

from collections.abc import Iterable, Sequence

from mcp import MCPError, types

from yoimem.interfaces.mcp_server.prompts import EXTRACT, RECALL
from yoimem.interfaces.mcp_server.records import RECORD_TEMPLATE
from yoimem.sessions.known import known_ids
from yoimem.tools import MemoryTools
from yoimem.workspace.folder import LinkError

_MOST = 100


def completions(tools: MemoryTools, asked: types.CompleteRequestParams) -> types.CompleteResult:
    """Complete the path of a record, or what the prompts `recall` and `extract` take."""
    ref, begun = asked.ref, asked.argument
    if isinstance(ref, types.ResourceTemplateReference):
        if ref.uri == RECORD_TEMPLATE and begun.name == "path":
            return _begun(begun.value, tools.recall.library.paths())
    elif ref.name == RECALL and begun.name == "slug":
        return _result([found.typed for found in tools.recall.complete(begun.value)])
    elif ref.name == EXTRACT and begun.name == "session":
        return _begun(begun.value, _sessions(tools))
    raise MCPError(
        types.INVALID_PARAMS,
        f"only `path` of {RECORD_TEMPLATE}, `slug` of the prompt `{RECALL}` and `session` of the"
        f" prompt `{EXTRACT}` can be completed",
    )


def _sessions(tools: MemoryTools) -> Sequence[str]:
    try:
        return known_ids(tools.root)
    except (LinkError, OSError):  # extract_begin says what is wrong with them
        return ()


def _begun(beginning: str, values: Iterable[str]) -> types.CompleteResult:
    return _result([value for value in values if value.startswith(beginning)])


def _result(values: Sequence[str]) -> types.CompleteResult:
    completion = types.Completion(
        values=list(values[:_MOST]), total=len(values), has_more=len(values) > _MOST
    )
    return types.CompleteResult(completion=completion)
