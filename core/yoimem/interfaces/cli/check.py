"""`yoimem check`: judges records and prints the report."""

import difflib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click

from yoimem.interfaces.cli.output import fail, wants_colour, write
from yoimem.interfaces.cli.progress import progress_for
from yoimem.lint.api import Mended, lint, lint_text, mend_records
from yoimem.lint.config import Config, load_config
from yoimem.lint.errors import ConfigError
from yoimem.lint.formatter import Formatter, Presentation
from yoimem.lint.host import Plugins, load_plugins
from yoimem.lint.report import Report, merge
from yoimem.lint.words import did_you_mean
from yoimem.workspace.layout import Root, find_root
from yoimem.workspace.store import Store
from yoimem.workspace.targets import Targets, find_targets, in_root, root_of_file

STDIN = "-"


@dataclass(frozen=True, slots=True)
class _Job:
    """What one root is to be judged with."""

    targets: Targets
    config: Config
    plugins: Plugins


@click.command(name="check", short_help="Judge the records of a memory.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--output-format", metavar="FORMAT", help="How to print the report: text, json, …")
@click.option("--select", metavar="CODES", help="Only these rules: codes, beginnings or names.")
@click.option("--ignore", metavar="CODES", help="Not these rules.")
@click.option("--extend-select", metavar="CODES", help="These rules too.")
@click.option("--warnings-as-errors", is_flag=True, help="Exit with 1 for warnings as well.")
@click.option("--fix", is_flag=True, help="Apply the safe fixes, then report what is left.")
@click.option("--unsafe-fixes", is_flag=True, help="Count fixes that may change a meaning as safe.")
@click.option("--diff", is_flag=True, help="Show what --fix would change; write nothing.")
@click.option(
    "--stdin-filename",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Where the text that is read from standard input (`-`) would stand.",
)
def command(
    paths: tuple[Path, ...],
    output_format: str | None,
    select: str | None,
    ignore: str | None,
    extend_select: str | None,
    warnings_as_errors: bool,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    stdin_filename: Path | None,
) -> int:
    """Judge the records below PATHS, or the whole memory of this folder.

    A PATH may be a workspace, a root, a folder in it or a single record; `-` reads standard input.
    Exit code: 0 no errors, 1 errors, 2 could not judge.
    """
    from_stdin = STDIN in map(str, paths) or stdin_filename is not None
    if from_stdin and (fix or diff):
        raise click.UsageError("--fix and --diff change files, and standard input is none")
    given = {
        "select": _split(select),
        "ignore": _split(ignore),
        "extend_select": _split(extend_select),
        "output_format": output_format,
        "warnings_as_errors": warnings_as_errors or None,
    }
    plugins = load_plugins()
    if from_stdin:
        judged = [_judge_stdin(paths, stdin_filename, given, plugins)]
    else:
        jobs = [
            _Job(targets, _with(load_config(targets.root), given), plugins)
            for targets in _targets(paths, plugins)
        ]
        if diff:
            write("".join(_diff(change) for change in _changes(jobs, unsafe=unsafe_fixes)))
        elif fix:
            _apply(_changes(jobs, unsafe=unsafe_fixes))
        judged = [_judge(job) for job in jobs]
    settings = judged[0][1]
    formatter = _formatter(settings, plugins)
    root = Path(os.path.commonpath([report.root for report, _ in judged]))
    report = merge([report for report, _ in judged], root)
    if not diff:
        write(formatter.format(report, Presentation(_prefix(root), wants_colour())))
    return exit_code(report, warnings_as_errors=settings.warnings_as_errors)


def exit_code(report: Report, *, warnings_as_errors: bool) -> int:
    """Return what the verdict of `report` is to the shell: 2 could not judge, 1 errors, 0 none."""
    if report.failures:
        return 2
    if report.errors or (warnings_as_errors and report.warnings):
        return 1
    return 0


def _targets(paths: tuple[Path, ...], plugins: Plugins) -> list[Targets]:
    if paths:
        return find_targets(paths, plugins.kinds.folders)
    return [Targets(find_root(Path.cwd()), whole=True)]


def _judge(job: _Job) -> tuple[Report, Config]:
    with progress_for(job.config.output_format) as progress:
        report = lint(
            job.targets.root,
            only=job.targets,
            config=job.config,
            plugins=job.plugins,
            progress=progress,
        )
    return report, job.config


def _changes(jobs: list[_Job], *, unsafe: bool) -> Iterator[tuple[Root, Mended]]:
    for job in jobs:
        root = job.targets.root
        mended = mend_records(
            root, only=job.targets, config=job.config, plugins=job.plugins, unsafe=unsafe
        )
        yield from ((root, change) for change in mended)


def _apply(changes: Iterable[tuple[Root, Mended]]) -> None:
    for root, change in changes:
        if not Store(root.path).replace(change.path, change.before, change.after):
            fail(f"{change.path} changed meanwhile, and was left as it is")


def _diff(change: tuple[Root, Mended]) -> str:
    root, mended = change
    name = _prefix(root.path) + mended.path
    lines = difflib.unified_diff(
        mended.before.decode().splitlines(keepends=True),
        mended.after.decode().splitlines(keepends=True),
        f"a/{name}",
        f"b/{name}",
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _judge_stdin(
    paths: tuple[Path, ...],
    filename: Path | None,
    given: Mapping[str, object],
    plugins: Plugins,
) -> tuple[Report, Config]:
    if filename is None or len(paths) > 1 or [str(path) for path in paths] not in ([], [STDIN]):
        raise click.UsageError(
            "standard input is one record: write `yoimem check - --stdin-filename PATH`"
        )
    root: Root = root_of_file(filename)
    config = _with(load_config(root), given)
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return lint_text(root, in_root(filename, root), text, config=config, plugins=plugins), config


def _split(words: str | None) -> tuple[str, ...] | None:
    if words is None:
        return None
    return tuple(word.strip() for word in words.split(",") if word.strip())


def _with(config: Config, given: Mapping[str, object]) -> Config:
    """Return `config` with what the command line says in its place."""
    return replace(config, **{key: value for key, value in given.items() if value is not None})  # type: ignore[arg-type]


def _formatter(config: Config, plugins: Plugins) -> Formatter:
    name = config.output_format
    if name in plugins.formatters:
        return plugins.formatters[name]
    hint = did_you_mean(name, plugins.formatters)
    known = ", ".join(sorted(plugins.formatters))
    raise ConfigError(f"unknown output format `{name}`{hint}; there are: {known}")


def _prefix(root: Path) -> str:
    """Return the way from the working folder to `root`, ending in `/`; empty if they are one."""
    try:
        way = os.path.relpath(root)
    except ValueError:  # another drive
        way = str(root)
    return "" if way == os.curdir else Path(way).as_posix() + "/"
