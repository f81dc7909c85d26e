"""A memory with something staged, and the texts of records: what tests of consolidation begin with.

The clock of a record stands still: what is compared is what a run makes of it.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from tests.conftest import NOW
from tests.pipeline.provider import Request
from yoimem import Report, lint
from yoimem.lint.config import Config, load_config
from yoimem.lint.host import load_plugins
from yoimem.lint.plugin import Plugins
from yoimem.pipeline.activity import Activity, Decision
from yoimem.pipeline.staging import StagedEntry, Staging
from yoimem.recall.usage.events import UsageLog, UsedRecord
from yoimem.records.fields import Source
from yoimem.sessions.pointer import Pointer
from yoimem.testing import write_file
from yoimem.workspace.layout import Root

AT = "2026-01-10T09:00:00Z"
_TIME = re.compile(r"(created_at|updated_at): .*")


def stage(root: Root, session: str = "s1", *, end: int = 9, chosen: str = "SQLite") -> StagedEntry:
    """Stage a decision of the entries 0 to `end` of `session`."""
    activity = Activity((Decision(("SQLite", "files"), chosen, "It is one file."),))
    return Staging(root.path).add(Source(session, 0, end), Pointer(end + 1, "x"), activity)


def source(session: str = "s1", end: int = 9) -> str:
    return f'{{"session_id": "{session}", "range": [0, {end}]}}'


def decision(
    body: str = "# Use SQLite\n\nIt is one file.\n",
    *sources: str,
    status: str = "resolved",
    replaced_by: str = "",
    times: bool = True,
) -> str:
    return _record(
        body,
        f"status: {status}",
        *([f"replaced_by: {replaced_by}"] if replaced_by else []),
        f"sources: [{', '.join(sources or [source()])}]",
        times=times,
    )


def request(
    body: str = "# Keep it small\n\nNo new dependency.\n", *sources: str, times: bool = True
) -> str:
    return _record(body, f"sources: [{', '.join(sources or [source()])}]", times=times)


def knowledge(
    body: str = "# SQLite\n\nOne file.\n",
    *sources: str,
    description: str = "What SQLite is used for. Read it before you store anything.",
    invoked: bool = False,
    times: bool = True,
) -> str:
    return _record(
        body,
        "kind: fact",
        f"description: {description}",
        f"model_invokation: {json.dumps(invoked)}",
        "user_invocable: true",
        f"last_sources: [{', '.join(sources)}]",
        times=times,
    )


def workflow(body: str = "1. Tag.\n", *fields: str) -> str:
    return _record(body, "description: How a release is made.", *fields, times=False)


def _record(body: str, *fields: str, times: bool) -> str:
    stamps = [f"created_at: {AT}", f"updated_at: {AT}"] if times else []
    return "\n".join(["---", *stamps, *fields, "---", body])


def write(root: Root, files: dict[str, str]) -> None:
    for path, text in files.items():
        write_file(root.path, path, text)


def use(root: Root, path: str, *, sessions: Sequence[str] = ("u1", "u2"), times: int = 2) -> None:
    """Have `path` read `times` times by each of `sessions`, turn by turn."""
    log = UsageLog(root.path, lambda: NOW)
    for _ in range(times):
        for session in sessions:
            log.invoke([UsedRecord(path, 100, 25)], session=session, actor="agent")


def spend(root: Root, tokens: int = 1_000_000) -> None:
    """Have `tokens` go by."""
    UsageLog(root.path, lambda: NOW).spent(tokens, session="u1", actor="agent", until=1)


def loaded(root: Root) -> tuple[Config, Plugins]:
    config = load_config(root)
    return config, load_plugins(root, config)


def staged_ids(root: Root) -> list[str]:
    return [entry.id for entry in Staging(root.path).listing().entries]


def consumed_ids(root: Root) -> list[str]:
    """Return the ids that the ledger names, one for each line of it."""
    ledger = root.path / "memory" / "_logs" / "consumed.jsonl"
    lines = ledger.read_text().splitlines() if ledger.exists() else []
    return [json.loads(line)["id"] for line in lines]


def records(root: Root) -> dict[str, str]:
    """Return all records by path, the times that were stamped left out."""
    found = sorted(root.path.rglob("*.md"))
    return {path.relative_to(root.path).as_posix(): _timeless(path) for path in found}


def check(root: Root) -> Report:
    return lint(root)


def whole_tree(root: Root) -> dict[str, bytes]:
    """Return every file below the root, yoimem's own too."""
    return {
        path.relative_to(root.path).as_posix(): path.read_bytes()
        for path in sorted(root.path.rglob("*"))
        if path.is_file()
    }


def answers(request: Request) -> list[str]:
    """Return what the tools answered to the calls of the turn before."""
    found: list[str] = []
    for message in reversed(request["messages"]):
        if message["role"] == "assistant":
            break
        if message["role"] == "tool":
            found.append(message["content"])
    return found[::-1]


def last_user_text(request: Request) -> str:
    said = [m["content"] for m in request["messages"] if m["role"] == "user"]
    return str(said[-1])


def _timeless(path: Path) -> str:
    return _TIME.sub(r"\1: …", path.read_text())
