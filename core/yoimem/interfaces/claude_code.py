"""What Claude Code is told about a memory: its hooks, permissions and MCP server.

Nothing that stands in its files is lost or moved; what is there already is not added again, and an
entry made for another installation of yoimem is brought up to date.
"""

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yoimem.interfaces.agent_hook import (
    AFTER,
    BEFORE,
    COMPACT,
    PROMPT,
    READ_TOOL,
    SERVER,
    START,
    STOP,
    WRITE_TOOLS,
)
from yoimem.interfaces.json_text import JsonTextError, decode, read_object, write_object
from yoimem.workspace.layout import Root
from yoimem.workspace.store import Store, UnreadableError, read_file

SETTINGS_FILE = ".claude/settings.json"
SERVERS_FILE = ".mcp.json"
_LOCAL_SETTINGS_FILE = ".claude/settings.local.json"

# `-P`: the folder that an agent works in, and writes into, must not be searched for modules.
_SAFE = "-P"
_HOOK = ("-m", "yoimem", "agent-hook", "claude-code")
_SERVE = (_SAFE, "-m", "yoimem", "mcp")
_SHELLS = ("Bash", "PowerShell")
_TOOLS: Mapping[str, tuple[str, ...]] = {
    BEFORE: (*WRITE_TOOLS,),
    AFTER: (*_SHELLS, READ_TOOL, *WRITE_TOOLS),
    START: (),
    PROMPT: (),
    STOP: (),
    COMPACT: (),
}
"""The events that the hook is called for, each with the tools it is about, if it is about tools."""
_SECONDS: Mapping[str, int] = {COMPACT: 300}
"""How long the host waits, where its own patience is too short for a model to answer."""
_FOLDERS = ("memory", "knowledge", "workflow")

_Content = dict[str, Any]


class SettingsError(Exception):
    """A file of the host that nothing can be added to; the message names it and says why."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file of the workspace as it stands, None when it does not, and as it is to be."""

    path: str
    before: bytes | None
    after: bytes

    @property
    def verb(self) -> str:
        """What becomes of the file."""
        if self.before is None:
            return "made"
        return "kept" if self.before == self.after else "changed"

    def make(self, workspace: Path) -> bool:
        """Write the file, whole or not at all; False when it changed meanwhile.

        Raises:
            OSError: it cannot be written.
        """
        if self.before == self.after:
            return read_file(workspace / self.path) == self.before
        return Store(workspace).replace(self.path, self.before, self.after)


def plan(root: Root) -> tuple[Change, ...]:
    """Return the files that tell Claude Code of the memory at `root`; nothing is written.

    Raises:
        SettingsError: a file cannot be added to.
    """
    parts: Mapping[str, Callable[[_Content, Root], None]] = {
        SETTINGS_FILE: _add_settings,
        SERVERS_FILE: _add_server,
    }
    return tuple(_change(root, path, add) for path, add in parts.items())


def files_without_hooks(root: Root) -> list[str]:
    """Name the settings of the workspace that switch every hook off."""
    return [name for name in (SETTINGS_FILE, _LOCAL_SETTINGS_FILE) if _are_hooks_off(root, name)]


def _are_hooks_off(root: Root, path: str) -> bool:
    try:
        content = read_object(decode(read_file(root.workspace / path) or b""))
    except (UnreadableError, JsonTextError):  # the host does not take it either
        return False
    return content.get("disableAllHooks") is True


def _change(root: Root, path: str, add: Callable[[_Content, Root], None]) -> Change:
    try:
        before = read_file(root.workspace / path)
        text = decode(before or b"")
        content = read_object(text)
        add(content, root)
        if before is not None and content == read_object(text):
            return Change(path, before, before)
        return Change(path, before, write_object(content, text).encode())
    except (UnreadableError, ValueError, RecursionError) as error:
        raise SettingsError(
            f"{root.workspace / path}: {error}; mend it, then run this again. Nothing was written"
        ) from error


