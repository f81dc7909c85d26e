"""Logs of a root that hold a JSON object a line: several processes append to them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from yoimem.workspace.folder import open_folder

_LONGEST_ID = 200


def bounded_id(given: str | None) -> str | None:
    """Return the id of a session or a run as a log keeps it: its first 200 characters.

    A host may give anything, and every line would hold all of it.
    """
    return None if given is None else str(given)[:_LONGEST_ID]


def append(root: Path, folder: Sequence[str], name: str, content: Mapping[str, Any]) -> None:
    """Add `content` to the log `name` in `folder`, in one write; a torn line is closed first.

    Raises:
        LinkError: the folder or the log is a link.
        OSError: it cannot be written.
    """
    with open_folder(root, folder, create=True) as opened:
        opened.append_line(name, json.dumps(content))


def raw_lines(root: Path, folder: Sequence[str], name: str) -> list[bytes]:
    """Return the lines of the log `name` in `folder`, torn and foreign ones too; none without it.

    Raises:
        LinkError: the folder or the log is a link.
        OSError: it cannot be read.
    """
    try:
        with open_folder(root, folder) as opened:
            stored = opened.read(name)
    except FileNotFoundError:
        return []
    return stored.data.splitlines() if stored else []
