"""Wrapping a generic tool so that it asks a scope first."""

import inspect
import os
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path, PurePath
from typing import Any, TypeVar, cast

from yoimem.tools.errors import MemoryToolError
from yoimem.tools.scope import Scope

PATH_ARGUMENTS = (
    "path",
    "file_path",
    "notebook_path",
    "dest",
    "destination",
    "target",
    "src",
    "source",
    "old_path",
    "new_path",
)
"""The arguments that hold a path, as tools commonly call them."""

Tool = TypeVar("Tool", bound=Callable[..., Any])


def guard(
    tool: Tool,
    scope: Scope,
    *,
    paths: Sequence[str] = PATH_ARGUMENTS,
    write: bool = True,
) -> Tool:
    """Wrap `tool` so that it runs only where `scope` allows the paths it is given.

    `paths` names the arguments that hold a path or a list of them; None is no path. **Every one
    must be named**: what is not named is not looked at. By default they are those of
    `PATH_ARGUMENTS` that `tool` has. A relative path is held against the workspace and against the
    process's working folder. The wrapped tool raises `MemoryToolError` with the code `denied`
    before `tool` runs. An async function stays one.

    `tool` gets the very text that was looked at, as a `str`, or as a `Path` where it was given one.

    The check comes before the use: a process that swaps a link between the two is not caught. A
    tool that reads whole folders, or runs a shell, asks nothing about what it meets there.

    Raises:
        TypeError: `tool` has no argument of these names, so that nothing would be guarded.
    """
    signature = inspect.signature(tool)
    if not any(name in signature.parameters for name in paths):
        names = ", ".join(paths)
        raise TypeError(
            f"{tool!r} has none of the arguments {names}: name the ones that hold a path in `paths`"
        )

    rest = next((p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), None)

    def checked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for given in (bound.arguments, bound.arguments[rest] if rest else {}):
            for name in paths:
                if name in given:
                    given[name] = _allowed(scope, given[name], write=write)
        return bound

    @wraps(tool)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        bound = checked(args, kwargs)
        return tool(*bound.args, **bound.kwargs)

    @wraps(tool)
    async def guarded_async(*args: Any, **kwargs: Any) -> Any:
        bound = checked(args, kwargs)
        return await tool(*bound.args, **bound.kwargs)

    return cast("Tool", guarded_async if inspect.iscoroutinefunction(tool) else guarded)


def _allowed(scope: Scope, value: object, *, write: bool) -> object:
    """Return the paths of an argument as they were looked at.

    Raises:
        MemoryToolError: `scope` does not allow one.
    """
    if value is None:
        return None
    for kind in (list, tuple, set, frozenset):
        if isinstance(value, kind):
            return kind(_allowed(scope, item, write=write) for item in value)
    if not isinstance(value, str | bytes | os.PathLike):
        raise MemoryToolError("denied", f"{value!r} is no path, so nobody knows what it leads to")
    text = str.__str__(os.fsdecode(value))  # asked once, and of no class of its own
    _require_allowed(scope, text, write=write)
    return Path(text) if isinstance(value, PurePath) else text


def _require_allowed(scope: Scope, text: str, *, write: bool) -> None:
    here = os.path.join(os.getcwd(), text)  # noqa: PTH109, PTH118 - kept as it is spelled
    for reading in dict.fromkeys((text, here if text else text)):
        fault = scope.fault(reading, write=write)
        if fault:
            raise MemoryToolError("denied", fault)
