"""One run of rules over records: a rule's crash stays its own, and every other rule still runs."""

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from yoimem.lint.report import Diagnostic, Failure
from yoimem.lint.rule import Context, Finding, RecordRule
from yoimem.lint.ruleset import ActiveRule, RuleSet, is_protected
from yoimem.lint.stamping import checked, require_inside, stamp
from yoimem.lint.watchdog import RuleTimeoutError, Watchdog
from yoimem.lint.words import words
from yoimem.records.record import Record
from yoimem.workspace.snapshot import Snapshot

_Question = tuple[Callable[[Record, Context[Any]], Iterable[Finding]], Context[Any], ActiveRule]
"""What a record is asked: the rule's check, the context it is told, the rule itself."""


class Run:
    """One run over records with one context: gathers diagnostics and failures."""

    def __init__(self, rules: RuleSet, context: Context[None], watchdog: Watchdog) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.hidden: list[str] = []
        self._rules = rules
        self._context = context
        self._watchdog = watchdog
        self.crashes = Crashes()
        self._asked: dict[tuple[str, bool], list[_Question]] = {}

    def paths(self) -> Iterator[str]:
        """Yield the paths of the records that this run speaks of."""
        yield from (diagnostic.path for diagnostic in self.diagnostics)
        yield from (failure.path for failure in self.crashes.failures() if failure.path)

    def judge_record(self, record: Record) -> None:
        """Ask every rule that is for records of this kind."""
        key = (record.kind_name, bool(record.problems))
        questions = self._asked.get(key)
        if questions is None:
            questions = self._asked[key] = self._questions(*key)
        watchdog = self._watchdog
        watchdog.record = record
        for check, context, active in questions:
            watchdog.rule = active
            try:
                for finding in check(record, context):
                    self._stamp(active, finding, record)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # whatever a rule raises, also to leave the process
                self._crashed(active, error, record.path)
        watchdog.rule = None
        if watchdog.struck is not None:
            self._held_back(record.path)

    def judge_project(
        self, snapshot: Snapshot, is_asked: Callable[[str], bool] = lambda path: True
    ) -> None:
        """Ask every rule that compares records; keep what it says of the paths asked about."""
        self._watchdog.record, self._watchdog.records = snapshot, len(snapshot.facts)
        for active in self._rules.project_rules:
            if active.meta.code in self._watchdog.ended:
                continue
            context = replace(self._context, options=active.options)
            self._watchdog.rule = active
            try:
                for finding in active.rule.check(snapshot, context):  # type: ignore[arg-type]
                    self._stamp_in_project(active, finding, snapshot, is_asked)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # whatever a rule raises, also to leave the process
                self._crashed(active, error, None)
        if self._watchdog.struck is not None:
            self._held_back(None)
        self._watchdog.rule, self._watchdog.records = None, 1

    def _crashed(self, active: ActiveRule, error: BaseException, path: str | None) -> None:
        """Tell of a crash; a rule that took too long is not asked again in this run."""
        self._watchdog.rule = None  # to tell of it takes time that is not the rule's
        self._watchdog.struck = None
        if isinstance(error, RuleTimeoutError):
            self._watchdog.ended.add(active.meta.code)
            self._asked.clear()
            error = self._watchdog.worded(error)
        self.crashes.add(active, error, path)

    def _held_back(self, path: str | None) -> None:
        """Tell of a rule that took too long and caught the exception that was to end it."""
        struck = self._watchdog.struck
        if isinstance(struck, ActiveRule):
            self._crashed(struck, RuleTimeoutError(), path)

    def _questions(self, kind: str, has_problems: bool) -> list["_Question"]:
        """Work out once what every record of a `kind`, with problems or without, is asked."""
        found: list[_Question] = []
        for active in self._rules.record_rules:
            rule, meta = active.rule, active.meta
            assert isinstance(rule, RecordRule)
            if (
                meta.code not in self._watchdog.ended
                and self._context.operation in meta.operations
                and (not meta.record_kinds or kind in meta.record_kinds)
                and (has_problems or not rule.only_problems)
            ):
                context = replace(self._context, options=active.options)
                found.append((rule.check, context, active))
        return found

    def _stamp_in_project(
        self,
        active: ActiveRule,
        finding: Finding,
        snapshot: Snapshot,
        is_asked: Callable[[str], bool],
    ) -> None:
        path = checked(finding).path
        if path is None or path not in snapshot.facts:
            raise ValueError(f"a project rule must name a record by its path, not {path!r}")
        if not is_asked(path):
            return
        record = snapshot.record(path)
        if record is not None:
            self._stamp(active, finding, record)

    def _stamp(self, active: ActiveRule, finding: Finding, record: Record) -> None:
        meta = active.meta
        for hidden in checked(finding).hide:
            require_inside(hidden, record)
            self.hidden.append(record.text[hidden.start : hidden.end])
        if self._is_ignored(meta.code, record.path):
            return
        self.diagnostics.append(stamp(active, finding, record))

    def _is_ignored(self, code: str, path: str) -> bool:
        """Tell whether the configuration ignores a rule here; what is written is never spared."""
        if self._context.operation != "check":
            return False
        if self._context.actor != "human" and is_protected(code):
            return False
        return code in self._rules.ignored_in(path)


class Crashes:
    """Rules that crashed: each way of crashing once, with the number of records it struck."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[Failure, int]] = {}

    def add(self, active: ActiveRule, error: BaseException, path: str | None) -> None:
        code = active.meta.code
        message = words(error)
        if (code, message) in self._found:
            first, count = self._found[code, message]
            self._found[code, message] = (first, count + 1)
            return
        trace = _trace(error)
        failure = Failure(f"rule {code}", message, active.plugin, path, trace)
        self._found[code, message] = (failure, 0)

    def failures(self) -> Iterator[Failure]:
        for failure, more in self._found.values():
            suffix = f" (and so on {more} more records)" if more else ""
            yield replace(failure, message=failure.message + suffix)


def _trace(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error))
    except KeyboardInterrupt:
        raise
    except BaseException:  # an exception that cannot be shown
        return ""
