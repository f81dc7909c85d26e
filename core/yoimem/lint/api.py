"""The linter as pure functions that other programs import (design, section 6)."""

from collections.abc import Container, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from yoimem.lint.config import Config, load_config
from yoimem.lint.durations import Durations
from yoimem.lint.engine import Change, Engine, Progress, is_excluded
from yoimem.lint.fix import mend
from yoimem.lint.host import load_plugins
from yoimem.lint.masking import Mask
from yoimem.lint.plugin import Plugins
from yoimem.lint.report import Diagnostic, Report
from yoimem.lint.rule import Actor, Operation
from yoimem.lint.ruleset import RuleSet, build_ruleset
from yoimem.workspace.layout import README, Root, is_reserved, require_root
from yoimem.workspace.store import Store


def lint(
    root: Path | str | Root,
    *,
    only: Container[str] | None = None,
    config: Config | None = None,
    plugins: Plugins | None = None,
    now: datetime | None = None,
    progress: Progress | None = None,
    durations: Durations | None = None,
) -> Report:
    """Judge every record under `root`, which may also be named by the workspace that holds it.

    `only` holds the root-relative paths that the report shall speak of, None for all. `config` and
    `plugins` are read and loaded when they are not given. `now` is the time that rules are told.
    `durations` gathers how long each rule takes.

    Raises:
        RootNotFoundError: there is no memory at `root`.
        ConfigError: the configuration cannot be used.
    """
    place, settings, found = _prepared(root, config, plugins)
    rules = build_ruleset(found, settings)
    if durations is not None:
        rules = durations.timed(rules)
    return _engine(place, found, rules, now).check(only, settings.excluded, progress)


def lint_text(
    root: Path | str | Root,
    path: str,
    text: str | None,
    *,
    actor: Actor = "human",
    operation: Operation = "check",
    config: Config | None = None,
    plugins: Plugins | None = None,
    now: datetime | None = None,
) -> Report:
    """Judge `text` as if it stood at the root-relative `path`; None judges the record's deletion.

    The report holds what is wrong with this record, and what the change newly makes wrong with
    others. Nothing is written. For any actor but a human the rules on policy and security cannot be
    switched off.

    Raises:
        ValueError: `path` is not a root-relative path with `/`, `actor` or `operation` is none, or
            `operation` does not fit the text.
        RootNotFoundError: there is no memory at `root`.
        ConfigError: the configuration cannot be used.
    """
    _require_relative(path)
    _require_known(actor, operation, text)
    place, settings, found = _prepared(root, config, plugins)
    rules = build_ruleset(found, settings, actor)
    by_a_person = actor == "human" and operation == "check"
    if by_a_person and _is_passed_over(path, settings):
        return Report(str(place.path), (), rules.failures, 0)
    doing: Operation = "delete" if text is None else operation
    return _engine(place, found, rules, now).judge(Change(path, text, doing), actor=actor)


@dataclass(frozen=True, slots=True)
class Mended:
    """A record with its fixes applied: its root-relative path, its bytes before and after.

    `mask` masks its secrets, for whoever shows what has changed.
    """

    path: str
    before: bytes
    after: bytes
    mask: Mask = field(default_factory=Mask, repr=False, compare=False)


def mend_records(
    root: Path | str | Root,
    *,
    only: Container[str] | None = None,
    config: Config | None = None,
    plugins: Plugins | None = None,
    unsafe: bool = False,
) -> Iterator[Mended]:
    """Yield every record under `root` that fixes would change; nothing is written.

    Raises:
        RootNotFoundError: there is no memory at `root`.
        ConfigError: the configuration cannot be used.
    """
    place, settings, found = _prepared(root, config, plugins)
    engine = _engine(place, found, build_ruleset(found, settings), None)
    report = engine.check(only, settings.excluded)
    fixable = (d.path for d in report.diagnostics if d.fix and (d.fix.safe or unsafe))
    for path in dict.fromkeys(fixable):
        before = Store(place.path).read(path)
        if before is None:
            continue

        def judge(text: str, path: str = path) -> Iterator[Diagnostic]:
            judged = engine.judge(Change(path, text, "check"))
            return (d for d in judged.diagnostics if d.path == path)

        with suppress(UnicodeError):  # bytes that are no text stay as they are
            text = before.decode()
            after = mend(text, judge, unsafe=unsafe)
            if after != text:
                yield Mended(path, before, after.encode(), engine.mask(path, text, after))


def _prepared(
    root: Path | str | Root, config: Config | None, plugins: Plugins | None
) -> tuple[Root, Config, Plugins]:
    place = require_root(root)
    settings = config or load_config(place)
    return place, settings, plugins or load_plugins(place, settings)


def _engine(place: Root, plugins: Plugins, rules: RuleSet, now: datetime | None) -> Engine:
    return Engine(Store(place.path), plugins.kinds, rules, lambda: now or datetime.now(UTC))


def _is_passed_over(path: str, config: Config) -> bool:
    """Tell whether a check would say nothing of `path`, whatever it holds."""
    is_readme = path.rpartition("/")[2] == README
    return is_readme or is_reserved(path) or is_excluded(path, config.excluded)


def _require_known(actor: str, operation: str, text: str | None) -> None:
    if actor not in get_args(Actor):
        raise ValueError(f"{actor!r} is no actor: there are {', '.join(get_args(Actor))}")
    if operation not in get_args(Operation):
        known = ", ".join(get_args(Operation))
        raise ValueError(f"{operation!r} is no operation: there are {known}")
    if operation == "delete" and text is not None:
        raise ValueError("a deletion has no text: give None")


def _require_relative(path: str) -> None:
    parts = path.split("/")
    if "\\" in path or "\0" in path or not all(part not in {"", ".", ".."} for part in parts):
        raise ValueError(
            f"{path!r} is no root-relative path, like `memory/decisions/use-sqlite.md`"
        )
