"""A consolidation that changes nothing: it works on a copy, which is then compared."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from yoimem.lint.config import Config
from yoimem.lint.plugin import Plugins
from yoimem.pipeline.consolidate import ConsolidateResult, consolidate
from yoimem.pipeline.consolidate_agent import Progress
from yoimem.tools.memory_tools import MemoryTools
from yoimem.tools.unified import unified
from yoimem.workspace.layout import ROOT_FOLDER, Root
from yoimem.workspace.store import Store, UnreadableError

_OWN_FOLDER = "memory"


@dataclass(frozen=True, slots=True)
class DryRun:
    """What consolidating would come to, and the `diffs` of the records that it would change.

    `diffs` is None where it was no dry run.
    """

    result: ConsolidateResult
    diffs: tuple[str, ...] | None = None


def dry_run(
    root: Root,
    config: Config,
    plugins: Plugins,
    *,
    force: bool = False,
    told: Progress | None = None,
) -> DryRun:
    """Consolidate a copy of the memory at `root`, as `consolidate` would do with itself.

    Raises:
        OSError: the memory cannot be copied.
    """
    folders = plugins.kinds.folders
    with _copy(root, folders | {_OWN_FOLDER}) as copy:
        index = str(copy.path.parent / "index")
        settings = replace(config, search=replace(config.search, index=index))
        before = _records(copy, folders)
        result = consolidate(copy, settings, plugins, force=force, told=told)
        after = _records(copy, folders)
        tools = MemoryTools(copy, actor="human", config=settings, plugins=plugins)
        diffs = (
            tools.masked(path, unified(path, old, new), old or "", new or "")
            for path in sorted(before.keys() | after.keys())
            if (old := before.get(path)) != (new := after.get(path))
        )
        return DryRun(result, tuple(diffs))


@contextmanager
def _copy(root: Root, folders: frozenset[str]) -> Iterator[Root]:
    """Yield a copy of the `folders` of `root`, which is gone afterwards; links stay links."""
    with TemporaryDirectory(prefix="yoimem-") as place:
        path = Path(place).resolve() / ROOT_FOLDER
        path.mkdir()
        for folder in folders:
            if (root.path / folder).is_dir() and not (root.path / folder).is_symlink():
                shutil.copytree(root.path / folder, path / folder, symlinks=True)
        yield Root(path, root.workspace)


def _records(root: Root, folders: frozenset[str]) -> dict[str, str]:
    """Return the texts of all records, by path; what cannot be read is left out."""
    store = Store(root.path)
    found: dict[str, str] = {}
    for entry in store.walk(folders):
        try:
            data = None if entry.fault else store.read(entry.path)
        except UnreadableError:
            continue
        if data is not None:
            found[entry.path] = data.decode("utf-8", "surrogateescape")
    return found
