"""Small workspaces for tests."""

from collections.abc import Mapping
from pathlib import Path

from yoimem.workspace.layout import ROOT_FOLDER


def workspace(folder: Path, files: Mapping[str, str]) -> Path:
    """Make a workspace in `folder` whose memory holds `files`, and return it.

    `files` maps root-relative paths (`memory/decisions/use-sqlite.md`) to texts, which are written
    as they are: `yoimem.lint(workspace(tmp_path, files))` judges them.
    """
    root = folder / ROOT_FOLDER
    (root / "memory").mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        write_file(root, path, text)
    return folder


def write_file(root: Path, path: str, text: str, *, folder: bool = False) -> Path:
    """Write `text` to the root-relative `path` as it is; a lone surrogate stands for a byte."""
    if Path(path).is_absolute() or ".." in Path(path).parts:
        raise AssertionError(f"{path} leads out of the memory")
    target = root / path
    if folder:
        target.mkdir(parents=True)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode("utf-8", "surrogateescape"))
    return target
