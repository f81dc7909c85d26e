"""The engine: hands records to rules, stamps what they find, keeps each rule's crash to itself."""

import traceback
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from yoimem.lint.report import Diagnostic, Failure, Report
from yoimem.lint.rule import Actor, Context, Finding, Operation, RecordRule
from yoimem.lint.ruleset import ActiveRule, RuleSet
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
        run = _Run(self._rules, Context(None, self._now()))
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
        snapshot = Snapshot(facts, self._reader, self._index.load)
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
        before = after = self._index.snapshot()
        for change in changes:
            after = (
                after.without(change.path)
                if change.text is None
                else after.with_text(change.path, change.text)
            )
        paths = frozenset(change.path for change in changes)
        context = Context(
            None, self._now(), actor, changes[0].operation, paths, None, evidence or {}
        )
        project = _Run(self._rules, context)
        project.judge_project(after)
        earlier = _Run(self._rules, context)
        earlier.judge_project(before)
        known = {_identity(d) for d in earlier.diagnostics if d.path not in paths}
        project.diagnostics = [d for d in project.diagnostics if _identity(d) not in known]
        records = [self._judge_record(change, context, before, after) for change in changes]
        return self._report([*records, project], len(changes))

    def _judge_record(
        self, change: Change, context: Context[None], before: Snapshot, after: Snapshot
    ) -> "_Run":
        """Judge the changed record by itself; of a deletion, the record that goes."""
        stood = before.record(change.path)
        run = _Run(self._rules, replace(context, operation=change.operation, before=stood))
        record = after.record(change.path) or stood
        if record is not None:
            run.judge_record(record)
        return run

    def _report(self, runs: Iterable["_Run"], records: int) -> Report:
        """Put everything in order."""
        found = [diagnostic for run in runs for diagnostic in run.diagnostics]
        crashes = [failure for run in runs for failure in run.crashes.failures()]
        return Report(
            str(self._store.root),
            tuple(sorted(found, key=lambda d: d.sort_key)),
            (*self._rules.failures, *crashes),
            records,
        )


class _Run:
    """One run over records with one context: gathers diagnostics and failures."""

    def __init__(self, rules: RuleSet, context: Context[None]) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._rules = rules
        self._context = context
        self.crashes = _Crashes()
        self._asked: dict[tuple[str, bool], list[_Question]] = {}

    def judge_record(self, record: Record) -> None:
        """Ask every rule that is for records of this kind."""
        key = (record.kind_name, bool(record.problems))
        questions = self._asked.get(key)
        if questions is None:
            questions = self._asked[key] = self._questions(*key)
        for check, context, active in questions:
            try:
                for finding in check(record, context):
                    self._stamp(active, finding, record)
            except (Exception, SystemExit) as error:
                self.crashes.add(active, error, record.path)

    def judge_project(
        self, snapshot: Snapshot, is_asked: Callable[[str], bool] = lambda path: True
    ) -> None:
        """Ask every rule that compares records; keep what it says of the paths asked about."""
        for active in self._rules.project_rules:
            context = replace(self._context, options=active.options)
            try:
                for finding in active.rule.check(snapshot, context):  # type: ignore[arg-type]
                    self._stamp_in_project(active, finding, snapshot, is_asked)
            except (Exception, SystemExit) as error:
                self.crashes.add(active, error, None)

    def _questions(self, kind: str, has_problems: bool) -> list["_Question"]:
        """Work out once what every record of a `kind`, with problems or without, is asked."""
        found: list[_Question] = []
        for active in self._rules.record_rules:
            rule, meta = active.rule, active.meta
            assert isinstance(rule, RecordRule)
            if (
                self._context.operation in meta.operations
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
        if self._context.operation == "check" and meta.code in self._rules.ignored_in(record.path):
            return
        span = _span_of(_checked(finding), record)
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


class _Crashes:
    """Rules that crashed: each way of crashing once, with the number of records it struck."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[Failure, int]] = {}

    def add(self, active: ActiveRule, error: BaseException, path: str | None) -> None:
        code = active.meta.code
        words = f"{type(error).__name__}: {error}".rstrip(": ")
        if (code, words) in self._found:
            first, count = self._found[code, words]
            self._found[code, words] = (first, count + 1)
            return
        trace = "".join(traceback.format_exception(error))
        failure = Failure(f"rule {code}", words, active.plugin, path, trace)
        self._found[code, words] = (failure, 0)

    def failures(self) -> Iterator[Failure]:
        for failure, more in self._found.values():
            suffix = f" (and so on {more} more records)" if more else ""
            yield replace(failure, message=failure.message + suffix)


def _checked(finding: object) -> Finding:
    if not isinstance(finding, Finding):
        raise TypeError(f"a rule yields findings, not {finding!r}")
    if not isinstance(finding.message, str):
        raise TypeError(f"the message of a finding is a text, not {finding.message!r}")
    return finding


def _span_of(finding: Finding, record: Record) -> Span:
    if finding.field:
        return record.span(*finding.field)
    span = finding.span or record.first_line
    if not 0 <= span.start <= span.end <= len(record.text):
        raise ValueError(
            f"a finding is at {span.start} to {span.end}, outside the text of"
            f" {len(record.text)} characters"
        )
    return span


def _identity(diagnostic: Diagnostic) -> tuple[str, str, str]:
    return (diagnostic.code, diagnostic.path, diagnostic.subject)


def _is_asked(path: str, only: Container[str] | None, exclude: Iterable[str]) -> bool:
    if only is not None and path not in only:
        return False
    return not any(fnmatchcase(path, pattern) for pattern in exclude)
