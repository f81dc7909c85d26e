"""What a generic file tool may touch: everything but the memory and what protects its rules."""

import os
import stat
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from yoimem.lint.config import OWN_FILE, SHARED_FILE
from yoimem.lint.errors import ConfigError
from yoimem.lint.host import load_plugins
from yoimem.lint.trust import trust_file
from yoimem.records.kinds import Kinds
from yoimem.workspace.layout import ROOT_FOLDER, Root, is_reserved, require_root
from yoimem.workspace.store import UnreadableError, read_file

HOST_SETTINGS = (".claude/settings.json", ".claude/settings.local.json", ".mcp.json")
"""Where a host keeps the hooks and permissions that guard the memory, below a project's folder."""

_MORE_HOST_SETTINGS = ".claude/settings*.json"  # a host can be started with any of them
_USER_SETTINGS = ("~/.claude/settings.json", "~/.claude/settings.local.json", "~/.claude.json")
_USER_FOLDER_VARIABLE = "CLAUDE_CONFIG_DIR"
_WORKFLOW = "workflow"
_INNER_WORKFLOW = "memory/workflow/"
_Holds = Literal["records", "workflows", "rules", "settings", "newer root", "unknown"]
_Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder that generic tools are kept away from.

    `inside` is its path below the root or the workspace. It may be read where it is `readable`. A
    place with `with_table_only` counts only while the file holds `[tool.yoimem]`.
    """

    path: Path
    inside: str
    holds: _Holds
    readable: bool = True
    with_table_only: bool = False


@dataclass(frozen=True, slots=True)
class _Hit:
    """A place that a path leads to, and the `rest` of the path below it."""

    place: Place
    rest: tuple[str, ...]

    @property
    def inside(self) -> str:
        return "/".join((self.place.inside, *self.rest))


_Located = tuple[Path, Place]


@dataclass(frozen=True, slots=True)
class Scope:
    """The files that a generic tool may touch; relative paths start at `workspace`.

    A path is taken in every way that some tool or file system may take it: with `..` resolved
    before links or after them, `~` as a name or as the home folder, a backslash as a character or
    as a separator, names in any case and Unicode form. One forbidden reading is enough.

    The answer holds for the moment of the question. A process that swaps a link or a folder between
    this look and the tool's own use of the path is not seen, and a shell does not ask at all.
    """

    workspace: Path
    places: tuple[Place, ...]

    @classmethod
    def without_memory(
        cls,
        root: Root | Path | str,
        *,
        read: bool = False,
        kinds: Kinds | None = None,
        project: Path | None = None,
    ) -> "Scope":
        """Make the scope of tools that leave the memory at `root` to the memory tools.

        Neither read nor written are the folders of the records; with `read`, and for workflows
        always, they are only not written. Not written either are the configuration, each place
        where a second one could be dropped, the local plugins that it names, what says which of
        these are trusted, and the host's settings: those of the user, and those in the workspace
        and in `project`, where the host was started, and in every folder above them.

        `kinds` are the kinds of record in force; plugins add some that live in folders of their
        own. Where they are not given the plugins are loaded, local ones only as a person trusted
        them. While one fails, or the configuration, nobody knows all folders of records, and the
        whole `.yoi/` is left alone.

        Raises:
            RootNotFoundError: there is no memory at `root`.
        """
        found = require_root(root)
        known, are_all = (kinds, True) if kinds is not None else _kinds(found)
        places = [*_folders(found, sorted(known.folders), read), *_rules(found)]
        places += _host_settings(found, project)
        if found.path == found.workspace:
            places.append(Place(found.path / ROOT_FOLDER, ROOT_FOLDER, "newer root"))
        elif not are_all:
            places.append(Place(found.path, ROOT_FOLDER, "unknown", read))
        return cls(found.workspace, tuple(places))

    def allows(self, path: str | os.PathLike[str], *, write: bool) -> bool:
        """Tell whether `path` may be read, or written with `write`."""
        return not self.fault(path, write=write)

    def fault(self, path: str | os.PathLike[str], *, write: bool) -> str:
        """Say why `path` may not be read, or written with `write`; empty when it may."""
        text = os.fsdecode(path)
        if not text or "\0" in text:
            return f"{text!r} is no path"
        try:
            readings = tuple(dict.fromkeys(self._readings(text)))
            located = tuple(self._located(write=write))
            hit = _find(readings, located)
            above = _above(readings, located) if write else None
        except ValueError:  # what no file system takes, like half of a surrogate pair
            return f"{text!r} is no path"
        if hit is not None:
            return f"{text!r} is refused: {_instead(hit, write=write)}"
        if above is not None:
            return f"{text!r} is refused: it holds {above.inside}, which generic tools leave alone"
        return ""

    def _located(self, *, write: bool) -> Iterator[_Located]:
        """Yield the places that count now: where each is, and where links lead from there."""
        for place in self._places_now():
            if write or not place.readable:
                for location in dict.fromkeys((place.path, Path(os.path.realpath(place.path)))):
                    yield location, place

    def _places_now(self) -> Iterator[Place]:
        """Yield the places that count while the shared configuration says what it does now."""
        for place in self.places:
            table = _table(place.path) if place.with_table_only else {}
            if table is None:
                continue
            yield place
            for name in _local_plugins(table):
                path = os.path.normpath(self.workspace / name)
                yield Place(Path(path), name, "rules")

    def _readings(self, text: str) -> Iterator[Path]:
        """Yield the absolute paths that `text` may mean."""
        slashed = text.replace("\\", "/")
        home, slashed_home = os.path.expanduser(text), os.path.expanduser(slashed)  # noqa: PTH111
        for spelling in (text, slashed, home, slashed_home):
            full = os.path.join(self.workspace, spelling)  # noqa: PTH118
            plain = os.path.normpath(full)
            for reading in (plain, os.path.realpath(full), os.path.realpath(plain)):
                yield Path(reading)


def _kinds(root: Root) -> tuple[Kinds, bool]:
    """Return the kinds of record that are known for `root`, and whether they are all there are."""
    try:
        plugins = load_plugins(root, trusted_only=True)
    except ConfigError:  # whoever judges tells of it, and the memory stays guarded
        return load_plugins().kinds, False
    return plugins.kinds, not plugins.failures


def _folders(root: Root, folders: Iterable[str], read: bool) -> Iterator[Place]:
    for folder in folders:
        holds: _Holds = "workflows" if folder == _WORKFLOW else "records"
        yield Place(root.path / folder, folder, holds, read or holds == "workflows")


def _rules(root: Root) -> Iterator[Place]:
    """Yield what decides which rules hold."""
    shared = root.workspace / SHARED_FILE
    yield Place(shared, SHARED_FILE, "rules", with_table_only=True)
    yield Place(root.workspace / OWN_FILE, OWN_FILE, "rules")
    if root.path != root.workspace:
        for name in (SHARED_FILE, OWN_FILE):
            yield Place(root.path / name, name, "rules")
    yield Place(trust_file(), str(trust_file()), "rules")


def _host_settings(root: Root, project: Path | None) -> Iterator[Place]:
    """Yield what decides whether the host asks the rules: any folder above may be its project."""
    for name in HOST_SETTINGS:
        yield Place(root.workspace / name, name, "settings")
    starts = [root.workspace, *([project.absolute()] if project else [])]
    folders = dict.fromkeys(folder for start in starts for folder in (start, *start.parents))
    for folder in folders:
        fixed = (folder / name for name in HOST_SETTINGS)
        for path in dict.fromkeys((*fixed, *folder.glob(_MORE_HOST_SETTINGS))):
            yield Place(path, str(path), "settings")
    for name in _USER_SETTINGS:
        yield Place(Path(os.path.expanduser(name)), name, "settings")  # noqa: PTH111 - or no home
    configured = os.environ.get(_USER_FOLDER_VARIABLE)
    for name in ("settings.json", "settings.local.json", ".claude.json") if configured else ():
        path = Path(configured or "", name).absolute()
        yield Place(path, str(path), "settings")


def _table(path: Path) -> Mapping[str, Any] | None:
    """Return `[tool.yoimem]` of the file at `path`; an empty one where it cannot be ruled out."""
    try:
        data = read_file(path) or b""
    except UnreadableError:
        return {}
    try:
        tool = tomllib.loads(data.decode()).get("tool")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {} if b"yoimem" in data else None
    if not isinstance(tool, dict) or "yoimem" not in tool:
        return None
    table = tool["yoimem"]
    return table if isinstance(table, dict) else {}


def _local_plugins(table: Mapping[str, Any]) -> Iterator[str]:
    names = table.get("local-plugins")
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and Path(name).parts:
            yield name


def _find(readings: Iterable[Path], located: Iterable[_Located]) -> _Hit | None:
    """Return the place that one of `readings` leads to, by its name or as the same file."""
    identities = {_identity(location): place for location, place in located}
    identities.pop(None, None)
    for reading in readings:
        for location, place in located:
            if _begins(reading, location):
                return _Hit(place, reading.parts[len(location.parts) :])
        for ancestor in (reading, *reading.parents):
            same = identities.get(_identity(ancestor))
            if same is not None:
                return _Hit(same, reading.parts[len(ancestor.parts) :])
        linked = _hard_linked(reading, located)
        if linked is not None:
            return linked
    return None


def _above(readings: Iterable[Path], located: Iterable[_Located]) -> Place | None:
    """Return a place that one of `readings` holds: who may write that may move it away."""
    held = (p for reading in readings for location, p in located if _begins(location, reading))
    return next(held, None)


def _begins(path: Path, start: Path) -> bool:
    count = len(start.parts)
    if len(path.parts) < count:
        return False
    return [*map(_folded, path.parts[:count])] == [*map(_folded, start.parts)]


def _folded(part: str) -> str:
    """Return `part` as the most careless file system compares names.

    Case and Unicode form do not count, nor what HFS+ passes over (format characters) and what
    Windows does (blanks and dots at the end, the name of a stream).
    """
    visible = "".join(char for char in part if unicodedata.category(char) != "Cf")
    folded = unicodedata.normalize("NFC", visible.casefold())
    return folded.partition(":")[0].rstrip(" .")


def _identity(path: Path) -> _Identity | None:
    """Return what two names of one file share; None when there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _hard_linked(path: Path, located: Iterable[_Located]) -> _Hit | None:
    """Return the file in a place that `path` is another name of."""
    try:
        status = path.stat()
    except OSError:
        return None
    if status.st_nlink < 2 or not stat.S_ISREG(status.st_mode):  # noqa: PLR2004
        return None
    for location, place in located:
        for folder, _, names in os.walk(location):
            for name in names:
                if _identity(Path(folder, name)) == (status.st_dev, status.st_ino):
                    return _Hit(place, Path(folder, name).relative_to(location).parts)
    return None


_WHY: Mapping[_Holds, str] = {
    "rules": "decides which rules hold for the memory; ask a person to change it",
    "settings": "decides what guards the memory; ask a person to change it",
    "newer root": "would hide the memory that stands beside it; ask a person to move that",
    "unknown": (
        "may hold records: while a plugin or the configuration fails, not all kinds of record are"
        " known; `yoimem check` says what to mend"
    ),
}


def _instead(hit: _Hit, *, write: bool) -> str:
    """Say what protects the place of `hit`, and what to do instead."""
    why = _WHY.get(hit.place.holds)
    if why is not None:
        return f"{hit.inside} {why}"
    if write and (hit.place.holds == "workflows" or hit.inside.startswith(_INNER_WORKFLOW)):
        return f"{hit.inside} belongs to the workflows, which people write; ask one to change it"
    if is_reserved(hit.inside):
        return f"{hit.inside} is yoimem's own; memory_list names the records that are there"
    if not hit.inside.endswith(".md"):
        return f"{hit.inside} belongs to the memory; memory_list names the records that are there"
    tools = "memory_write, memory_edit or memory_delete" if write else "memory_read"
    return f"it is a record of the memory; use {tools} with the path {hit.inside}"
