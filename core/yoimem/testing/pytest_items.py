"""Rule pages as pytest items: one for the page's form, one for each example."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from yoimem.lint.errors import ConfigError
from yoimem.lint.host import load_plugins
from yoimem.lint.pages import page_path
from yoimem.lint.plugin import Plugins
from yoimem.lint.report import Failure
from yoimem.lint.rule import Rule
from yoimem.testing.judging import check_example, check_form, installed_plugins
from yoimem.testing.pages import Example, Page, parse_page
from yoimem.workspace.layout import RootNotFoundError, find_root

_TITLE = re.compile(r"# [A-Z]{2,12}[0-9]{3,4}\b")


def collect_page(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return what collects the page at `path`; None where no rule's page is."""
    plugins = _plugins_at(path.parent)
    rules = _rules_of(path, plugins)
    if not rules and not _TITLE.match(path.read_text("utf-8", "replace")):
        return None
    page_file: PageFile = PageFile.from_parent(parent, path=path, rules=rules, plugins=plugins)
    return page_file


class PageFile(pytest.File):
    """The page of a rule, or of the rules of one module."""

    def __init__(self, *, rules: list[type[Rule]], plugins: Plugins, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rules = rules
        self._plugins = plugins

    def collect(self) -> Iterator[pytest.Item]:
        self._require_installed()
        try:
            page = parse_page(self.path.read_text("utf-8"))
        except (AssertionError, UnicodeError) as error:
            raise self.CollectError(str(error)) from error
        for rule in self._rules:
            code = rule.meta.code
            yield _FormItem.from_parent(self, name=f"{code} form", rule=rule, page=page)
            for number, example in enumerate(page.examples, 1):
                name = f"{code} {example.verdict} {number} {example.title}".rstrip()
                yield _ExampleItem.from_parent(
                    self, name=name, rule=rule, example=example, plugins=self._plugins
                )

    def _require_installed(self) -> None:
        """Hold that the rule of this page is installed, and is the one beside the page."""
        failures = "".join(f"\n  {f.where}: {f.message}" for f in self._plugins.failures)
        if not self._rules:
            raise self.CollectError(
                "no plugin hands in the rule of this page: name the rule in the plugin's hook, and"
                f" install its folder (`pip install -e .`) or name it in `local-plugins`{failures}"
            )
        here = self.path.with_suffix(".py")
        there = page_path(self._rules[0]).with_suffix(".py")
        if here.read_bytes() != there.read_bytes():
            raise self.CollectError(f"{here} is not what is installed as {there}: install it again")


class _Item(pytest.Item):
    """One thing that a page says of its rule."""

    def __init__(self, *, rule: type[Rule], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rule = rule

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what does not hold, without the way through the kit."""
        if isinstance(excinfo.value, AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class _FormItem(_Item):
    """The form of a page."""

    def __init__(self, *, page: Page, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._page = page

    def runtest(self) -> None:
        check_form(self.rule, self._page)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name


class _ExampleItem(_Item):
    """One example of a page."""

    def __init__(self, *, example: Example, plugins: Plugins, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._example = example
        self._plugins = plugins

    def runtest(self) -> None:
        with TemporaryDirectory() as folder:
            check_example(self.rule, self._example, Path(folder), self._plugins)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self._example.line - 1, self.name


@cache
def _plugins_at(folder: Path) -> Plugins:
    """Return the installed plugins, with the local ones of a memory at or above `folder`."""
    try:
        return load_plugins(find_root(folder, environ={}))
    except RootNotFoundError:
        return installed_plugins()
    except ConfigError as error:
        failure = Failure("configuration", str(error))
        installed = installed_plugins()
        return replace(installed, failures=(*installed.failures, failure))


def _rules_of(path: Path, plugins: Plugins) -> list[type[Rule]]:
    """Return the rules whose page is `path`, or the copy of it that is installed elsewhere."""
    return [
        registered.rule
        for registered in plugins.rules
        if path == page_path(registered.rule)
        or path.as_posix().endswith(f"/{registered.rule.__module__.replace('.', '/')}.md")
    ]
