"""Before a generic write: is its file one that generic tools leave alone? (design, section 10)."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from yoimem.interfaces.agent_hook.answer import Answer, as_json
from yoimem.interfaces.agent_hook.call import (
    PROJECT_VARIABLE,
    Call,
    as_host_takes_it,
    member,
    roots_of,
)
from yoimem.tools.scope import Scope

SERVER = "yoimem"
"""The name under which a host knows the MCP server with the memory tools."""

BEFORE = "PreToolUse"
WRITE_TOOLS: Mapping[str, str] = {
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
"""The host's own tools that write files, each with the argument that names the file."""

_EVENT = re.compile(rb'(?<!\\)"hook_event_name"\s*:\s*"\w+"')
_ARGUMENTS = b'"tool_input"'
_SERVER_NOTE = f"The memory tools are those of the MCP server `{SERVER}`."


def before_tool(call: Call, named: Path | None, environ: Mapping[str, str]) -> Answer:
    """Deny a generic write to the memory, and to what protects its rules."""
    if call.tool not in WRITE_TOOLS:
        return Answer()
    paths = [as_host_takes_it(path, call.folder) for path in _written(call)]
    roots = roots_of(call, paths, named, environ)
    if not roots:
        return Answer()
    project = environ.get(PROJECT_VARIABLE)
    for root in roots:
        scope = Scope.without_memory(root, project=Path(project) if project else None)
        for path in paths:
            fault = scope.fault(path, write=True)
            if fault:
                return _deny(f"{fault}. {_SERVER_NOTE}")
    return Answer()


def _written(call: Call) -> list[str]:
    """Return every path that the arguments of a write tool name.

    Raises:
        TypeError: one is no text, or the one that the tool needs is not there.
    """
    others = (name for name in sorted({*WRITE_TOOLS.values()}) if name in call.arguments)
    names = dict.fromkeys((WRITE_TOOLS[call.tool], *others))
    return [member(call.arguments, name, str) for name in names]


def _deny(reason: str) -> Answer:
    decision = {
        "hookEventName": BEFORE,
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }
    return Answer(output=as_json({"hookSpecificOutput": decision}), denial=reason)


def may_be_a_write(raw: bytes) -> bool:
    """Tell whether an input that could not be handled may ask for a write."""
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        return _may_be_a_broken_write(raw)
    event, tool = given.get("hook_event_name"), given.get("tool_name")
    if isinstance(event, str) and event != BEFORE:
        return False
    if isinstance(tool, str):
        return tool in WRITE_TOOLS
    return _names_a_write_tool(raw)


def _may_be_a_broken_write(raw: bytes) -> bool:
    """Tell the same of what is no JSON object.

    An event that stands behind the tool's arguments may be a part of them, so it excuses nothing.
    """
    if BEFORE.encode() in raw:
        return True
    is_other_event = _EVENT.search(raw.partition(_ARGUMENTS)[0]) is not None
    return not is_other_event and _names_a_write_tool(raw)


def _names_a_write_tool(raw: bytes) -> bool:
    return any(name.encode() in raw for name in WRITE_TOOLS)
