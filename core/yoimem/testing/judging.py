"""Judging what a page shows, and what a test writes, with the rule under test."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from yoimem.lint.api import lint
from yoimem.lint.collector import collect
from yoimem.lint.config import Config
from yoimem.lint.engine import Change, Engine
from yoimem.lint.errors import ConfigError
from yoimem.lint.evidence import Evidence
from yoimem.lint.hookspecs import hookimpl
from yoimem.lint.host import find_plugins, load_plugins
from yoimem.lint.options import option_names
from yoimem.lint.plugin import LoadedPlugin, Plugins
from yoimem.lint.report import Diagnostic, Report
from yoimem.lint.rule import Rule
from yoimem.lint.ruleset import build_ruleset
from yoimem.testing.evidence import evidence_of
from yoimem.testing.pages import SECTIONS, Example, ExampleFile, Page, read_page
from yoimem.testing.requirement import require
from yoimem.testing.workspaces import workspace, write_file
from yoimem.workspace.layout import ROOT_FOLDER
from yoimem.workspace.store import Store


class Found(NamedTuple):
    """A finding as a test compares it: `path`, `line` and `column` from 1, `message`."""

    path: str
    line: int
    column: int
    message: str


def findings(
    rule: type[Rule],
    texts: Mapping[str, str],
    *,
    options: Mapping[str, Any] | None = None,
    now: datetime | None = None,
) -> list[Found]:
    """Return what `rule`, and no other, says of a memory of `texts`, in order.

    `texts` maps root-relative paths to texts. `options` are written as in a configuration, with
    `-`. `now` is the time that the rule is told.

    Raises:
        AssertionError: the rule, or an installed plugin, failed.
        ConfigError: the rule takes no such options.
    """
    config = _config_of(rule, options or {}, (rule.meta.code,))
    with TemporaryDirectory() as folder:
        place = workspace(Path(folder), texts)
        report = lint(place, config=config, plugins=plugins_with(rule), now=now)
    _require_whole(report, rule.meta.code)
    return [Found(d.path, *d.start, d.message) for d in report.diagnostics]


def check_page(rule: type[Rule], folder: Path) -> None:
    """Hold a rule against its page, working in the empty `folder`.

    Raises:
        AssertionError: the page lacks a heading or a bad example, shows one twice, names an option
            that the rule lacks or with another default, or an example is not judged as it says.
    """
    page = read_page(rule)
    check_form(rule, page)
    for number, example in enumerate(page.examples):
        check_example(rule, example, folder / str(number))


def check_form(rule: type[Rule], page: Page) -> None:
    """Hold a rule against the form of its page; the examples are not judged.

    Raises:
        AssertionError: a heading is missing, there is no bad or no good example, or one stands
            twice, or the options are not those of the rule.
    """
    meta = rule.meta
    wanted = f"{meta.code} {meta.name}"
    require(page.title == wanted, f"the page begins `# {page.title}`, and not `# {wanted}`")
    require(
        page.sections == SECTIONS,
        f"the headings of the page are {', '.join(page.sections)}, and not {', '.join(SECTIONS)}",
    )
    _check_options(rule, page)
    verdicts = [example.verdict for example in page.examples]
    require("bad" in verdicts, "the page has no bad example")
    require("good" in verdicts, "the page has no good example")
    for number, example in enumerate(page.examples):
        name = _name_of(rule, example)
        same = ((e.files, e.options, e.evidence) for e in page.examples[:number])
        shown = (example.files, example.options, example.evidence)
        require(shown not in same, f"the {name} is there already")
        if example.verdict == "bad":
            require(bool(example.findings), f"the {name} lists no findings")


def check_example(
    rule: type[Rule], example: Example, folder: Path, plugins: Plugins | None = None
) -> None:
    """Judge one example of `rule` in the new `folder`.

    A bad example is judged by this rule alone, a good one by all rules of its plugin and yoimem's.
    `plugins` are those installed when they are not given.

    Raises:
        AssertionError: the findings are not at the places that the example says, a rule or a plugin
            failed, or the rule lacks an option that the example sets.
    """
    name = _name_of(rule, example)
    try:
        report = judge_example(rule, example, folder, plugins)
    except ConfigError as error:
        raise AssertionError(f"the options of the {name} cannot be used: {error}") from error
    _require_whole(report, f"the {name}")
    found = tuple(_place(d) for d in report.diagnostics)
    wanted = "".join(f"\n  {place}" for place in example.findings) or " no findings"
    shown = "".join(f"\n  {_place(d)} {d.code} {d.message}" for d in report.diagnostics)
    require(
        found == example.findings,
        f"the {name} should have{wanted}\nand it has{shown or ' no findings'}",
    )


def judge_example(
    rule: type[Rule], example: Example, folder: Path, plugins: Plugins | None = None
) -> Report:
    """Return the report on `example`, which is written into the new `folder`."""
    plugins = plugins or plugins_with(rule)
    alone = example.verdict == "bad"
    codes = (rule.meta.code,) if alone else _codes_beside(rule, plugins)
    config = _config_of(rule, example.options, codes)
    root = workspace(folder, {}) / ROOT_FOLDER
    for file in example.files:
        if not (file.operation or file.start):
            write_file(root, file.path, file.text, folder=file.folder)
    change = next((file for file in example.files if file.operation), None)
    if change is None:
        return lint(folder, config=config, plugins=plugins)
    report = _judge_change(root, change, evidence_of(example, plugins.kinds), config, plugins)
    # For an agent the rules on policy and security cannot be switched off.
    heard = (d for d in report.diagnostics if d.code in codes)
    return replace(report, diagnostics=tuple(heard))


def _judge_change(
    root: Path, file: ExampleFile, evidence: Evidence | None, config: Config, plugins: Plugins
) -> Report:
    assert file.operation is not None
    rules = build_ruleset(plugins, config, file.actor)
    engine = Engine(Store(root), plugins.kinds, rules, lambda: datetime.now(UTC))
    text = None if file.operation == "delete" else file.text
    change = Change(file.path, text, file.operation)
    return engine.judge(change, actor=file.actor, evidence=evidence)


def plugins_with(rule: type[Rule]) -> Plugins:
    """Return the installed plugins, and `rule` with them if none of them hands it in."""
    installed = installed_plugins()
    if any(registered.rule is rule for registered in installed.rules):
        return installed
    found = [LoadedPlugin(plugin.label, plugin.entry_point.load()) for plugin in find_plugins()]
    return collect([*found, LoadedPlugin("the rule under test", _Single(rule))])


@cache
def installed_plugins() -> Plugins:
    """Return the installed plugins, loaded once."""
    return load_plugins()


class _Single:
    """A plugin that hands in one rule."""

    def __init__(self, rule: type[Rule]) -> None:
        self._rule = rule

    @hookimpl
    def yoimem_register_rules(self) -> list[type[Rule]]:
        return [self._rule]


def _codes_beside(rule: type[Rule], plugins: Plugins) -> tuple[str, ...]:
    """Return the codes of the rules that a page may count on: its plugin's, and yoimem's own."""
    own = next((r.plugin for r in plugins.rules if r.rule is rule), "")
    return tuple(
        registered.meta.code
        for registered in plugins.rules
        if registered.plugin == own or registered.plugin.startswith("yoimem ")
    )


def _config_of(rule: type[Rule], options: Mapping[str, Any], codes: tuple[str, ...]) -> Config:
    return Config(select=codes, rules={rule.meta.name: options} if options else {})


def _check_options(rule: type[Rule], page: Page) -> None:
    there = {name: _as_written(value) for name, value in option_names(rule.Options).items()}
    for name in page.options.keys() - there.keys():
        raise AssertionError(f"the page has the option `{name}`, and the rule has not")
    for name, default in there.items():
        require(name in page.options, f"the rule has the option `{name}`, and the page has not")
        written = page.options[name]
        require(
            written == default,
            f"the default of `{name}` is {default}, and the page says {written}",
        )


def _require_whole(report: Report, name: str) -> None:
    said = "".join(f"\n  {f.where}: {f.message}\n{f.traceback}" for f in report.failures)
    require(not report.failures, f"{name} could not be judged:{said}".rstrip())


def _name_of(rule: type[Rule], example: Example) -> str:
    title = f" `{example.title}`" if example.title else ""
    return f"{example.verdict} example{title} of {rule.meta.code}"


def _place(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.path}:{diagnostic.start.line}:{diagnostic.start.column}"


def _as_written(value: object) -> str:
    """Write an option's default as a page does."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{item}"' for item in value) + "]"
    return f"{value}"
