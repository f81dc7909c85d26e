"""The linter as pure functions that other programs import (design, section 6)."""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from yoimem.lint.config import Config, load_config
from yoimem.lint.engine import Change, Engine, Progress
from yoimem.lint.fix import mend
from yoimem.lint.host import Plugins, load_plugins
from yoimem.lint.report import Diagnostic, Report
from yoimem.lint.rule import Actor, Operation
from yoimem.lint.ruleset import RuleSet, build_ruleset
from yoimem.workspace.layout import README, Root, RootNotFoundError, root_at
from yoimem.workspace.store import Store


def lint(
    root: Path | str | Root,
    *,
    only: Container[str] | None = None,
    config: Config | None = None,
    plugins: Plugins | None = None,
    now: datetime | None = None,
    progress: Progress | None = None,
) -> Report:
    """Judge every record under `root`, which may also be named by the workspace that holds it.

    `only` holds the root-relative paths that the report shall speak of, None for all. `config` and
    `plugins` are read and loaded when they are not given. `now` is the time that rules are told.

    Raises:
        RootNotFoundError: there is no memory at `root`.
        ConfigError: the configuration cannot be used.
    """
    place, settings, found = _prepared(root, config, plugins)
    rules = build_ruleset(found, settings)
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
        ValueError: `path` is not a root-relative path with `/`.
        RootNotFoundError: there is no memory at `root`.
        ConfigError: the configuration cannot be used.
    """
    _require_relative(path)
    place, settings, found = _prepared(root, config, plugins)
    rules = build_ruleset(found, settings, actor)
    if path.rpartition("/")[2] == README:
        return Report(str(place.path), (), rules.failures, 0)
    doing: Operation = "delete" if text is None else operation
    return _engine(place, found, rules, now).judge(Change(path, text, doing), actor=actor)


@dataclass(frozen=True, slots=True)
class Mended:
    """A record with its fixes applied: its root-relative path, its bytes before and after."""

    path: str
    before: bytes
    after: bytes


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
    report = lint(place, only=only, config=settings, plugins=found)
    fixable = (d.path for d in report.diagnostics if d.fix and (d.fix.safe or unsafe))
    for path in dict.fromkeys(fixable):
        before = Store(place.path).read(path)
        if before is None:
            continue

        def judge(text: str, path: str = path) -> Iterator[Diagnostic]:
            judged = lint_text(place, path, text, config=settings, plugins=found)
            return (d for d in judged.diagnostics if d.path == path)

        after = mend(before.decode(), judge, unsafe=unsafe).encode()
        if after != before:
            yield Mended(path, before, after)


def _prepared(
    root: Path | str | Root, config: Config | None, plugins: Plugins | None
) -> tuple[Root, Config, Plugins]:
    place = root if isinstance(root, Root) else root_at(Path(root))
    if place is None:
        raise RootNotFoundError(f"{root} holds no memory: no `.yoi/`, `memory/` or `knowledge/`")
    return place, config or load_config(place), plugins or load_plugins()


def _engine(place: Root, plugins: Plugins, rules: RuleSet, now: datetime | None) -> Engine:
    return Engine(Store(place.path), plugins.kinds, rules, lambda: now or datetime.now(UTC))


def _require_relative(path: str) -> None:
    parts = path.split("/")
    if "\\" in path or "\0" in path or not all(part not in {"", ".", ".."} for part in parts):
        raise ValueError(
            f"{path!r} is no root-relative path, like `memory/decisions/use-sqlite.md`"
        )
