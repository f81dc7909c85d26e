"""`yoimem consolidate`: brings what is staged into the records, then tidies them."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from yoimem.formatters.visible import visible, visible_block
from yoimem.interfaces.cli.output import off_stdout, write
from yoimem.lint.config import Config, load_config
from yoimem.lint.host import load_plugins
from yoimem.lint.plugin import Plugins
from yoimem.pipeline.consolidate import (
    ConsolidateResult,
    consolidate,
    consolidate_if_due,
    due_words,
)
from yoimem.pipeline.consolidate_agent import Progress
from yoimem.pipeline.dry_run import DryRun, dry_run
from yoimem.pipeline.run import RunResult
from yoimem.pipeline.run_material import material_of
from yoimem.pipeline.run_report import report_text
from yoimem.pipeline.staging import Staging
from yoimem.tools.catalogue import definitions
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import Root, find_root

_VERSION = 1
_FAILED = 1


@click.command(name="consolidate", short_help="Bring what is staged into the records, then tidy.")
@click.option("--force", is_flag=True, help="Also if not enough is staged for a run.")
@click.option("--if-due", is_flag=True, help="Say nothing where no run is due or no model is set.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Work on a copy, and show the difference.")
@click.option("--prompt", is_flag=True, help="Print what a model would be sent, and call none.")
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(
    force: bool,
    if_due: bool,
    is_dry: bool,
    prompt: bool,
    root: Path | None,
    output_format: str,
) -> int:
    """Let the model of `consolidate.model` bring staged activity into the records.

    Every change passes the rules. A run is due when enough is staged (`consolidate.files`,
    `consolidate.bytes`). Exit code: 0, also when no run is due; 1 when a run failed, or another
    process consolidates this memory.
    """
    if if_due + (force or is_dry) + prompt > 1:
        raise click.UsageError("--if-due and --prompt go with neither --force nor --dry-run")
    place, is_json = find_root(Path.cwd(), given=root), output_format == "json"
    try:
        with off_stdout():
            config = load_config(place)
            # What runs after every turn is a door that stays open: it runs what is trusted.
            plugins = load_plugins(place, config, trusted_only=if_due)
            if prompt:
                shown, is_done = _prompt(place, config, plugins, is_json=is_json), True
            else:
                not_due = "" if if_due else f"{due_words(place, config)}; {_advice(dry=is_dry)}\n"
                dry = _consolidated(place, config, plugins, force=force, if_due=if_due, dry=is_dry)
                shown = _json(_object(dry)) if is_json else _text(dry) or not_due
                is_done = dry.result.is_done
    except LinkError as error:
        raise click.ClickException(str(error)) from error
    write(shown)
    return 0 if is_done else _FAILED


def _consolidated(
    root: Root, config: Config, plugins: Plugins, *, force: bool, if_due: bool, dry: bool
) -> DryRun:
    """Return what was done; without `diffs` where it was done to the memory itself."""
    if dry:
        return dry_run(root, config, plugins, force=force, told=_told())
    if if_due:
        return DryRun(consolidate_if_due(root, config, plugins) or ConsolidateResult())
    return DryRun(consolidate(root, config, plugins, force=force, told=_told()))


def _advice(*, dry: bool) -> str:
    if dry:
        return "--dry-run --force shows what a run would do"
    return "--force consolidates all the same"


def _prompt(root: Root, config: Config, plugins: Plugins, *, is_json: bool) -> str:
    material = material_of(root, config, plugins, Staging(root.path).listing().entries)
    tools = [d.for_mcp() for d in definitions("consolidator", plugins.kinds)]
    parts = {
        "instructions": material.instructions,
        "integrate": material.integrate(),
        "tidy": material.tidy(),
    }
    if is_json:
        return _json({**parts, "tools": tools})
    shown = [*parts.values(), "# The tools\n", json.dumps(tools, indent=2)]
    return visible_block("\n".join(shown)) + "\n"


def _text(dry: DryRun) -> str:
    parts = [visible_block(diff) + "\n" for diff in dry.diffs or ()]
    for run in dry.result.runs:
        said = f"{visible_block(run.said)}\n" if run.said else ""
        parts.append(f"{said}{visible_block(report_text(run))}\n")
    if dry.diffs is not None and dry.result.runs:
        parts.append("nothing of this was written: it was done to a copy\n")
    if dry.result.error:
        parts.append(f"nothing was consolidated: {visible(dry.result.error)}\n")
    return "".join(parts)


def _object(dry: DryRun) -> dict[str, Any]:
    result = dry.result
    content = {"runs": [_run_object(run) for run in result.runs], "error": result.error or None}
    return content if dry.diffs is None else {**content, "diffs": list(dry.diffs)}


def _run_object(run: RunResult) -> dict[str, Any]:
    return {
        "run": run.run,
        "consumed": list(run.consumed),
        "changes": [
            {"path": change.path, "what": change.what, "reasons": list(change.reasons)}
            for change in run.changes
        ],
        "offers": [{"id": offer.id, "slug": offer.slug} for offer in run.offers],
        "said": run.said,
        "failure": run.failure or None,
        "faults": list(run.faults),
    }


def _told() -> Progress | None:
    """Return what shows each tool that is called; None where nobody would see it."""
    return _show_call if sys.stderr.isatty() else None


def _show_call(tool: str, arguments: Mapping[str, Any]) -> None:
    about = next((arguments[name] for name in ("path", "slug", "query") if name in arguments), "")
    click.echo(f"{tool} {visible(str(about))}", err=True)


def _json(content: dict[str, Any]) -> str:
    return json.dumps({"version": _VERSION, **content}, indent=2, ensure_ascii=False) + "\n"
