"""`yoimem usage`: shows how much records are used, and what they cost."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from yoimem.formatters.visible import visible
from yoimem.interfaces.cli.failures import tell_failures
from yoimem.interfaces.cli.output import fail, off_stdout, wants_colour, write
from yoimem.interfaces.cli.usage_plot import plot
from yoimem.lint.config import load_config
from yoimem.lint.host import load_plugins
from yoimem.recall.library import Library
from yoimem.recall.usage import (
    CANDIDATE_KINDS,
    Usage,
    UsageHistory,
    UsageLog,
    Use,
    measure,
)
from yoimem.records.reader import Reader
from yoimem.records.tokens import estimate_tokens
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import Root, find_root
from yoimem.workspace.store import Store
from yoimem.workspace.targets import in_root

NO_TIME = (
    "No session has told how many tokens it spent, so nobody can say how often a record is used:"
    " none is a candidate, and a consolidator drops none."
)
NO_TIME_HELP = (
    "Tokens are counted when a turn ends: `yoimem init --claude-code` sets up the hook that does"
    " it, or a host calls `yoimem.pipeline.after_turn`."
)
_VERSION = 1
_MOST_FAULTS = 10
_HEADS = ("tokens", "invokes", "sessions", "per Mtok", "shown", "cost", "ratio", "mark", "record")
_NONE = "-"


@dataclass(frozen=True, slots=True)
class Row:
    """A record that is there, and its use; `tokens` is what it is estimated to have now."""

    path: str
    kind: str
    tokens: int
    use: Use


_ORDERS: dict[str, Callable[[Row], tuple[float, ...]]] = {
    "frequency": lambda row: (row.use.frequency or 0, row.use.invokes, row.use.exposure_tokens),
    "invokes": lambda row: (row.use.invokes,),
    "tokens": lambda row: (row.tokens,),
    "cost": lambda row: (row.use.exposure_tokens,),
    "ratio": lambda row: (-1 if row.use.ratio is None else row.use.ratio,),
    "path": lambda row: (),
}


@click.command(name="usage", short_help="Show how much records are used, and what they cost.")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option(
    "--sort",
    "order",
    type=click.Choice(list(_ORDERS)),
    default="frequency",
    help="What comes first: the most of this, or the paths in their order.",
)
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(paths: tuple[Path, ...], order: str, root: Path | None, output_format: str) -> int:
    """Show of every record, or those at or below PATH, how often it is read and what it costs.

    On a terminal a plot follows: reads against what it costs to show a record to every session.
    """
    place = find_root(Path.cwd(), given=root)
    wanted = [in_root(path, place) for path in paths]
    usage, history, rows = rows_of(place)
    chosen = _chosen(rows, wanted)
    chosen.sort(key=lambda row: (*(-part for part in _ORDERS[order](row)), row.path))
    tell_faults(history)
    write(_as_json(usage, chosen) if output_format == "json" else _as_text(usage, chosen))
    return 0


def rows_of(root: Root) -> tuple[Usage, UsageHistory, list[Row]]:
    """Measure the use of the records that are at `root`, which are listed by their paths.

    Raises:
        click.ClickException: the way to the events is a link.
        ConfigError: the configuration cannot be used.
        OSError: the events cannot be read.
    """
    with off_stdout():
        config = load_config(root)
        plugins = load_plugins(root, config)
    tell_failures(plugins)
    try:
        history = UsageLog(root.path).history()
    except LinkError as error:
        raise click.ClickException(str(error)) from error
    usage = measure(history, config.usage)
    library = Library(Store(root.path), plugins.kinds, Reader(plugins.kinds))
    records = filter(None, map(library.record, library.paths()))
    return (
        usage,
        history,
        [
            Row(record.path, record.kind_name, estimate_tokens(record.text), usage.of(record.path))
            for record in records
        ],
    )


def tell_faults(history: UsageHistory) -> None:
    """Tell on standard error which lines of the events were passed over."""
    for fault in history.faults[:_MOST_FAULTS]:
        fail(visible(fault))
    more = len(history.faults) - _MOST_FAULTS
    if more > 0:
        fail(f"and {more:,} more such lines")
    if history.faults:
        fail("these lines count for nothing, and may be deleted")


def _chosen(rows: list[Row], wanted: Sequence[str]) -> list[Row]:
    """Return the rows of the records at or below one of `wanted`; all when there is none."""
    for place in wanted:
        if not any(_is_below(row.path, place) for row in rows):
            raise click.ClickException(f"there is no record at or below {visible(place) or '.'}")
    return [row for row in rows if not wanted or any(_is_below(row.path, w) for w in wanted)]


def _is_below(path: str, place: str) -> bool:
    return not place or path == place or path.startswith(f"{place}/")


def _as_json(usage: Usage, rows: Sequence[Row]) -> str:
    content = {
        "version": _VERSION,
        "now": usage.now,
        "records": [_record_object(usage, row) for row in rows],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _record_object(usage: Usage, row: Row) -> dict[str, object]:
    use = row.use
    return {
        "path": row.path,
        "record_kind": row.kind,
        "tokens": row.tokens,
        "invokes": use.invokes,
        "sessions": use.sessions,
        "frequency": use.frequency,
        "exposures": use.exposures,
        "exposure_tokens": use.exposure_tokens,
        "ratio": use.ratio,
        "protected": usage.is_protected(use),
        "candidate": _is_candidate(usage, row),
    }


def _is_candidate(usage: Usage, row: Row) -> bool:
    return row.kind in CANDIDATE_KINDS and usage.is_candidate(row.use)


def _as_text(usage: Usage, rows: Sequence[Row]) -> str:
    if not rows:
        return "there are no records\n"
    table = _table([_cells(usage, row) for row in rows])
    notes = [_note(usage)]
    points = [(row.use.exposure_tokens, row.use.invokes) for row in rows]
    if sys.stdout.isatty() and any(map(any, points)):
        notes.append(plot(points))
    return "\n".join([table, *notes])


def _note(usage: Usage) -> str:
    if usage.now is None:
        return f"{NO_TIME}\n{NO_TIME_HELP}\n"
    return f"{usage.now:,} tokens were spent.  P protected  C candidate\n"


def _cells(usage: Usage, row: Row) -> tuple[str, ...]:
    use = row.use
    marks = "P" * usage.is_protected(use) + "C" * _is_candidate(usage, row)
    return (
        f"{row.tokens:,}",
        f"{use.invokes:,}",
        f"{use.sessions:,}",
        rate(use.frequency),
        f"{use.exposures:,}",
        f"{use.exposure_tokens:,}",
        rate(use.ratio),
        marks,
        visible(row.path),
    )


def rate(value: float | None) -> str:
    """Return invokes per million tokens as a table shows them."""
    return _NONE if value is None else f"{value:,.2f}"


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    """Return `rows` below their heads, all to the right but the path, which is last."""
    widths = [max(map(len, column)) for column in zip(_HEADS, *rows, strict=True)]
    head, *lines = (_line(row, widths) for row in (_HEADS, *rows))
    shown = click.style(head, bold=True) if wants_colour() else head
    return "".join(f"{line}\n" for line in (shown, *lines))


def _line(cells: tuple[str, ...], widths: Sequence[int]) -> str:
    *figures, path = cells
    return "  ".join([*(map(str.rjust, figures, widths)), path])
