"""Where a memory lives: its workspace, its root, what in it is a record (design, section 2)."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT_FOLDER = ".yoi"
ROOT_VARIABLE = "YOIMEM_ROOT"
MEMORY_FOLDERS = ("memory", "knowledge")
README = "README.md"


class RootNotFoundError(Exception):
    """There is no memory where one was looked for."""


@dataclass(frozen=True, slots=True)
class Root:
    """A memory: `path` holds `memory/` and `knowledge/`, `workspace` is the project around it."""

    path: Path
    workspace: Path


def find_root(
    start: Path, *, given: Path | None = None, environ: Mapping[str, str] = os.environ
) -> Root:
    """Find the root that `given` names, or `YOIMEM_ROOT`, or the nearest one at or above `start`.

    Raises:
        RootNotFoundError: there is none; the message says how to make one.
    """
    named = given or (Path(environ[ROOT_VARIABLE]) if environ.get(ROOT_VARIABLE) else None)
    if named is not None:
        root = root_at(named)
        if root is None:
            raise RootNotFoundError(
                f"{named} holds no `{ROOT_FOLDER}/`, and no `memory/` or `knowledge/` of its own"
            )
        return root
    for folder in (start.absolute(), *start.absolute().parents):
        root = _root_above(folder)
        if root is not None:
            return root
    raise RootNotFoundError(
        f"no `{ROOT_FOLDER}/` in {start.absolute()} or above it; `yoimem init` makes one"
    )


def root_at(folder: Path) -> Root | None:
    """Return the root that `folder` is or holds; a `.yoi` in it wins over the older layout."""
    named, real = folder.absolute(), Path(os.path.realpath(folder))
    for place in (named, real):
        if place.name == ROOT_FOLDER and place.is_dir():
            return Root(real, Path(os.path.realpath(place.parent)))
    inner = real / ROOT_FOLDER
    if inner.is_dir():
        return Root(Path(os.path.realpath(inner)), real)
    # A folder inside a root is no root of its own, whatever it is called.
    if ROOT_FOLDER not in real.parts and any((real / name).is_dir() for name in MEMORY_FOLDERS):
        return Root(real, real)
    return None


def require_root(root: Path | str | Root) -> Root:
    """Return the root that `root` names, is or holds.

    Raises:
        RootNotFoundError: there is none; the message says how to make one.
    """
    place = root if isinstance(root, Root) else root_at(Path(root))
    if place is None:
        raise RootNotFoundError(
            f"{root} holds no memory: no `.yoi/`, `memory/` or `knowledge/`;"
            " `yoimem init` makes one"
        )
    return place


def _root_above(folder: Path) -> Root | None:
    """Return the root that an ancestor is or holds; only a `.yoi` counts for what was not named."""
    if folder.name == ROOT_FOLDER or (folder / ROOT_FOLDER).is_dir():
        return root_at(folder)
    return None


def is_reserved(path: str) -> bool:
    """Tell whether the root-relative `path` is yoimem's own: below a `memory/_…` folder, a lock."""
    parts = path.split("/")
    return len(parts) > 1 and parts[0] == "memory" and parts[1].startswith("_")


def is_linted(path: str, folders: frozenset[str]) -> bool:
    """Tell whether the file at the root-relative `path` is judged; `folders` are the kinds' own."""
    pure = PurePosixPath(path)
    return (
        pure.parts[0] in folders
        and len(pure.parts) > 1
        and pure.suffix.lower() == ".md"
        and pure.name != README
        and not is_reserved(path)
        and not any(part.startswith(".") for part in pure.parts)
        and not any(part.lower().endswith(".md") for part in pure.parts[:-1])
    )
