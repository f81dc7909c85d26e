"""Which records of which root the paths of a command line mean."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from yoimem.workspace.layout import (
    MEMORY_FOLDERS,
    README,
    Root,
    RootNotFoundError,
    find_root,
    is_linted,
    is_reserved,
    root_at,
)


class TargetError(Exception):
    """A path that means no record; the message says why."""


@dataclass
class Targets:
    """The records of one root that are meant: `whole`, or some files and folders of it."""

    root: Root
    whole: bool = False
    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)

    def __contains__(self, path: object) -> bool:
        """Tell whether the root-relative `path` is meant."""
        if self.whole or path in self.files:
            return True
        return any(str(path).startswith(f"{folder}/") for folder in self.folders)


def find_targets(paths: Iterable[Path], folders: frozenset[str]) -> list[Targets]:
    """Return what `paths` mean, by root, in the order given.

    `folders` are the top folders in which the kinds of record live.

    Raises:
        TargetError: a path is missing, or is no place of a record.
        RootNotFoundError: a path belongs to no memory.
    """
    found: dict[Path, Targets] = {}
    for path in paths:
        if not os.path.lexists(path):
            raise TargetError(f"there is no {path}")
        root = _root_of(path)
        targets = found.setdefault(root.path, Targets(root))
        _add(targets, path, folders)
    return list(found.values())


def roots_of(paths: Iterable[Path]) -> list[Root]:
    """Return the roots to which those of `paths` belong that are there, each once.

    Raises:
        RootNotFoundError: a path belongs to no memory.
    """
    found = (_root_of(path) for path in paths if os.path.lexists(path))
    return list({root.path: root for root in found}.values())


def in_root(path: Path, root: Root) -> str:
    """Return `path` relative to `root`, with `/`; empty when it is the root, or holds it.

    The last part is kept as it is, so that a link is told by its own name.

    Raises:
        TargetError: it lies elsewhere.
    """
    # `Path.resolve` raises for a link that leads to itself.
    target = Path(os.path.realpath(path))
    if root.path.is_relative_to(target):
        return ""
    full = path.absolute()
    whole = target if full.name == ".." else Path(os.path.realpath(full.parent)) / full.name
    try:
        return whole.relative_to(root.path).as_posix()
    except ValueError as error:
        raise TargetError(f"{path} is not below the memory at {root.path}") from error


def root_of_file(path: Path) -> Root:
    """Return the root to which a file at `path` belongs, whether it is there or not.

    Raises:
        RootNotFoundError: it belongs to none.
    """
    try:
        return find_root(path.absolute().parent, environ={})
    except RootNotFoundError:
        full = path.absolute()
        for parent in full.parents:
            if parent.name in MEMORY_FOLDERS and (root := root_at(parent.parent)):
                return root
        raise


def _root_of(path: Path) -> Root:
    if not path.is_dir():
        return root_of_file(path)
    return root_at(path) or root_of_file(path / "any")


def _add(targets: Targets, path: Path, folders: frozenset[str]) -> None:
    inside = in_root(path, targets.root)
    if not inside:
        targets.whole = True
    elif path.is_dir() and not path.is_symlink() and not is_linted(inside, folders):
        _require_place(path, inside.split("/")[0] in folders)
        targets.folders.add(inside)
    elif is_linted(inside, folders):
        targets.files.add(inside)
    else:
        _require_place(path, path.name == README or is_reserved(inside))


def _require_place(path: Path, holds: bool) -> None:
    if not holds:
        raise TargetError(
            f"{path} is no place of a record: records are the `.md` files below `memory/`,"
            " `knowledge/` and `workflow/`"
        )
