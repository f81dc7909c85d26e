"""Applying fixes to files, or showing what they would change."""

from datetime import UTC, datetime

from yoimem.interfaces.cli.output import fail
from yoimem.lint.api import Mended
from yoimem.tools.unified import unified
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
    text = unified(name, change.before.decode(), change.after.decode())
    return "\n".join(map(change.mask.source, text.split("\n")))


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
