"""`yoimem staging`: lists what was extracted and is not yet consolidated, and shows an entry."""

import json
from pathlib import Path
from typing import Any

import click

from yoimem.formatters.visible import visible, visible_lines
from yoimem.interfaces.cli.output import fail, write
from yoimem.pipeline.activity import activity_dict
from yoimem.pipeline.staging import Staged, StagedEntry, Staging, source_dict
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import find_root

_VERSION = 1
_root = click.option(
    "--root", type=click.Path(path_type=Path), help="The memory, if not the one here."
)
_output_format = click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text"
)


@click.group(name="staging", invoke_without_command=True, short_help="List what is staged.")
@_root
@_output_format
@click.pass_context
def command(context: click.Context, root: Path | None, output_format: str) -> int:
    """List the activity that was extracted and is not yet consolidated, oldest first."""
    context.obj = root
    if context.invoked_subcommand is not None:
        return 0
    staged = _listing(root)
    content = {"staged": [entry_object(entry) for entry in staged.entries]}
    write(_json(content) if output_format == "json" else _table(staged))
    return 0


@command.command(name="show", short_help="Show a staged entry.")
@click.argument("entry_id", metavar="ID")
@_root
@_output_format
@click.pass_obj
def show(outer: Path | None, entry_id: str, root: Path | None, output_format: str) -> int:
    """Show the staged entry whose id begins with ID, whole."""
    entry = _chosen(_listing(root or outer), entry_id)
    write(_json(_whole(entry)) if output_format == "json" else _text(entry))
    return 0


def entry_object(entry: StagedEntry) -> dict[str, Any]:
    """Return what a list tells of `entry`, for JSON."""
    return {
        "id": entry.id,
        "created_at": entry.created_at,
        "source": source_dict(entry.source),
        "counts": dict(entry.activity.counts),
        "bytes": entry.size,
    }


def entry_words(entry: StagedEntry) -> str:
    """Return what a list tells of `entry`, in a line."""
    session_id, start, end = entry.source
    counts = ", ".join(
        f"{count} {kind if count > 1 else kind.removesuffix('s')}"
        for kind, count in entry.activity.counts.items()
        if count
    )
    return (
        f"{entry.id}  {entry.created_at}  {visible(session_id)} {start}-{end}"
        f"  {counts or 'nothing'}  {entry.size:,} bytes"
    )


def _listing(root: Path | None) -> Staged:
    try:
        staged = Staging(find_root(Path.cwd(), given=root).path).listing()
    except LinkError as error:
        raise click.ClickException(str(error)) from error
    for fault in staged.faults:
        fail(visible(fault))
    return staged


def _chosen(staged: Staged, entry_id: str) -> StagedEntry:
    found = [entry for entry in staged.entries if entry.id.startswith(entry_id)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise click.ClickException(f"nothing is staged whose id begins with `{visible(entry_id)}`")
    ids = ", ".join(entry.id for entry in found)
    raise click.ClickException(f"several ids begin with `{entry_id}`: {ids}")


def _table(staged: Staged) -> str:
    if not staged.entries:
        return "nothing is staged\n"
    return "".join(f"{entry_words(entry)}\n" for entry in staged.entries)


def _whole(entry: StagedEntry) -> dict[str, Any]:
    return {**entry_object(entry), "activity": activity_dict(entry.activity)}


def _text(entry: StagedEntry) -> str:
    lines = [entry_words(entry)]
    for kind, items in activity_dict(entry.activity).items():
        lines += [f"\n{kind}"] if items else []
        for item in items:
            fields = [_field(name, value) for name, value in item.items()]
            lines += [f"  - {fields[0]}", *(f"    {field}" for field in fields[1:])]
    return "\n".join(lines) + "\n"


def _field(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"{name}: {'yes' if value else 'no'}"
    texts = value if isinstance(value, list) else [value]
    lines = [line for text in texts for line in visible_lines(text)]
    if len(lines) <= 1:
        return " ".join([f"{name}:", *filter(None, lines)])
    return "\n".join([f"{name}:", *(f"      {line}" for line in lines)])


def _json(content: dict[str, Any]) -> str:
    return json.dumps({"version": _VERSION, **content}, indent=2, ensure_ascii=False) + "\n"
