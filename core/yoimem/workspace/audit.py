"""The audit log: who changed which record when, and why; no content, no secrets (section 10).

`memory/_logs/audit.jsonl` holds two lines a change: the intent before the first byte is written,
and the end. An intent without an end is what a killed process leaves; the next writer settles it by
comparing hashes.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, overload

from yoimem.workspace.folder import open_folder
from yoimem.workspace.json_lines import append, raw_lines

AUDIT_PATH = "memory/_logs/audit.jsonl"
_FOLDER = ("memory", "_logs")
_NAME = "audit.jsonl"
_LONGEST_LINE = 1 << 16

Stage = Literal["intent", "done", "undone"]


@overload
def sha256(data: bytes) -> str: ...
@overload
def sha256(data: bytes | None) -> str | None: ...
def sha256(data: bytes | None) -> str | None:
    """Return the hash of `data` in hexadecimal, as tools and log name it; None for no file."""
    return None if data is None else hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One line of the log.

    `before` and `after` are the hashes of the record's bytes, None where there is no file.
    `moved_to` is the new path of a record that was renamed, `config` the hash of the configuration
    in force.
    """

    stage: Stage
    id: str
    time: str
    actor: str
    session: str | None
    run: str | None
    tool: str
    path: str
    before: str | None
    after: str | None
    moved_to: str | None = None
    reasons: tuple[str, ...] = ()
    config: str | None = None


class AuditLog:
    """The log of one root; written only under the root's lock."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def append(self, line: AuditLine) -> None:
        """Add `line`; a torn line before it is closed first."""
        append(self._root, _FOLDER, _NAME, asdict(line))

    def unsettled(self) -> AuditLine | None:
        """Return the last intent if nothing says how it ended."""
        try:
            with open_folder(self._root, _FOLDER) as folder:
                end = folder.read_end(_NAME, _LONGEST_LINE)
        except FileNotFoundError:
            return None
        last = next((line for raw in reversed(end.splitlines()) if (line := _parse(raw))), None)
        return last if last is not None and last.stage == "intent" else None

    def settle(self, intent: AuditLine, stage: Stage) -> None:
        """Write down how `intent` ended."""
        self.append(replace(intent, stage=stage))

    def lines(self) -> Iterator[AuditLine]:
        """Yield every whole line, in order; torn and foreign ones are passed over."""
        for raw in raw_lines(self._root, _FOLDER, _NAME):
            line = _parse(raw)
            if line is not None:
                yield line


def _parse(raw: bytes) -> AuditLine | None:
    try:
        values: Any = json.loads(raw)
        line = AuditLine(**{**values, "reasons": tuple(values["reasons"])})
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if not all(isinstance(text, str) for text in (line.stage, line.path, line.after or "")):
        return None
    paths = [line.path] if line.moved_to is None else [line.path, line.moved_to]
    return line if all(map(_is_path, paths)) else None


def _is_path(path: object) -> bool:
    """Tell whether `path` leads from the root to a place below it; the log is anyone's to write."""
    if not isinstance(path, str) or "\\" in path or not path.isprintable():
        return False
    return all(part not in {"", ".", ".."} for part in path.split("/"))
