"""The files that a new memory begins with: records that pass every rule, and what git is told."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from yoimem.workspace.folder import open_folder

_SUMMARY = """\
---
updated_at: {now}
---
# What to know first

This memory lives in the repository: one file a fact, judged by `yoimem check` before it is kept.
Replace this text with what anyone who starts work here should know.

- What is decided stands in `memory/decisions/`, what was asked for in `memory/requests/`.
- What is worth reading again stands in `knowledge/`; name it as #how-to-write-records and it is
  looked up.
"""

_DECISION = """\
---
created_at: {now}
updated_at: {now}
status: resolved
sources: []
---
# Keep the memory in the repository

We keep what the agent should remember as Markdown files beside the code, so that it is reviewed,
versioned and shared like the code. See #how-to-write-records.
"""

_KNOWLEDGE = """\
---
created_at: {now}
updated_at: {now}
kind: guide
description: How a record of this memory is written. Read it before you write one.
model_invokation: true
user_invocable: true
last_sources: []
---
# How to write records

- One file is one subject. Its name is its identity: short, lower case, words joined by `-`.
- Bring an existing record up to date before you begin a new one.
- A decision that gives way to another gets `status: replaced` and `replaced_by: <slug>`.
- Times are RFC 3339 with an offset; a text with `: ` or ` #` in it stands in quotes.
"""


GIT_FILES = {
    ".gitignore": """\
# What belongs to one checkout: the lock, the audit log, what is not yet consolidated.
/memory/_lock
/memory/_logs/
/memory/_staging/
""",
    ".gitattributes": """\
# Events of use are lines whose order means nothing: git keeps those of both sides.
/memory/_usage/events.jsonl merge=union
""",
}
"""What keeps one checkout's own out of the repository, and lets git merge what several measured."""


def starter_files(now: datetime) -> Mapping[str, str]:
    """Return the root-relative paths and the texts of the first files, written at `now`."""
    moment = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        **GIT_FILES,
        "memory/summary.md": _SUMMARY.format(now=moment),
        "memory/decisions/keep-memory-in-repository.md": _DECISION.format(now=moment),
        "knowledge/how-to-write-records.md": _KNOWLEDGE.format(now=moment),
    }


def complete_git_file(root: Path, name: str) -> str:
    """Add what is missing of `GIT_FILES[name]` to the end of that file, and return these lines.

    The file keeps its line ends; a last line without one gets it. Nothing is added when all that
    tells git something is there.

    Raises:
        LinkError: it is a link, or no regular file.
        OSError: it cannot be read or written.
    """
    with open_folder(root, ()) as folder:
        stored = folder.read(name)
        text = stored.data.decode("utf-8-sig", "surrogateescape") if stored else ""
        there = {line.rstrip() for line in text.split("\n")}
        missing = [line for line in GIT_FILES[name].splitlines() if line not in there]
        if all(line.startswith("#") for line in missing):
            return ""
        end = "\r\n" if "\r\n" in text else "\n"
        closing = end if text and not text.endswith("\n") else ""
        folder.append(name, (closing + "".join(f"{line}{end}" for line in missing)).encode())
    return "\n".join(missing)
