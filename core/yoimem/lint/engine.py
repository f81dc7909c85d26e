"""The engine: hands records to rules, stamps what they find, keeps each rule's crash to itself."""

import traceback
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from yoimem.lint.masking import Mask
from yoimem.lint.report import Diagnostic, Failure, Report
from yoimem.lint.rule import Actor, Context, Finding, Fix, Operation, RecordRule
from yoimem.lint.ruleset import ActiveRule, RuleSet, is_protected
from yoimem.lint.watchdog import RuleTimeoutError, Watchdog
from yoimem.lint.words import words
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.records.text import Span
from yoimem.workspace.index import Index
from yoimem.workspace.snapshot import Facts, Snapshot, facts_of
from yoimem.workspace.store import Store

Progress = Callable[[int, int], None]
"""Told how many records are judged, of how many."""

_Question = tuple[Callable[[Record, Context[Any]], Iterable[Finding]], Context[Any], ActiveRule]
"""What a record is asked: the rule's check, the context it is told, the rule itself."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change that is to be judged before it is made; `text` is None for a deletion."""

    path: str
    text: str | None
    operation: Operation


class Engine:
    """Judges one root with one set of rules. `now` tells the time that rules are told."""

    def __init__(
        self, store: Store, kinds: Kinds, rules: RuleSet, now: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._kinds = kinds
        self._rules = rules
        self._now = now
        self._reader = Reader(kinds, rules.limits)
        self._index = Index(store, kinds, self._reader)

    def check(
        self,
        only: Container[str] | None = None,
        exclude: Iterable[str] = (),
        progress: Progress | None = None,
    ) -> Report:
        """Judge every record under the root.

        `only` holds the root-relative paths that are asked about, None for all: the others are
        read, since rules compare records, and nothing is said of them. `exclude` holds patterns
        of paths that nothing is said of either.
        """
        with Watchdog(self._rules.rule_timeout) as watchdog:
            return self._check(watchdog, only, exclude, progress)

    def _check(
        self,
        watchdog: Watchdog,
        only: Container[str] | None,
        exclude: Iterable[str],
        progress: Progress | None,
    ) -> Report:
        run = _Run(self._rules, Context(None, self._now()), watchdog)
        entries = self._store.walk(self._kinds.folders)
        facts: dict[str, Facts] = {}
        judged = 0
        for number, entry in enumerate(entries, 1):
            record = (
                self._reader.unreadable(entry.path, entry.fault)
                if entry.fault
                else self._index.load(entry.path)
            )
            if record is None:
                continue
            if not entry.fault:
                facts[entry.path] = facts_of(record)
            if _is_asked(entry.path, only, exclude):
                judged += 1
                run.judge_record(record)
            if progress is not None:
                progress(number, len(entries))
        unread = frozenset(entry.path for entry in entries if entry.fault)
        snapshot = Snapshot(facts, self._reader, self._index.load, unread=unread)
        run.judge_project(snapshot, lambda path: _is_asked(path, only, exclude))
        return self._report([run], judged)

    def judge(
        self,
        *changes: Change,
        actor: Actor = "human",
        evidence: Mapping[str, Any] | None = None,
    ) -> Report:
        """Judge the tree as `changes`, made together, would leave it.

        The report holds everything about the changed records, and of the others what is new: what
        stood before does not count against the change. "New" is told by rule, record and subject,
        never by line or message (design, section 6).
        """
        with Watchdog(self._rules.rule_timeout) as watchdog:
            return self._judge(watchdog, changes, actor, evidence or {})

    def _judge(
        self,
        watchdog: Watchdog,
        changes: Sequence[Change],
        actor: Actor,
        evidence: Mapping[str, Any],
    ) -> Report:
        before = after = self._index.snapshot()
        for change in changes:
            after = (
                after.without(change.path)
                if change.text is None
                else after.with_text(change.path, change.text)
            )
        paths = frozenset(change.path for change in changes)
        context = Context(None, self._now(), actor, changes[0].operation, paths, None, evidence)
        project = _Run(self._rules, context, watchdog)
        project.judge_project(after)
        earlier = _Run(self._rules, context, watchdog)
        earlier.judge_project(before)
        known = {_identity(d) for d in earlier.diagnostics if d.path not in paths}
        project.diagnostics = [d for d in project.diagnostics if _identity(d) not in known]
        records = [
            self._judge_record(watchdog, change, context, before, after) for change in changes
        ]
        runs = [*records, project]
        told = dict.fromkeys(path for run in runs for path in run.paths())
        shown = (snapshot.record(path) for path in told for snapshot in (before, after))
        hidden = self._hidden(watchdog, (record for record in shown if record is not None))
        return self._report(runs, len(changes), hidden)

    def mask(self, path: str, *texts: str) -> Mask:
        """Return what masks the secrets that `texts` hold, were they to stand at `path`."""
        with Watchdog(self._rules.rule_timeout) as watchdog:
            records = (self._reader.read_text(path, text) for text in texts)
            return Mask(self._hidden(watchdog, records))

    def _judge_record(
        self,
        watchdog: Watchdog,
        change: Change,
        context: Context[None],
        before: Snapshot,
        after: Snapshot,
    ) -> "_Run":
        """Judge the changed record by itself; of a deletion, the record that goes."""
        stood = before.record(change.path)
        told = replace(context, operation=change.operation, before=stood)
        run = _Run(self._rules, told, watchdog)
        record = after.record(change.path) or stood
        if record is not None:
            run.judge_record(record)
        return run

    def _hidden(self, watchdog: Watchdog, records: Iterable[Record]) -> list[str]:
        """Return what must not be shown of `records`, whatever is said of them.

        A project rule speaks of records that nobody asked about, and a rule may quote what a change
        takes away: of each record that a report speaks of, every version is asked.
        """
        run = _Run(self._rules, Context(None, self._now()), watchdog)
        for record in records:
            run.judge_record(record)
        return run.hidden

    def _report(self, runs: Iterable["_Run"], records: int, hidden: Iterable[str] = ()) -> Report:
        """Put everything in order, and mask what the findings, and `hidden`, do not let show."""
        found = [diagnostic for run in runs for diagnostic in run.diagnostics]
        crashes = [failure for run in runs for failure in run.crashes.failures()]
        mask = Mask([*hidden, *(secret for run in runs for secret in run.hidden)])
        if mask:
            found = [mask.diagnostic(diagnostic) for diagnostic in found]
            crashes = [mask.failure(failure) for failure in crashes]
        return Report(
            str(self._store.root),
            tuple(sorted(found, key=lambda d: d.sort_key)),
            (*self._rules.failures, *crashes),
            records,
        )


class _Run:
    """One run over records with one context: gathers diagnostics and failures."""

    def __init__(self, rules: RuleSet, context: Context[None], watchdog: Watchdog) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.hidden: list[str] = []
        self._rules = rules
        self._context = context
        self._watchdog = watchdog
        self.crashes = _Crashes()
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
        self._watchdog.rule, self._watchdog.records = None, 1

    def _crashed(self, active: ActiveRule, error: BaseException, path: str | None) -> None:
        """Tell of a crash; a rule that took too long is not asked again in this run."""
        self._watchdog.rule = None  # to tell of it takes time that is not the rule's
        if isinstance(error, RuleTimeoutError):
            self._watchdog.ended.add(active.meta.code)
            self._asked.clear()
            error = self._watchdog.worded(error)
        self.crashes.add(active, error, path)

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
        path = _checked(finding).path
        if path is None or path not in snapshot.facts:
            raise ValueError(f"a project rule must name a record by its path, not {path!r}")
        if not is_asked(path):
            return
        record = snapshot.record(path)
        if record is not None:
            self._stamp(active, finding, record)

    def _stamp(self, active: ActiveRule, finding: Finding, record: Record) -> None:
        meta = active.meta
        for hidden in _checked(finding).hide:
            _require_inside(hidden, record)
            self.hidden.append(record.text[hidden.start : hidden.end])
        if self._is_ignored(meta.code, record.path):
            return
        span = _span_of(finding, record)
        start, end = record.lines.place(span.start), record.lines.place(span.end)
        self.diagnostics.append(
            Diagnostic(
                path=record.path,
                start=start,
                end=end,
                code=meta.code,
                name=meta.name,
                severity=active.severity,
                message=finding.message,
                help=finding.help,
                fix=finding.fix,
                subject=finding.subject,
                source=record.lines.text(start.line),
            )
        )

    def _is_ignored(self, code: str, path: str) -> bool:
        """Tell whether the configuration ignores a rule here; what is written is never spared."""
        if self._context.operation != "check":
            return False
        if self._context.actor != "human" and is_protected(code):
            return False
        return code in self._rules.ignored_in(path)


class _Crashes:
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
        trace = "".join(traceback.format_exception(error))
        failure = Failure(f"rule {code}", message, active.plugin, path, trace)
        self._found[code, message] = (failure, 0)

    def failures(self) -> Iterator[Failure]:
        for failure, more in self._found.values():
            suffix = f" (and so on {more} more records)" if more else ""
            yield replace(failure, message=failure.message + suffix)


def _checked(finding: object) -> Finding:
    if not isinstance(finding, Finding):
        raise TypeError(f"a rule yields findings, not {finding!r}")
    if not isinstance(finding.message, str):
        raise TypeError(f"the message of a finding is a text, not {finding.message!r}")
    if not isinstance(finding.help, str | None):
        raise TypeError(f"the help of a finding is a text or None, not {finding.help!r}")
    if not isinstance(finding.fix, Fix | None):
        raise TypeError(f"the fix of a finding is a Fix or None, not {finding.fix!r}")
    return finding


def _span_of(finding: Finding, record: Record) -> Span:
    for edit in finding.fix.edits if finding.fix else ():
        _require_inside(edit.span, record)
    if finding.field:
        return record.span(*finding.field)
    span = finding.span or record.first_line
    _require_inside(span, record)
    return span


def _require_inside(span: Span, record: Record) -> None:
    if not 0 <= span.start <= span.end <= len(record.text):
        raise ValueError(
            f"a finding is at {span.start} to {span.end}, outside the text of"
            f" {len(record.text)} characters"
        )


def _identity(diagnostic: Diagnostic) -> tuple[str, str, str]:
    return (diagnostic.code, diagnostic.path, diagnostic.subject)


def _is_asked(path: str, only: Container[str] | None, exclude: Iterable[str]) -> bool:
    if only is not None and path not in only:
        return False
    return not is_excluded(path, exclude)


def is_excluded(path: str, patterns: Iterable[str]) -> bool:
    """Tell whether the root-relative `path` fits one of the `patterns` of an `exclude`."""
    return any(fnmatchcase(path, pattern) for pattern in patterns)
