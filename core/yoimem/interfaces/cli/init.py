"""`yoimem init`: begins a memory, and tells an agent's host of it."""

import subprocess
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from textwrap import indent

import click

from yoimem.formatters.visible import visible
from yoimem.interfaces.cli.output import fail, write
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import ROOT_FOLDER, Root, root_at
from yoimem.workspace.starter import GIT_FILES, complete_git_file, starter_files
from yoimem.workspace.store import Store

_GIT_SECONDS = 10


@click.command(name="init", short_help="Begin a memory, with first records that pass.")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option(
    "--claude-code",
    is_flag=True,
    help="Tell Claude Code of the memory too: hooks, permissions and MCP server.",
)
def command(folder: Path, claude_code: bool) -> int:
    """Make a memory in FOLDER, or here.

    It holds a summary, a decision and a knowledge record that pass every rule. What is there
    already is left as it is; a `.gitignore` or `.gitattributes` gets the lines that it lacks. With
    --claude-code the hooks and permissions are added to `.claude/settings.json` and the memory's
    tools to `.mcp.json`; a memory that is there is used.
    """
    known = root_at(folder) if folder.is_dir() else None
    if claude_code:
        _tell_claude_code(folder, known)
    else:
        _begin(folder, known)
    where = "" if folder == Path() else f" {folder}"
    write(f"now run: yoimem check{where}\n")
    return 0


def _begin(folder: Path, known: Root | None) -> None:
    """Make the first records in `folder`, or in the memory `known` that is there."""
    if known and known.path == folder.resolve() and folder.resolve().name != ROOT_FOLDER:
        raise click.ClickException(
            f"{folder} holds a memory of the older layout, which a new `{ROOT_FOLDER}/` would hide;"
            f" move its `memory/` and `knowledge/` into `{ROOT_FOLDER}/` first"
        )
    root = known.path if known else folder.resolve() / ROOT_FOLDER
    store = Store(root)
    for path, text in starter_files(datetime.now(UTC)).items():
        shown = str(folder / ROOT_FOLDER / path if root.name == ROOT_FOLDER else path)
        if store.create(path, text):
            write(f"made {shown}\n")
        elif path in GIT_FILES:
            _complete(root, path, shown)
        else:
            write(f"kept {shown}\n")
    if rule := _ignored_by(root / "memory" / "summary.md"):
        fail(
            f"git ignores this memory, so nobody else gets it: {rule};"
            f" a line `!/{root.name}/` behind that one lets it in"
        )


def _ignored_by(path: Path) -> str:
    """Return the rule, with its place, by which git ignores `path`; empty when it does not."""
    command = ("git", "-C", str(path.parent), "check-ignore", "--verbose", "--", str(path))
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_GIT_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    rule = visible(done.stdout.decode(errors="replace").partition("\t")[0])
    return "" if ":!" in rule else rule  # what lets it in is told as well


def _complete(root: Path, name: str, shown: str) -> None:
    """Add the lines that git is to be told to a file that is there, or say which they are."""
    try:
        added = complete_git_file(root, name)
    except (LinkError, OSError) as error:
        fail(f"{shown} is left as it is ({error}); it should hold{_below(GIT_FILES[name])}")
        return
    write(f"kept {shown}{f', and added to its end{_below(added)}' if added else ''}\n")


def _below(lines: str) -> str:
    return f":\n{indent(lines.rstrip(), '    ')}"


def _tell_claude_code(folder: Path, known: Root | None) -> None:
    """Add the memory of `folder` to Claude Code's files; without one, begin it."""
    from yoimem.interfaces.claude_code import (  # noqa: PLC0415 - only here
        SettingsError,
        files_without_hooks,
        plan,
    )

    root = known or Root(folder.resolve() / ROOT_FOLDER, folder.resolve())
    try:
        changes = plan(root)  # before anything is written
    except SettingsError as error:
        raise click.ClickException(str(error)) from error
    if known is None:
        _begin(folder, known)
    for change in changes:
        if not change.make(root.workspace):
            raise click.ClickException(f"{change.path} changed meanwhile; run this again")
        write(f"{change.verb} {root.workspace / change.path}\n")
    for name in files_without_hooks(root):
        write(
            f"note: `disableAllHooks` in {name} is true, so that no hook runs and only the"
            " permission rules guard the memory\n"
        )
    if find_spec("mcp") is None:
        write("the server needs one more library: pip install 'yoimem[mcp]'\n")
