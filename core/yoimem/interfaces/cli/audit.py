"""What `yoimem check --audit` prints: the records that were changed past the tools."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import click

from yoimem.formatters.visible import visible
from yoimem.interfaces.cli.output import write
from yoimem.workspace.folder import LinkError
from yoimem.workspace.targets import Targets
from yoimem.workspace.unexplained import Unexplained, Why, unexplained_records

_VERSION = 1
_WORDS: dict[Why, str] = {
    "changed": "its bytes are not those that the tools left",
    "unlogged": "the tools did not write it",
    "gone": "it is not there any more, and the tools did not delete it",
    "unreadable": "it cannot be read",
}


def report_unexplained(
    targets: Sequence[Targets], folders: frozenset[str], output_format: str | None
) -> int:
    """Print the records that no audit line explains, as `text` or `json`; 1 when there are any.

    `folders` are the top folders in which the kinds of record live.
    """
    if output_format not in {None, "text", "json"}:
        raise click.UsageError(f"--audit prints `text` or `json`, not `{output_format}`")
    try:
        found = [
            (place.root.path, record)
            for place in targets
            for record in unexplained_records(place.root.path, folders)
            if record.path in place
        ]
    except LinkError as error:
        raise click.ClickException(str(error)) from error
    write(_as_json(found, targets) if output_format == "json" else _as_text(found))
    return 1 if found else 0


def _as_text(found: list[tuple[Path, Unexplained]]) -> str:
    lines = [f"{visible(_shown(root / path))}: {_WORDS[why]}\n" for root, (path, why) in found]
    if not found:
        return "the audit log explains every record\n"
    count = "1 record" if len(found) == 1 else f"{len(found)} records"
    return "".join([*lines, f"the audit log does not explain {count}\n"])


def _as_json(found: list[tuple[Path, Unexplained]], targets: Sequence[Targets]) -> str:
    base = Path(os.path.commonpath([place.root.path for place in targets]))
    content = {
        "version": _VERSION,
        "root": _shown(base),
        "paths": "root",
        "unexplained": [(root / path).relative_to(base).as_posix() for root, (path, _) in found],
    }
    return json.dumps(content, indent=2) + "\n"


def _shown(path: Path) -> str:
    """Return `path` as it is reached from the working folder."""
    try:
        return Path(os.path.relpath(path)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()
