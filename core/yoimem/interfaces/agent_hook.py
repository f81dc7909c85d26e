"""What a host asks before and after its agent uses a tool (design, section 10).

Before a generic write the answer is whether its file is one that generic tools leave alone. After
any tool it is what is wrong with records that were changed past the memory tools: this detects
what a shell wrote, and does not prevent it.

A write that cannot be judged is not let through. Every other event lets the host go on, whatever
happens here.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yoimem.lint.api import lint
from yoimem.lint.host import load_plugins
from yoimem.lint.report import Report
from yoimem.tools.errors import violation
from yoimem.tools.scope import Scope
from yoimem.workspace.layout import ROOT_VARIABLE, Root, RootNotFoundError, find_root
from yoimem.workspace.unexplained import unexplained_records

SERVER = "yoimem"
"""The name under which a host knows the MCP server with the memory tools."""

BEFORE, AFTER = "PreToolUse", "PostToolUse"
WRITE_TOOLS: Mapping[str, str] = {
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
"""The host's own tools that write files, each with the argument that names the file."""

_PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
_EVENT = re.compile(rb'(?<!\\)"hook_event_name"\s*:\s*"\w+"')
_ARGUMENTS = b'"tool_input"'
BLOCK = 2
"""The exit code that refuses a write, with the reason on standard error."""

