"""What rules cost on 10,000 records: nothing when they are off, little when they are trivial."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.bench.test_speed import make_memory, ratio
from tests.conftest import plugin_of
from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity, lint
from yoimem.lint.config import Config
from yoimem.lint.host import LoadedPlugin, Plugins, collect, find_plugins
from yoimem.lint.rule import Rule

NUMBER = 50
MOST = 0.15
NOISE = 0.05
"""A rule that is off is not asked (tests/lint/test_rules_off.py): what is left is the machine's."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_memory(tmp_path_factory.mktemp("rules") / ".yoi", 10_000)


def trivial_rules() -> list[type[Rule]]:
    class Trivial(RecordRule):
        def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
            if not record.text:
                yield Finding("it is empty")

    return [
        type(
            f"Trivial{number}",
            (Trivial,),
            {"meta": RuleMeta(f"TRIV{number:03}", f"trivial-{number}", Severity.ERROR, "1.0")},
        )
        for number in range(NUMBER)
    ]


def plugins_with(*rules: type[Rule]) -> Plugins:
    installed = [LoadedPlugin(p.label, p.entry_point.load()) for p in find_plugins()]
    found = collect([*installed, plugin_of(*rules)])
    assert found.failures == ()
    return found


def check(root: Path, plugins: Plugins, config: Config) -> None:
    report = lint(root, config=config, plugins=plugins)
    assert (report.diagnostics, report.failures) == ((), ())


def more(root: Path, plugins: Plugins, config: Config) -> float:
    """Return how much more time a check takes than with the installed rules alone."""
    plain = plugins_with()
    return (
        ratio(lambda: check(root, plugins, config), lambda: check(root, plain, Config()), rounds=9)
        - 1
    )


def test_fifty_trivial_rules(root: Path) -> None:
    found = more(root, plugins_with(*trivial_rules()), Config())
    print(f"\n{NUMBER} trivial rules more: {found:+.1%} on 10,000 records (goal under {MOST:.0%})")
    assert found < MOST


def test_rules_that_are_off_cost_nothing(root: Path) -> None:
    plugins = plugins_with(*trivial_rules())
    off = Config(ignore=("TRIV",))
    found = more(root, plugins, off)
    print(f"\n{NUMBER} rules that are off: {found:+.1%} on 10,000 records (noise {NOISE:.0%})")
    assert found < NOISE
