"""The outcome of one run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from yoimem.lint.rule import Fix, Severity
from yoimem.records.text import Place


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding stamped by the engine.

    `path` is relative to the root, with `/`. `start` is included and `end` excluded, columns count
    code points. `code` and `name` are the rule's, `severity` as configured. `message`, `help`,
    `fix` and `subject` are the finding's. `source` is the text of the first line, for formatters
    that show it.
    """

    path: str
    start: Place
    end: Place
    code: str
    name: str
    severity: Severity
    message: str
    help: str | None = None
    fix: Fix | None = None
    subject: str = ""
    source: str = ""

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Order by path, line, column and code; the message settles what is left."""
        return (self.path, self.start.line, self.start.column, self.code, self.message)


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that kept a check from being made: a rule that crashed, a plugin that did not load.

    `where` names it (`rule ACME001`, `plugin acme`), `message` says why, `plugin` is the
    distribution and its version, `path` the record that was being judged, if one was. `traceback`
    is Python's.
    """

    where: str
    message: str
    plugin: str = ""
    path: str | None = None
    traceback: str = ""


@dataclass(frozen=True)
class Report:
    """All `diagnostics` and `failures` of one run, in order.

    `root` is the judged root as a path of the file system; `records` counts the records judged.
    """

    root: str
    diagnostics: tuple[Diagnostic, ...]
    failures: tuple[Failure, ...]
    records: int

    @cached_property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of severity error."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)

    @cached_property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of severity warning."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.WARNING)


def merge(reports: Sequence[Report], root: Path) -> Report:
    """Join reports on several roots into one, their paths led from `root`, which holds them all."""
    if len(reports) == 1:
        return reports[0]
    diagnostics = [
        replace(d, path=(Path(report.root).relative_to(root) / d.path).as_posix())
        for report in reports
        for d in report.diagnostics
    ]
    failures = dict.fromkeys(failure for report in reports for failure in report.failures)
    return Report(
        str(root),
        tuple(sorted(diagnostics, key=lambda d: d.sort_key)),
        tuple(failures),
        sum(report.records for report in reports),
    )
