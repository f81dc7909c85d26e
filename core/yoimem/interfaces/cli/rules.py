"""`yoimem rules`: lists every rule, where it comes from, and whether it is on."""

import json
from dataclasses import dataclass

import click

from yoimem.interfaces.cli.here import workspace_plugins
from yoimem.interfaces.cli.output import fail, off_stdout, write
from yoimem.lint.declared import with_declared
from yoimem.lint.ruleset import build_ruleset


@dataclass(frozen=True, slots=True)
class _Row:
    code: str
    name: str
    severity: str
    kinds: str
    plugin: str
    state: str


@click.command(name="rules", short_help="List all rules: plugin, severity, on or off.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(output_format: str) -> int:
    """List every rule: severity, kinds of record, plugin, and whether it is on."""
    with off_stdout():
        config, loaded = workspace_plugins()
        plugins = with_declared(loaded, config)
        ruleset = build_ruleset(loaded, config)
    severities = {active.meta.code: str(active.severity) for active in ruleset.active}
    rows = [
        _Row(
            meta.code,
            meta.name,
            severities.get(meta.code, str(meta.severity)),
            ", ".join(meta.record_kinds) or "all",
            registered.plugin,
            f"off: {ruleset.off[meta.code]}" if meta.code in ruleset.off else "on",
        )
        for registered in plugins.rules
        for meta in [registered.meta]
    ]
    write(_as_json(rows) if output_format == "json" else _as_table(rows))
    for failure in ruleset.failures:
        fail(f"{failure.where}: {failure.message}")
    return 2 if ruleset.failures else 0


def _as_json(rows: list[_Row]) -> str:
    return (
        json.dumps([{f: getattr(row, f) for f in row.__slots__} for row in rows], indent=2) + "\n"
    )


def _as_table(rows: list[_Row]) -> str:
    columns = list(zip(*([getattr(row, f) for f in row.__slots__] for row in rows), strict=True))
    widths = [max(map(len, column)) for column in columns]
    lines = (
        "  ".join(getattr(row, f).ljust(w) for f, w in zip(row.__slots__, widths, strict=True))
        for row in rows
    )
    return "".join(line.rstrip() + "\n" for line in lines)
