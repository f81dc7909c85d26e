"""Wrapping a generic tool so that it asks a scope first."""

import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

from yoimem.tools.errors import MemoryToolError
from yoimem.tools.scope import Scope

Tool = TypeVar("Tool", bound=Callable[..., Any])


def guard(
    tool: Tool,
    scope: Scope,
    *,
    paths: Sequence[str] = ("path", "file_path", "notebook_path"),
    write: bool = True,
) -> Tool:
    """Wrap `tool` so that it runs only where `scope` allows the paths it is given.

    `paths` names the arguments that hold a path or a list of them; None is no path. A relative path
    is held against the workspace and against the process's working folder. The wrapped tool raises
    `MemoryToolError` with the code `denied` before `tool` runs. An async function stays one.

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

    def check(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {**kwargs, **bound.arguments}
        for name in paths:
            for path in _paths(given.get(name)):
                _require_allowed(scope, path, write=write)

    @wraps(tool)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        check(args, kwargs)
        return tool(*args, **kwargs)

    @wraps(tool)
    async def guarded_async(*args: Any, **kwargs: Any) -> Any:
        check(args, kwargs)
        return await tool(*args, **kwargs)

    return cast("Tool", guarded_async if inspect.iscoroutinefunction(tool) else guarded)


def _paths(value: object) -> Iterator[object]:
    if isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _paths(item)
    elif value is not None:
        yield value


def _require_allowed(scope: Scope, path: object, *, write: bool) -> None:
    if not isinstance(path, str | bytes | os.PathLike):
        raise MemoryToolError("denied", f"{path!r} is no path, so nobody knows what it leads to")
    text = os.fsdecode(path)
    here = os.path.join(os.getcwd(), text)  # noqa: PTH109, PTH118 - kept as it is spelled
    for reading in dict.fromkeys((text, here if text else text)):
        fault = scope.fault(reading, write=write)
        if fault:
            raise MemoryToolError("denied", fault)