def _add_settings(content: _Content, root: Root) -> None:
    hooks = _within(content, "hooks", dict)
    for event, tools in _TOOLS.items():
        groups = _within(hooks, event, list, f"hooks.{event}")
        _add_hook(groups, tools, _hook_command(root), _SECONDS.get(event))
    permissions = _within(content, "permissions", dict)
    denied = _within(permissions, "deny", list, "permissions.deny")
    denied += [rule for rule in _denials(root) if rule not in denied]


def _add_hook(groups: list[Any], tools: Sequence[str], command: str, seconds: int | None) -> None:
    """Add `command` to the hooks of an event, unless yoimem is called for all `tools` already."""
    is_there = False
    for group in groups:
        for hook in _yoimem_hooks(group):
            if _is_our_own(hook["command"]):
                hook["command"] = command
            is_there = is_there or _is_for_all(group, tools)
    if not is_there:
        hook = {"type": "command", "command": command}
        timeout = {"timeout": seconds} if seconds else {}
        matcher = {"matcher": "|".join(tools)} if tools else {}
        groups.append({**matcher, "hooks": [{**hook, **timeout}]})


def _yoimem_hooks(group: Any) -> Iterator[_Content]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    for hook in hooks if isinstance(hooks, list) else []:
        there = hook.get("command") if isinstance(hook, dict) else None
        if isinstance(there, str) and " ".join(_HOOK[1:]) in there:
            yield hook


def _is_for_all(group: _Content, tools: Sequence[str]) -> bool:
    """Tell whether the hooks of `group` run for each of `tools`."""
    matcher = group.get("matcher", "")
    if not isinstance(matcher, str):
        return False
    if not tools or matcher in {"", "*"}:
        return matcher in {"", "*"}
    try:
        return all(re.fullmatch(matcher, tool) for tool in tools)
    except re.error:
        return False


def _is_our_own(command: str) -> bool:
    """Tell whether `command` is one that this module wrote, for whichever interpreter."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    given = [word for word in words[1:] if word != _SAFE]
    return tuple(given[:4]) == _HOOK and tuple(given[4:5]) in {(), ("--root",)}


def _hook_command(root: Root) -> str:
    """Return the hook's command, for a shell: a `.yoi/` is found by itself, another root is not."""
    found_by_itself = root.path != root.workspace
    options = () if found_by_itself else ("--root", root.path.as_posix())
    return shlex.join((Path(sys.executable).as_posix(), _SAFE, *_HOOK, *options))


def _denials(root: Root) -> list[str]:
    """Return the permission rules against writes to the memory.

    Only `Edit` rules are asked for paths; they hold for every tool that writes files. A path with
    one slash begins at the project, with two at the top of the file system.
    """
    if root.path.is_relative_to(root.workspace):
        base = f"/{root.path.relative_to(root.workspace).as_posix()}"
    else:
        base = f"//{root.path.as_posix().lstrip('/')}"
    base = base.removesuffix("/.")
    return [f"Edit({base}/{folder}/**)" for folder in _FOLDERS]


def _add_server(content: _Content, root: Root) -> None:
    servers = _within(content, "mcpServers", dict)
    arguments = [*_SERVE, "--root", str(root.path)]
    server = servers.get(SERVER)
    if server is None:
        servers[SERVER] = {"type": "stdio", "command": sys.executable, "args": arguments}
        return
    there = server.get("args") if isinstance(server, dict) else None
    if isinstance(there, list) and there[: len(arguments) - 1] == arguments[:-1]:
        server["command"] = sys.executable
        server["args"] = [*arguments, *there[len(arguments) :]]


def _within(content: _Content, name: str, kind: type, label: str = "") -> Any:
    """Return what `content` holds under `name`, an empty `kind` when there is nothing yet.

    Raises:
        JsonTextError: it is no `kind`.
    """
    found = content.setdefault(name, kind())
    if not isinstance(found, kind):
        wanted = "an object" if kind is dict else "a list"
        raise JsonTextError(f"`{label or name}` in it is not {wanted}")
    return found
