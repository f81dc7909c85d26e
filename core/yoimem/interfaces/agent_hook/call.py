"""What a hook is told: an event of the agent's host, read from its JSON."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yoimem.workspace.layout import ROOT_VARIABLE, Root, RootNotFoundError, find_root

PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"


@dataclass(frozen=True, slots=True)
class Call:
    """An event that the host tells of.

    `tool` is called with `arguments`, where the event is about a tool; `prompt` is what a person
    typed. `session` is the host's id of the session, None if it gives none, and `transcript` the
    log of it. `folder` is where the host works.
    """

    event: str
    tool: str
    arguments: Mapping[str, Any]
    folder: Path
    prompt: str = ""
    session: str | None = None
    transcript: str = ""


def parse(raw: bytes) -> Call:
    """Read the hook's JSON.

    Raises:
        ValueError: it is none.
        TypeError: a part of it is not what it should be.
    """
    given = json.loads(raw)
    if not isinstance(given, dict):
        raise TypeError("the hook's input is no JSON object")
    return Call(
        event=member(given, "hook_event_name", str),
        tool=member(given, "tool_name", str, ""),
        arguments=member(given, "tool_input", dict, {}),
        folder=Path(member(given, "cwd", str, "")).absolute(),
        prompt=member(given, "prompt", str, ""),
        session=member(given, "session_id", str, "") or None,
        transcript=member(given, "transcript_path", str, ""),
    )


def member(given: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    """Return the member `name` of `given`.

    Raises:
        TypeError: it is no `kind`.
    """
    value = given.get(name, default)
    if not isinstance(value, kind):
        raise TypeError(f"`{name}` is missing or of the wrong type: {value!r}"[:200])
    return value


def as_host_takes_it(path: str, folder: Path) -> str:
    """Return `path` as it counts for the host: from its working folder, not from the workspace."""
    return path if path.startswith("~") else os.path.join(folder, path)  # noqa: PTH118 - keeps `..`


def roots_of(
    call: Call, paths: Iterable[str], named: Path | None, environ: Mapping[str, str]
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
    project = environ.get(PROJECT_VARIABLE)
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
