"""The engine: brings records and rules together, and makes one report of what they find."""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatchcase

from yoimem.lint.evidence import Evidence
from yoimem.lint.masking import Mask
from yoimem.lint.report import Diagnostic, Failure, Report
from yoimem.lint.rule import Actor, Context, Operation
from yoimem.lint.ruleset import RuleSet
from yoimem.lint.run import Run
from yoimem.lint.watchdog import Watchdog
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.workspace.index import Index
from yoimem.workspace.snapshot import Facts, Snapshot, facts_of
from yoimem.workspace.store import Store

Progress = Callable[[int, int], None]
"""Told how many records are judged, of how many."""


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
        run = Run(self._rules, Context(None, self._now()), watchdog)
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
        evidence: Evidence | None = None,
    ) -> Report:
        """Judge the tree as `changes`, made together, would leave it.

        The report holds everything about the changed records, and of the others what is new: what
        stood before does not count against the change. "New" is told by rule, record and subject,
        never by line or message (design, section 6).
        """
        with Watchdog(self._rules.rule_timeout) as watchdog:
            return self._judge(watchdog, changes, actor, evidence)

    def _judge(
        self,
        watchdog: Watchdog,
        changes: Sequence[Change],
        actor: Actor,
        evidence: Evidence | None,
    ) -> Report:
        before = after = self.snapshot()
        for change in changes:
            after = (
                after.without(change.path)
                if change.text is None
                else after.with_text(change.path, change.text)
            )
        paths = frozenset(change.path for change in changes)
        if evidence is not None:
            evidence = replace(evidence, now=before)
        context = Context(None, self._now(), actor, changes[0].operation, paths, None, evidence)
        project = Run(self._rules, context, watchdog)
        project.judge_project(after)
        earlier = Run(self._rules, context, watchdog)
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
        report = self._report(runs, len(changes), hidden)
        # What cannot be read may refer to what changes: nobody can say that the change is right.
        unread = [_unread(folder) for folder in sorted(after.unread)]
        return replace(report, failures=(*report.failures, *unread))

    def snapshot(self) -> Snapshot:
        """Return every record under the root as it stands now."""
        return self._index.snapshot()

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
    ) -> Run:
        """Judge the changed record by itself; of a deletion, the record that goes."""
        stood = before.record(change.path)
        told = replace(context, operation=change.operation, before=stood)
        run = Run(self._rules, told, watchdog)
        record = after.record(change.path) or stood
        if record is not None:
            run.judge_record(record)
        return run

    def _hidden(self, watchdog: Watchdog, records: Iterable[Record]) -> list[str]:
        """Return what must not be shown of `records`, whatever is said of them.

        A project rule speaks of records that nobody asked about, and a rule may quote what a change
        takes away: of each record that a report speaks of, every version is asked.
        """
        run = Run(self._rules, Context(None, self._now()), watchdog)
        for record in records:
            run.judge_record(record)
        return run.hidden

    def _report(self, runs: Iterable[Run], records: int, hidden: Iterable[str] = ()) -> Report:
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


def _unread(folder: str) -> Failure:
    reason = "the folder is a link, or cannot be read: its records were not compared"
    return Failure(where=f"folder {folder}", message=reason, path=folder)


def _identity(diagnostic: Diagnostic) -> tuple[str, str, str]:
    return (diagnostic.code, diagnostic.path, diagnostic.subject)


def _is_asked(path: str, only: Container[str] | None, exclude: Iterable[str]) -> bool:
    if only is not None and path not in only:
        return False
    return not is_excluded(path, exclude)


def is_excluded(path: str, patterns: Iterable[str]) -> bool:
    """Tell whether the root-relative `path` fits one of the `patterns` of an `exclude`."""
    return any(fnmatchcase(path, pattern) for pattern in patterns)
