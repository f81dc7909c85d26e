"""`yoimem check`: judges records and prints the report."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click

from yoimem.formatters.text import TextFormatter
from yoimem.interfaces.cli.durations import show_durations
from yoimem.interfaces.cli.output import fail, off_stdout, wants_colour, write
from yoimem.interfaces.cli.progress import progress_for
from yoimem.lint.api import lint, lint_text, mend_records
from yoimem.lint.config import Config, load_config
from yoimem.lint.durations import Durations
from yoimem.lint.errors import ConfigError
from yoimem.lint.formatter import Formatter, Presentation
from yoimem.lint.host import load_plugins
from yoimem.lint.plugin import Plugins
from yoimem.lint.report import Report, merge
from yoimem.lint.words import did_you_mean, words
from yoimem.workspace.layout import Root, find_root
from yoimem.workspace.targets import Targets, find_targets, in_root, root_of_file, roots_of

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
@click.option("--audit", is_flag=True, help="Name the records that were changed past the tools.")
@click.option(
    "--durations",
    metavar="N",
    type=click.IntRange(min=1),
    help="Show the N slowest rules after the report.",
)
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
    audit: bool,
    durations: int | None,
    stdin_filename: Path | None,
) -> int:
    """Judge the records below PATHS, or the whole memory of this folder.

    A PATH may be a workspace, a root, a folder in it or a single record; `-` reads standard input.
    Exit code: 0 no errors, 1 errors, 2 could not judge. With --audit nothing is judged: it names
    the records whose bytes no line of the audit log explains, and exits with 1 when there are any.
    """
    from_stdin = STDIN in map(str, paths) or stdin_filename is not None
    if from_stdin and (fix or diff):
        raise click.UsageError("--fix and --diff change files, and standard input is none")
    if audit and (from_stdin or fix or diff or select or ignore or extend_select or durations):
        raise click.UsageError("--audit judges nothing: it takes PATHS and --output-format only")
    if durations and (diff or from_stdin):
        raise click.UsageError("--durations times a check of records on disk, with its report")
    given = {
        "select": _split(select),
        "ignore": _split(ignore),
        "extend_select": _split(extend_select),
        "output_format": output_format,
        "warnings_as_errors": warnings_as_errors or None,
    }
    timing = Durations() if durations else None
    if audit:
        from yoimem.interfaces.cli.audit import report_unexplained  # noqa: PLC0415 - only here

        jobs = _jobs(paths, given)
        return report_unexplained([job.targets for job in jobs], _folders(jobs), output_format)
    if from_stdin:
        config, plugins, judge = _stdin_job(paths, stdin_filename, given)
        formatter, reports = _formatter(config, plugins), [judge()]
        verdict = exit_code(reports[0], warnings_as_errors=config.warnings_as_errors)
    else:
        jobs = _jobs(paths, given)
        formatter = _formatter(jobs[0].config, jobs[0].plugins)
        if fix or diff:
            _mend(jobs, unsafe=unsafe_fixes, only_show=diff)
        reports = [_judge(job, timing) for job in jobs]
        verdict = max(
            exit_code(report, warnings_as_errors=job.config.warnings_as_errors)
            for report, job in zip(reports, jobs, strict=True)
        )
    if not diff:
        verdict = max(verdict, _print(reports, formatter))
    if timing is not None and durations:
        show_durations(timing.slowest(durations), on_stdout=formatter.name == "text")
    return verdict


def exit_code(report: Report, *, warnings_as_errors: bool) -> int:
    """Return what the verdict of `report` is to the shell: 2 could not judge, 1 errors, 0 none."""
    if report.failures:
        return 2
    if report.errors or (warnings_as_errors and report.warnings):
        return 1
    return 0


@off_stdout()
def _jobs(paths: tuple[Path, ...], given: Mapping[str, object]) -> list[_Job]:
    """Return what is to be judged, each root with its own configuration and plugins."""
    whole = [] if paths else [Targets(find_root(Path.cwd()), whole=True)]
    roots = roots_of(paths) if paths else [targets.root for targets in whole]
    jobs = {root.path: _Job(Targets(root), *_prepared(root, given)) for root in roots}
    found = whole or find_targets(paths, _folders(jobs.values()))
    return [replace(jobs[targets.root.path], targets=targets) for targets in found]


def _prepared(root: Root, given: Mapping[str, object]) -> tuple[Config, Plugins]:
    config = _with(load_config(root), given)
    return config, load_plugins(root, config)


def _folders(jobs: Iterable[_Job]) -> frozenset[str]:
    """Return the top folders in which records of any kind live."""
    return frozenset[str]().union(*(job.plugins.kinds.folders for job in jobs))


@off_stdout()
def _judge(job: _Job, durations: Durations | None) -> Report:
    with progress_for(job.config.output_format) as progress:
        return lint(
            job.targets.root,
            only=job.targets,
            config=job.config,
            plugins=job.plugins,
            progress=progress,
            durations=durations,
        )


def _mend(jobs: list[_Job], *, unsafe: bool, only_show: bool) -> None:
    from yoimem.interfaces.cli import mending  # noqa: PLC0415 - few checks write

    for job in jobs:
        root = job.targets.root
        with off_stdout():
            changes = list(
                mend_records(
                    root, only=job.targets, config=job.config, plugins=job.plugins, unsafe=unsafe
                )
            )
        if only_show:
            write("".join(mending.diff(change, _prefix(root.path)) for change in changes))
        else:
            mending.apply_fixes(root, changes)


def _print(reports: list[Report], formatter: Formatter) -> int:
    """Print the reports as one; return 2 when the formatter fails, and print them as text then."""
    root = Path(os.path.commonpath([report.root for report in reports]))
    report = merge(reports, root)
    shown = Presentation(_prefix(root), wants_colour())
    try:
        with off_stdout():
            text: object = formatter.format(report, shown)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a plugin's formatter raises
        fail(f"the format `{formatter.name}` failed: {words(error)}")
        write(TextFormatter().format(report, shown))
        return 2
    if not isinstance(text, str):
        fail(f"the format `{formatter.name}` failed: it returned {type(text).__name__}, no text")
        return 2
    write(text)
    return 0


def _stdin_job(
    paths: tuple[Path, ...],
    filename: Path | None,
    given: Mapping[str, object],
) -> tuple[Config, Plugins, Callable[[], Report]]:
    """Return the configuration and the plugins for standard input, and what judges it."""
    if filename is None or len(paths) > 1 or [str(path) for path in paths] not in ([], [STDIN]):
        raise click.UsageError(
            "standard input is one record: write `yoimem check - --stdin-filename PATH`"
        )
    root = root_of_file(filename)
    path = in_root(filename, root)
    if not path:
        raise click.UsageError(f"{filename} is the memory itself, and no record of it")
    with off_stdout():
        config, plugins = _prepared(root, given)

    @off_stdout()
    def judge() -> Report:
        data = sys.stdin.buffer.read() if sys.stdin else b""
        text = data.decode("utf-8", "surrogateescape")
        return lint_text(root, path, text, config=config, plugins=plugins)

    return config, plugins, judge


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
