"""What every test may use: a memory to write into, and plugins made on the spot."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from yoimem import Report, hookimpl, lint
from yoimem.lint.collector import collect
from yoimem.lint.config import Config
from yoimem.lint.host import find_plugins
from yoimem.lint.plugin import LoadedPlugin, Plugins
from yoimem.lint.rule import Rule
from yoimem.testing import write_file

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

DECISION = """\
---
created_at: 2026-01-10T09:00:00Z
updated_at: 2026-01-10T09:00:00Z
status: open
sources: []
---
Body.
"""
KNOWLEDGE = """\
---
created_at: 2026-01-10T09:00:00Z
updated_at: 2026-01-10T09:00:00Z
kind: guide
description: What there is to know.
model_invokation: false
user_invocable: true
last_sources: []
---
Body.
"""
SUMMARY = "---\nupdated_at: 2026-01-10T09:00:00Z\n---\nBody.\n"
WORKFLOW = "---\ndescription: Make a release.\n---\n1. Tag.\n"


class Memory:
    """A workspace in a temporary folder, with a memory to fill."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.root = workspace / ".yoi"
        (self.root / "memory").mkdir(parents=True)

    def write(self, path: str, text: str) -> Path:
        return write_file(self.root, path, text)

    def lint(self, **options: object) -> Report:
        return lint(self.root, now=NOW, **options)  # type: ignore[arg-type]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


def plugin_of(*rules: type[Rule], label: str = "acme 1.0") -> LoadedPlugin:
    """Make a plugin that hands in `rules`."""

    class Plugin:
        @hookimpl
        def yoimem_register_rules(self) -> Sequence[type[Rule]]:
            return rules

    return LoadedPlugin(label, Plugin())


@pytest.fixture
def with_rules() -> Callable[..., Plugins]:
    """Return what adds rules to the installed plugins."""

    def add(*rules: type[Rule]) -> Plugins:
        installed = [LoadedPlugin(p.label, p.entry_point.load()) for p in find_plugins()]
        return collect([*installed, plugin_of(*rules)])

    return add


def only(*codes: str) -> Config:
    """Make the configuration that selects `codes`."""
    return Config(select=codes)
