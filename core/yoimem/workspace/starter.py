"""The records that a new memory begins with; they pass every rule."""

from collections.abc import Mapping
from datetime import UTC, datetime

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


_NOT_SHARED = """\
# What belongs to one checkout: the lock, the audit log, what is not yet consolidated.
/memory/_lock
/memory/_logs/
/memory/_staging/
"""


_MERGED = """\
# Events of use are lines whose order means nothing: git keeps those of both sides.
/memory/_usage/events.jsonl merge=union
"""


def starter_files(now: datetime) -> Mapping[str, str]:
    """Return the root-relative paths and the texts of the first records, written at `now`.

    A `.gitignore` keeps what belongs to one checkout out of the repository, a `.gitattributes`
    lets git merge what several have measured.
    """
    moment = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        ".gitignore": _NOT_SHARED,
        ".gitattributes": _MERGED,
        "memory/summary.md": _SUMMARY.format(now=moment),
        "memory/decisions/keep-memory-in-repository.md": _DECISION.format(now=moment),
        "knowledge/how-to-write-records.md": _KNOWLEDGE.format(now=moment),
    }
