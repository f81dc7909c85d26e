"""How long each rule takes: every question is timed, and only where someone asked for it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from yoimem.lint.rule import Context, Finding, ProjectRule, RecordRule
from yoimem.lint.ruleset import ActiveRule, RuleSet
from yoimem.records.record import Record
from yoimem.workspace.snapshot import Snapshot


@dataclass(slots=True)
class Duration:
    """What one rule took: how often it was asked, and for how many seconds altogether."""

    code: str
    name: str
    plugin: str
    calls: int = 0
    seconds: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what is done meanwhile as one call."""
        started = perf_counter()
        try:
            yield
        finally:
            self.seconds += perf_counter() - started
            self.calls += 1


class Durations:
    """Gathers the durations of all rules, over one run or several."""

    def __init__(self) -> None:
        self._found: dict[str, Duration] = {}

    def timed(self, rules: RuleSet) -> RuleSet:
        """Return `rules` with every rule timed."""
        return replace(rules, active=tuple(self._timed(active) for active in rules.active))

    def slowest(self, number: int) -> list[Duration]:
        """Return the `number` rules that took longest, the slowest first."""
        return sorted(self._found.values(), key=lambda d: (-d.seconds, d.code))[:number]

    def _timed(self, active: ActiveRule) -> ActiveRule:
        meta = active.meta
        duration = self._found.setdefault(meta.code, Duration(meta.code, meta.name, active.plugin))
        rule = active.rule
        if isinstance(rule, RecordRule):
            return replace(active, rule=_TimedRecordRule(rule, duration))
        return replace(active, rule=_TimedProjectRule(rule, duration))


class _TimedRecordRule(RecordRule):
    def __init__(self, rule: RecordRule, duration: Duration) -> None:
        self.meta = rule.meta  # type: ignore[misc]
        self.only_problems = rule.only_problems  # type: ignore[misc]
        self._rule = rule
        self._duration = duration

    def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
        with self._duration.running():
            yield from self._rule.check(record, ctx)


class _TimedProjectRule(ProjectRule):
    def __init__(self, rule: ProjectRule, duration: Duration) -> None:
        self.meta = rule.meta  # type: ignore[misc]
        self._rule = rule
        self._duration = duration

    def check(self, snapshot: Snapshot, ctx: Context[Any]) -> Iterable[Finding]:
        with self._duration.running():
            yield from self._rule.check(snapshot, ctx)
