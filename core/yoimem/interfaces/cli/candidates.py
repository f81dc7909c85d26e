"""`yoimem candidates`: lists the records that are used enough to become knowledge."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from yoimem.formatters.visible import visible
from yoimem.interfaces.cli.output import write
from yoimem.interfaces.cli.usage import NO_TIME, NO_TIME_HELP, rate, rows_of, tell_faults
from yoimem.recall.usage import CANDIDATE_KINDS, Usage, Use
from yoimem.workspace.layout import find_root

_VERSION = 1


@click.command(
    name="candidates", short_help="List the records that are used enough to become knowledge."
)
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(root: Path | None, output_format: str) -> int:
    """List the decisions, requests and knowledge that are read often, and by several sessions.

    New knowledge may only come from what these records came from.
    """
    usage, history, rows = rows_of(find_root(Path.cwd(), given=root))
    tell_faults(history)
    found = usage.candidates(row.path for row in rows if row.kind in CANDIDATE_KINDS)
    write(_as_json(usage, found) if output_format == "json" else _as_text(usage, found))
    return 0


def _as_json(usage: Usage, found: Sequence[Use]) -> str:
    content = {
        "version": _VERSION,
        "now": usage.now,
        "candidate": usage.settings.candidate,
        "candidate_sessions": usage.settings.candidate_sessions,
        "candidates": [
            {"path": use.path, "frequency": use.frequency, "sessions": use.sessions}
            for use in found
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _as_text(usage: Usage, found: Sequence[Use]) -> str:
    if usage.now is None:
        return f"{NO_TIME}\n{NO_TIME_HELP}\n"
    if not found:
        settings = usage.settings
        return (
            f"no record is invoked {settings.candidate:g} times per million tokens or more, from"
            f" {settings.candidate_sessions} sessions or more\n"
        )
    return "".join(
        f"{visible(use.path)}: {rate(use.frequency)} invokes per million tokens,"
        f" from {_counted(use.sessions, 'session')}\n"
        for use in found
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
