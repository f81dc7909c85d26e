"""Plugins that the repository itself holds, loaded by path (design, section 8).

What is hashed is what runs: the sources are read once, and imported from what was read. Compiled
files beside them are never used, since a hash of the sources says nothing of those.
"""

import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path, PurePosixPath
from types import ModuleType

from yoimem.lint.config import Config
from yoimem.lint.plugin import LoadedPlugin, plugin_failure
from yoimem.lint.report import Failure
from yoimem.lint.trust import TrustError, trusted_hashes
from yoimem.lint.words import words
from yoimem.workspace.layout import Root

_INIT = "__init__.py"


class LocalPluginError(Exception):
    """A path in `local-plugins` that cannot be loaded from; the message says why."""


@dataclass(frozen=True)
class LocalPlugin:
    """A plugin of the repository: the path that names it, where it stands, and its sources.

    `sources` maps the path of each `.py` file, relative to `folder`, to what it holds.
    """

    name: str
    path: Path
    folder: Path
    sources: Mapping[str, bytes]

    @property
    def label(self) -> str:
        """How reports name the plugin."""
        return f"local {self.name}"

    @cached_property
    def sha256(self) -> str:
        """The hash of all its sources and their names."""
        digest = hashlib.sha256()
        for path, source in sorted(self.sources.items()):
            digest.update(f"{path}\0{len(source)}\0".encode("utf-8", "surrogateescape"))
            digest.update(source)
        return digest.hexdigest()

    @property
    def module(self) -> str:
        """The name of its module: another place or another content is another module."""
        digest = hashlib.sha256(os.fsencode(self.path) + self.sha256.encode())
        return f"yoimem_local_{digest.hexdigest()[:16]}"


def load_local_plugins(
    root: Root, config: Config, *, trusted_only: bool
) -> tuple[list[LoadedPlugin], list[Failure]]:
    """Load the `local-plugins` of a workspace; what goes wrong in one is a failure with its name.

    With `trusted_only` nothing is run that nobody trusted as it stands (`yoimem trust`).
    """
    loaded: list[LoadedPlugin] = []
    failures: list[Failure] = []
    for name in config.local_plugins:
        label = f"local {name}"
        try:
            plugin = find_local_plugin(root.workspace, name)
            if trusted_only:
                _require_trusted(plugin)
        except (LocalPluginError, TrustError) as error:
            failures.append(plugin_failure(label, str(error)))
            continue
        try:
            loaded.append(LoadedPlugin(label, _import(plugin)))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a module raises, also to leave the process
            failures.append(plugin_failure(label, f"{name} does not load: {words(error)}"))
    return loaded, failures


def find_local_plugin(workspace: Path, name: str) -> LocalPlugin:
    """Read the sources of the plugin at `name`, a path relative to the workspace.

    Raises:
        LocalPluginError: there is none, or some of it stands outside the workspace.
    """
    pure = PurePosixPath(name)
    if not pure.parts or pure.is_absolute() or Path(name).is_absolute():
        raise LocalPluginError(
            f"{name!r} is no path relative to the workspace, like `rules/team.py`"
        )
    path = _inside(workspace, workspace / name, name)
    if path.is_dir():
        sources = _package(workspace, path, name)
        return LocalPlugin(name, path, path, sources)
    if not path.is_file():
        raise LocalPluginError(f"there is no {name} in the workspace")
    if path.suffix != ".py":
        raise LocalPluginError(f"{name} is no `.py` file, and no folder with an `{_INIT}`")
    return LocalPlugin(name, path, path.parent, {path.name: _read(path, name)})


def _package(workspace: Path, folder: Path, name: str) -> Mapping[str, bytes]:
    sources: dict[str, bytes] = {}
    for parent, _, files in os.walk(folder):
        for file in files:
            path = Path(parent) / file
            if path.suffix == ".py":
                shown = path.relative_to(folder).as_posix()
                target = _inside(workspace, path, f"{name}/{shown}")
                sources[shown] = _read(target, f"{name}/{shown}")
    if _INIT not in sources:
        raise LocalPluginError(f"the folder {name} has no `{_INIT}`, so it is no package")
    return sources


def _inside(workspace: Path, path: Path, shown: str) -> Path:
    """Return where `path` really stands, if that is in the workspace."""
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(workspace):
        raise LocalPluginError(
            f"{shown} stands outside the workspace {workspace}, or is a link that leads out of it"
        )
    return target


def _read(path: Path, shown: str) -> bytes:
    if not path.is_file():
        raise LocalPluginError(f"{shown} is no regular file")
    try:
        return path.read_bytes()
    except OSError as error:
        raise LocalPluginError(f"{shown} cannot be read: {error.strerror}") from error


def _require_trusted(plugin: LocalPlugin) -> None:
    known = trusted_hashes().get(str(plugin.path))
    if known == plugin.sha256:
        return
    if known is None:
        raise LocalPluginError(
            "nobody trusted it on this machine, so it was not run: look at it, then run"
            " `yoimem trust`, and start again"
        )
    raise LocalPluginError(
        "it has changed since it was trusted, so it was not run: look at it, then run"
        " `yoimem trust`, and start again"
    )


def _import(plugin: LocalPlugin) -> ModuleType:
    if _FINDER not in sys.meta_path:
        sys.meta_path.append(_FINDER)
    _FINDER.add(plugin)
    return import_module(plugin.module)


class _Loader(SourceFileLoader):
    """Loads a module from the source that was read, never from a compiled file."""

    def __init__(self, name: str, path: str, source: bytes) -> None:
        super().__init__(name, path)
        self._source = source

    def get_data(self, path: str) -> bytes:
        return self._source if path == self.path else super().get_data(path)

    def path_stats(self, path: str) -> Mapping[str, float]:
        raise OSError("a source in memory has no compiled file")


class _Finder:
    """Finds the modules of local plugins, also those that are imported later."""

    def __init__(self) -> None:
        self._loaders: dict[str, _Loader] = {}

    def add(self, plugin: LocalPlugin) -> None:
        """Make the modules of `plugin` known."""
        is_package = plugin.path == plugin.folder
        for file, source in plugin.sources.items():
            parts = file.removesuffix(".py").split("/") if is_package else []
            if parts[-1:] == ["__init__"]:
                parts.pop()
            name = ".".join([plugin.module, *parts])
            self._loaders[name] = _Loader(name, str(plugin.folder / file), source)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load the module; None when it is no local plugin's."""
        loader = self._loaders.get(fullname)
        if loader is None:
            return None
        spec = spec_from_file_location(fullname, loader.path, loader=loader)
        if spec is not None and spec.submodule_search_locations is not None:
            # A package has no place to search: what was read is all that it is made of.
            spec.submodule_search_locations = []
        return spec


_FINDER = _Finder()
