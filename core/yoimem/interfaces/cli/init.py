"""`yoimem init`: begins a memory."""

from datetime import UTC, datetime
from pathlib import Path

import click

from yoimem.interfaces.cli.output import write
from yoimem.workspace.layout import ROOT_FOLDER, root_at
from yoimem.workspace.starter import starter_records
from yoimem.workspace.store import Store


@click.command(name="init", short_help="Begin a memory, with first records that pass.")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
def command(folder: Path) -> int:
    """Make a memory in FOLDER, or here.

    It holds a summary, a decision and a knowledge record that pass every rule. What is there
    already is left as it is.
    """
    known = root_at(folder) if folder.is_dir() else None
    if (
        known is not None
        and known.path == folder.resolve()
        and folder.resolve().name != ROOT_FOLDER
    ):
        raise click.ClickException(
            f"{folder} holds a memory of the older layout, which a new `{ROOT_FOLDER}/` would hide;"
            f" move its `memory/` and `knowledge/` into `{ROOT_FOLDER}/` first"
        )
    root = known.path if known else folder.resolve() / ROOT_FOLDER
    store = Store(root)
    for path, text in starter_records(datetime.now(UTC)).items():
        made = "made" if store.create(path, text) else "kept"
        write(f"{made} {folder / ROOT_FOLDER / path if root.name == ROOT_FOLDER else path}\n")
    write("now run: yoimem check\n")
    return 0
