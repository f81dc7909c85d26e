"""Applying fixes to files, or showing what they would change."""

import difflib
import re
from datetime import UTC, datetime

from yoimem.interfaces.cli.output import fail
from yoimem.lint.api import Mended
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import Root
from yoimem.workspace.writer import Author, BusyError, ChangedError, Writer

_TOOL = "check --fix"


def apply_fixes(root: Root, changes: list[Mended]) -> None:
    """Write `changes` to disk, as a human's; what cannot be written is told and left as it is."""
    if not changes:
        return
    writer = Writer(root.path)
    try:
        with writer.locked():
            for change in changes:
                _apply(writer, change)
    except (BusyError, LinkError) as error:
        fail(f"nothing was fixed: {error}")


def diff(change: Mended, prefix: str) -> str:
    """Return the unified diff of `change`, its secrets masked.

    `prefix` leads from the working folder to the root.
    """
    name = prefix + change.path
    lines = difflib.unified_diff(
        _lines(change.before), _lines(change.after), f"a/{name}", f"b/{name}"
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in map(change.mask.source, lines)
    )


def _apply(writer: Writer, change: Mended) -> None:
    try:
        stored = writer.read(change.path)
        if stored is None or stored.data != change.before:
            fail(f"{change.path} changed meanwhile, and was left as it is")
        elif stored.is_locked:
            fail(f"{change.path} has no write bit, and was left as it is")
        else:
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            writer.write(change.path, stored, change.after, _TOOL, now, Author("human"))
    except (ChangedError, LinkError, OSError) as error:
        fail(f"{change.path} was left as it is: {error}")


def _lines(data: bytes) -> list[str]:
    """Split at LF alone, as patch programs do."""
    return re.findall(r"[^\n]*\n|[^\n]+", data.decode())
