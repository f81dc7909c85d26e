"""A rule that is switched off costs nothing: it is not asked."""

from collections.abc import Callable, Iterable

import pytest

from tests.conftest import DECISION, Memory
from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity
from yoimem.lint.config import Config
from yoimem.lint.host import Plugins


class CrashesWhenAsked(RecordRule):
    meta = RuleMeta("ACME001", "crashes", Severity.ERROR, "1.0")

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        raise RuntimeError("it was asked")


@pytest.mark.parametrize("config", [Config(ignore=("ACME",)), Config(select=("FM", "ID"))])
def test_it_is_not_asked(
    config: Config, memory: Memory, with_rules: Callable[..., Plugins]
) -> None:
    memory.write("memory/decisions/a.md", DECISION)
    plugins = with_rules(CrashesWhenAsked)
    assert len(memory.lint(plugins=plugins).failures) == 1
    assert memory.lint(plugins=plugins, config=config).failures == ()