_MOST_VIOLATIONS = 20
_SERVER_NOTE = f"The memory tools are those of the MCP server `{SERVER}`."
_CHANGED_PAST_THE_TOOLS = (
    "records of the memory were changed past the memory tools, and break its rules:"
)
_MEND = (
    f"Mend all of them with memory_edit or memory_write of the MCP server `{SERVER}`, and change"
    " records through its tools only."
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the host is told: an exit code, JSON on standard output, a note on standard error.

    An output that denies a write has the reason in `denial` too, for when nobody can read it.
    """

    exit_code: int = 0
    output: str = ""
    note: str = ""
    denial: str = ""


@dataclass(frozen=True, slots=True)
class _Call:
    """A tool call that the host tells of: which event, which tool, with what, from where."""

    event: str
    tool: str
    arguments: Mapping[str, Any]
    folder: Path


_Handler = Callable[[_Call, Path | None, Mapping[str, str]], Answer]


def answer(
    raw: bytes, named: Path | None = None, environ: Mapping[str, str] = os.environ
) -> Answer:
    """Answer the hook whose JSON is `raw`; `named` is the root, where the hook is told one."""
    try:
        call = _parse(raw)
        handle = _HANDLERS.get(call.event)
        return handle(call, named, environ) if handle else Answer()
    except BaseException as error:  # whatever it is, it is no permission to write
        reason = f"{type(error).__name__}: {error}"
        if not _may_be_a_write(raw):
            return Answer(note=f"the hook could not do its work: {reason}")
        return refused(reason)


def refused(reason: str) -> Answer:
    """Refuse what may be a write and could not be judged."""
    return Answer(BLOCK, note=f"the write is refused, since it could not be judged: {reason}")


def _parse(raw: bytes) -> _Call:
    """Read the hook's JSON.

    Raises:
        ValueError: it is none, or a part of it is not what it should be.
    """
    given = json.loads(raw)
    if not isinstance(given, dict):
        raise TypeError("the hook's input is no JSON object")
    return _Call(
        _member(given, "hook_event_name", str),
        _member(given, "tool_name", str, ""),
        _member(given, "tool_input", dict, {}),
        Path(_member(given, "cwd", str, "")).absolute(),
    )


def _member(given: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    value = given.get(name, default)
    if not isinstance(value, kind):
        raise TypeError(f"`{name}` is missing or of the wrong type: {value!r}"[:200])
    return value


def _may_be_a_write(raw: bytes) -> bool:
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


def _before(call: _Call, named: Path | None, environ: Mapping[str, str]) -> Answer:
    """Deny a generic write to the memory, and to what protects its rules."""
    if call.tool not in WRITE_TOOLS:
        return Answer()
    paths = [_as_host_takes_it(path, call.folder) for path in _written(call)]
    roots = _roots(call, paths, named, environ)
    if not roots:
        return Answer()
    project = environ.get(_PROJECT_VARIABLE)
    for root in roots:
        scope = Scope.without_memory(root, project=Path(project) if project else None)
        for path in paths:
            fault = scope.fault(path, write=True)
            if fault:
                return _deny(f"{fault}. {_SERVER_NOTE}")
    return Answer()


def _written(call: _Call) -> list[str]:
    """Return every path that the arguments of a write tool name.

    Raises:
        TypeError: one is no text, or the one that the tool needs is not there.
    """
    others = (name for name in sorted({*WRITE_TOOLS.values()}) if name in call.arguments)
    names = dict.fromkeys((WRITE_TOOLS[call.tool], *others))
    return [_member(call.arguments, name, str) for name in names]


def _as_host_takes_it(path: str, folder: Path) -> str:
    """Return `path` as it counts for the host: from its working folder, not from the workspace."""
    return path if path.startswith("~") else os.path.join(folder, path)  # noqa: PTH118 - keeps `..`


def _deny(reason: str) -> Answer:
    decision = {
        "hookEventName": BEFORE,
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }
    return Answer(output=_json({"hookSpecificOutput": decision}), denial=reason)


def _after(call: _Call, named: Path | None, environ: Mapping[str, str]) -> Answer:
    """Give back to the model what is wrong with records that were changed past the tools."""
    reports = [_judge(root) for root in _roots(call, (), named, environ)]
    failures = dict.fromkeys(failure for report in reports for failure in report.failures)
    note = "; ".join(f"{failure.where}: {failure.message}" for failure in failures)
    lines = [violation(error) for report in reports for error in report.errors]
    if not lines:
        return Answer(note=note)
    left_out = len(lines) - _MOST_VIOLATIONS
    more = [f"- and {left_out} more: `yoimem check` names all"] if left_out > 0 else []
    reason = [_CHANGED_PAST_THE_TOOLS, *lines[:_MOST_VIOLATIONS], *more, _MEND]
    return Answer(output=_json({"decision": "block", "reason": "\n".join(reason)}), note=note)


def _judge(root: Root) -> Report:
    """Judge the records of `root` that were changed past the tools.

    Where one is gone, whatever names it is wrong now, so that everything is judged.
    """
    plugins = load_plugins(root, trusted_only=True)
    changed = unexplained_records(root.path, plugins.kinds.folders)
    if not changed:
        return Report(str(root.path), (), (), 0)
    is_one_gone = any(record.why == "gone" for record in changed)
    only = None if is_one_gone else {record.path for record in changed}
    return lint(root, only=only, plugins=plugins)


def _roots(
    call: _Call, paths: Iterable[str], named: Path | None, environ: Mapping[str, str]
) -> list[Root]:
    """Return the memories that a call may touch.

    They are the one that is named, and those at or above the host's working folder, its project
    and the paths of the call: an agent that has gone elsewhere still writes here.

    Raises:
        RootNotFoundError: a memory is named and is not there.
    """
    found: list[Root] = []
    if named or environ.get(ROOT_VARIABLE):
        found.append(find_root(call.folder, given=named, environ=environ))
    project = environ.get(_PROJECT_VARIABLE)
    places = [call.folder, *([Path(project)] if project else []), *_places(paths)]
    for place in places:
        with suppress(RootNotFoundError):
            found.append(find_root(place, environ={}))
    return list(dict.fromkeys(found))


def _places(paths: Iterable[str]) -> Iterator[Path]:
    """Yield where `paths` lead, by name and by links."""
    for path in paths:
        full = os.path.expanduser(path)  # noqa: PTH111 - an unknown user is no error
        yield Path(os.path.normpath(full))
        yield Path(os.path.realpath(full))


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content) + "\n"


_HANDLERS: Mapping[str, _Handler] = {BEFORE: _before, AFTER: _after}
