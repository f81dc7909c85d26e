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
from yoimem.pipeline.dry_run import dry_run
from yoimem.pipeline.run import RunResult
from yoimem.pipeline.run_material import prompt_material
from yoimem.pipeline.run_report import report_text
from yoimem.tools.catalogue import definitions
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import Root, find_root

_VERSION = 1
_FAILED = 1


@click.command(name="consolidate", short_help="Bring what is staged into the records, then tidy.")
@click.option("--force", is_flag=True, help="Also if not enough is staged for a run.")
@click.option("--if-due", is_flag=True, help="Say nothing where no run is due or no model is set.")
@click.option("--dry-run", is_flag=True, help="Work on a copy, and show what would be changed.")
@click.option("--prompt", is_flag=True, help="Print what a model would be sent, and call none.")
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(
    force: bool,
    if_due: bool,
    dry_run: bool,
    prompt: bool,
    root: Path | None,
    output_format: str,
) -> int:
    """Let the model of `consolidate.model` bring staged activity into the records.

    Every change passes the rules. A run is due when enough is staged (`consolidate.files`,
    `consolidate.bytes`). Exit code: 0, also when no run is due; 1 when a run failed, or another
    process consolidates this memory.
    """
    if if_due + (force or dry_run) + prompt > 1:
        raise click.UsageError("--if-due and --prompt go with neither --force nor --dry-run")
    place = find_root(Path.cwd(), given=root)
    try:
        with off_stdout():
            config = load_config(place)
            # What runs after every turn is a door that stays open: it runs what is trusted.
            plugins = load_plugins(place, config, trusted_only=if_due)
            shown, is_done = _work(
                place, config, plugins, force, if_due, dry_run, prompt, output_format == "json"
            )
    except LinkError as error:
        raise click.ClickException(str(error)) from error
    write(shown)
    return 0 if is_done else _FAILED


def _work(
    root: Root,
    config: Config,
    plugins: Plugins,
    force: bool,
    if_due: bool,
    is_dry: bool,
    is_prompt: bool,
    is_json: bool,
) -> tuple[str, bool]:
    """Return what is printed, and whether all went well."""
    if is_prompt:
        return _prompt(root, config, plugins, is_json), True
    diffs: tuple[str, ...] | None = None
    if is_dry:
        dry = dry_run(root, config, plugins, force=force, told=_told())
        result, diffs = dry.result, dry.diffs
    elif if_due:
        result = consolidate_if_due(root, config, plugins) or ConsolidateResult()
    else:
        result = consolidate(root, config, plugins, force=force, told=_told())
    if is_json:
        return _json(_object(result, diffs)), result.is_done
    not_due = "" if if_due else f"{due_words(root, config)}\n"
    return _text(result, diffs, not_due), result.is_done


def _prompt(root: Root, config: Config, plugins: Plugins, is_json: bool) -> str:
    material = prompt_material(root, config, plugins)
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


def _text(result: ConsolidateResult, diffs: tuple[str, ...] | None, not_due: str) -> str:
    parts = [visible_block(diff) + "\n" for diff in diffs or ()]
    for run in result.runs:
        said = f"{visible_block(run.said)}\n" if run.said else ""
        parts.append(f"{said}{visible_block(report_text(run))}\n")
    if diffs is not None and result.runs:
        parts.append("nothing of this was written: it was done to a copy\n")
    if result.error:
        parts.append(f"nothing was consolidated: {visible(result.error)}\n")
    return "".join(parts) or not_due


def _object(result: ConsolidateResult, diffs: tuple[str, ...] | None) -> dict[str, Any]:
    content = {"runs": [_run_object(run) for run in result.runs], "error": result.error or None}
    return content if diffs is None else {**content, "diffs": list(diffs)}


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


def _told() -> Any:
    """Return what shows each tool that is called; None where nobody would see it."""
    return _show_call if sys.stderr.isatty() else None


def _show_call(tool: str, arguments: Mapping[str, Any]) -> None:
    about = next((arguments[name] for name in ("path", "slug", "query") if name in arguments), "")
    click.echo(f"{tool} {visible(str(about))}", err=True)


def _json(content: dict[str, Any]) -> str:
    return json.dumps({"version": _VERSION, **content}, indent=2, ensure_ascii=False) + "\n"
