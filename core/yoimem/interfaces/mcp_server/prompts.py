"""The prompts that a person can pick in a host."""

from mcp import MCPError, types

from yoimem.tools import MemoryTools

RECALL, EXTRACT, CONSOLIDATE = "recall", "extract", "consolidate"

_EXTRACT = """\
Extract what happened in a session into the memory's staging. Call extract_begin with {session}, do
what its answer says, and hand the result in with extract_submit.
"""
_CONSOLIDATE = """\
Bring what is staged into the memory's records. Call consolidate_begin, do what its answer says with
the memory tools, and end with consolidate_finish.
"""


def prompts() -> list[types.Prompt]:
    """Return the prompts, as a host lists them."""
    slug = types.PromptArgument(
        name="slug", description="`#slug` of knowledge, or `/slug` of a workflow.", required=True
    )
    session = types.PromptArgument(
        name="session", description="The id of the session, or the path of its log."
    )
    return [
        types.Prompt(
            name=RECALL, description="Bring a record into the conversation.", arguments=[slug]
        ),
        types.Prompt(
            name=EXTRACT, description="Stage what happened in a session.", arguments=[session]
        ),
        types.Prompt(name=CONSOLIDATE, description="Bring what is staged into the records."),
    ]


def prompt(tools: MemoryTools, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
    """Return what the prompt that was picked says to the model."""
    given = asked.arguments or {}
    if asked.name == RECALL:
        return _said(_recalled(tools, given.get("slug", "").strip()))
    if asked.name == EXTRACT:
        return _said(_EXTRACT.format(session=_session_words(given.get("session", "").strip())))
    if asked.name == CONSOLIDATE:
        return _said(_CONSOLIDATE)
    known = ", ".join(each.name for each in prompts())
    raise MCPError(types.INVALID_PARAMS, f"there is no prompt {asked.name!r}; there are: {known}")


def _session_words(session: str) -> str:
    return f"the session `{session}`" if session else "the session's id or the path of its log"


def _recalled(tools: MemoryTools, slug: str) -> str:
    if not slug:
        raise MCPError(
            types.INVALID_PARAMS,
            "the argument `slug` is missing: give `#slug` of knowledge, or `/slug` of a workflow",
        )
    named = slug if slug.startswith(("#", "/")) else f"#{slug}"
    expansion = tools.recall.expand(named)
    if expansion.records:
        return expansion.text
    notes = (*expansion.refused, *expansion.unknown)
    why = "; ".join(f"{note.slug}: {note.why}" for note in notes)
    raise MCPError(types.INVALID_PARAMS, why or f"there is no record {named!r}")


def _said(text: str) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(messages=[message])
