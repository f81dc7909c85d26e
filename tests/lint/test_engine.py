"""The engine: one answer holds everything, and no rule hides another's findings."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DECISION, KNOWLEDGE, NOW, WORKFLOW, Memory, only
from yoimem import (
    Context,
    Finding,
    ProjectRule,
    Record,
    RecordRule,
    RuleMeta,
    Severity,
    Snapshot,
    Span,
    lint,
    lint_text,
)
from yoimem.lint.plugin import Plugins

WithRules = Callable[..., Plugins]


def rule(check: Callable[..., Any], code: str = "ACME001") -> type[RecordRule]:
    """Make a record rule of `check`."""

    class Made(RecordRule):
        meta = RuleMeta(code=code, name=code.lower(), severity=Severity.ERROR, since="1.0")

        def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
            found: Iterable[Finding] = check(record)
            return found

    return Made


def project_rule(check: Callable[..., Any], code: str = "ACME002") -> type[ProjectRule]:
    """Make a project rule of `check`."""

    class Made(ProjectRule):
        meta = RuleMeta(
            code=code, name=code.lower(), severity=Severity.WARNING, since="1.0",
            depends_on=("slugs",),
        )  # fmt: skip

        def check(self, snapshot: Snapshot, ctx: Context[Any]) -> Iterable[Finding]:
            found: Iterable[Finding] = check(snapshot)
            return found

    return Made


def crash(record: Record) -> Iterable[Finding]:
    yield Finding("before the crash")
    raise RuntimeError("lost my way")


class CannotBePickledError(Exception):
    def __init__(self, a: int, b: int) -> None:
        super().__init__("neither here nor there")
        self.keep = lambda: (a, b)


def leave(record: Record) -> Iterable[Finding]:
    sys.exit(3)


def unpicklable(record: Record) -> Iterable[Finding]:
    raise CannotBePickledError(1, 2)


def recurse(record: Record) -> Iterable[Finding]:
    return recurse(record)


def test_five_faults_are_five_diagnostics_in_file_order(memory: Memory) -> None:
    memory.write(
        "memory/decisions/use-sqlite.md",
        "---\ncreated_at: 2026-13-10T09:00:00Z\nupdated_at: 2026-01-10T09:00:00\nstatus: done\n"
        "sources: [{session_id: s, range: [9, 1]}]\nowner: me\n---\nSee #nowhere-known.\n",
    )
    report = memory.lint()
    assert [(d.start.line, d.name) for d in report.diagnostics] == [
        (2, "invalid-timestamp"),
        (3, "timestamp-without-timezone"),
        (4, "invalid-status"),
        (5, "invalid-field"),
        (6, "unknown-key"),
        (8, "unknown-body-reference"),
    ]


def test_the_order_is_path_line_column_code(memory: Memory, with_rules: WithRules) -> None:
    for name in ("b", "a"):
        memory.write(f"memory/decisions/{name}.md", DECISION)

    def check(record: Record) -> Iterable[Finding]:
        yield Finding("later", span=Span(9, 10))
        yield Finding("earlier", span=Span(4, 5))

    plugins = with_rules(rule(check, "ACME002"), rule(check, "ACME001"))
    report = memory.lint(plugins=plugins, config=only("ACME"))
    assert [(d.path[-4], d.start.column, d.code) for d in report.diagnostics] == [
        (name, column, code)
        for name in "ab"
        for column in (1, 6)
        for code in ("ACME001", "ACME002")
    ]


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (crash, "RuntimeError: lost my way"),
        (leave, "SystemExit: 3"),
        (unpicklable, "neither here nor there"),
        (recurse, "RecursionError"),
        (lambda record: None, "TypeError"),
        (lambda record: ["nonsense"], "a rule yields findings"),
        (lambda record: [Finding(None)], "the message of a finding is a text"),
        (lambda record: [Finding("x", span=Span(0, 10_000))], "outside the text"),
        (lambda record: [Finding("x", span=Span(5, 2))], "outside the text"),
    ],
    ids=["raises", "exits", "unpicklable", "recursion", "none", "nonsense", "message", "far", "back"],
)  # fmt: skip
def test_a_rule_that_goes_wrong_is_a_failure_and_hides_nothing(
    check: Callable[..., Any], words: str, memory: Memory, with_rules: WithRules
) -> None:
    memory.write("memory/decisions/a.md", DECISION.replace("open", "done"))
    memory.write("memory/decisions/b.md", DECISION)

    report = memory.lint(plugins=with_rules(rule(check)))

    assert "FM106" in [d.code for d in report.diagnostics]
    (failure,) = report.failures
    assert (failure.where, failure.plugin) == ("rule ACME001", "acme 1.0")
    assert failure.path == "memory/decisions/a.md"
    assert words in failure.message
    assert "Traceback" in failure.traceback


def test_findings_before_a_crash_are_kept(memory: Memory, with_rules: WithRules) -> None:
    memory.write("memory/decisions/a.md", DECISION)
    report = memory.lint(plugins=with_rules(rule(crash)), config=only("ACME"))
    assert [d.message for d in report.diagnostics] == ["before the crash"]


def test_one_way_of_crashing_is_told_once(memory: Memory, with_rules: WithRules) -> None:
    for number in range(50):
        memory.write(f"memory/decisions/d{number}.md", DECISION)
    report = memory.lint(plugins=with_rules(rule(crash)), config=only("ACME"))
    (failure,) = report.failures
    assert failure.message.endswith("(and so on 49 more records)")


@pytest.mark.parametrize(
    "check",
    [
        lambda snapshot: [Finding("no path")],
        lambda snapshot: [Finding("nowhere", path="memory/decisions/nowhere.md")],
        lambda snapshot: 1 / 0,
    ],
    ids=["no path", "unknown path", "raises"],
)
def test_a_project_rule_that_goes_wrong_is_a_failure(
    check: Callable[..., Any], memory: Memory, with_rules: WithRules
) -> None:
    memory.write("memory/decisions/a.md", DECISION.replace("open", "done"))
    report = memory.lint(plugins=with_rules(project_rule(check)))
    assert [failure.where for failure in report.failures] == ["rule ACME002"]
    assert [d.code for d in report.diagnostics] == ["FM106"]


def test_a_project_rule_points_at_a_field(memory: Memory, with_rules: WithRules) -> None:
    memory.write("memory/decisions/a.md", DECISION)

    def check(snapshot: Snapshot) -> Iterable[Finding]:
        yield Finding("x", path="memory/decisions/a.md", field=("status",))

    report = memory.lint(plugins=with_rules(project_rule(check)), config=only("ACME"))
    (found,) = report.diagnostics
    assert (found.start.line, found.start.column, found.end.column) == (4, 9, 13)
    assert found.source == "status: open"


def test_only_speaks_of_what_is_asked_and_reads_the_rest(memory: Memory) -> None:
    memory.write("memory/decisions/a.md", DECISION + "See #b and #c.\n")
    memory.write("memory/decisions/z.md", "broken")
    memory.write("knowledge/b.md", KNOWLEDGE)
    report = memory.lint(only={"memory/decisions/a.md"})
    assert report.records == 1
    assert [(d.path, d.code) for d in report.diagnostics] == [("memory/decisions/a.md", "RF006")]


def test_excluded_records_are_read_and_not_spoken_of(memory: Memory) -> None:
    memory.write("memory/decisions/a.md", DECISION + "See #old-way.\n")
    memory.write("knowledge/old-way.md", KNOWLEDGE.replace("guide", "''"))
    (memory.workspace / "yoimem.toml").write_text('exclude = ["knowledge/old-*"]')
    report = memory.lint()
    assert (report.records, report.diagnostics) == (1, ())


def test_per_file_ignores(memory: Memory) -> None:
    memory.write("memory/decisions/a.md", DECISION.replace("open", "done"))
    memory.write("memory/decisions/b.md", DECISION.replace("open", "done"))
    (memory.workspace / "yoimem.toml").write_text(
        '[per-file-ignores]\n"memory/decisions/a*" = ["invalid-status"]'
    )
    assert [d.path for d in memory.lint().diagnostics] == ["memory/decisions/b.md"]


def test_progress_counts_every_record(memory: Memory) -> None:
    for name in "abc":
        memory.write(f"memory/decisions/{name}.md", DECISION)
    seen: list[tuple[int, int]] = []
    memory.lint(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_three_hundred_findings_are_all_there(memory: Memory) -> None:
    for number in range(300):
        memory.write(f"memory/decisions/d{number}.md", DECISION.replace("open", "done"))
    assert len(memory.lint().errors) == 300


class TestLintText:
    """`lint_text` judges the tree as a change would leave it."""

    PATH = "memory/decisions/a.md"

    def test_says_everything_of_the_text(self, memory: Memory) -> None:
        report = lint_text(memory.root, self.PATH, "nothing", now=NOW)
        assert [d.code for d in report.diagnostics] == ["FM001"]
        assert not (memory.root / self.PATH).exists()

    def test_old_errors_elsewhere_do_not_count(self, memory: Memory) -> None:
        memory.write("memory/decisions/old.md", DECISION + "See #never-known.\n")
        assert lint_text(memory.root, self.PATH, DECISION, now=NOW).diagnostics == ()

    def test_what_stood_before_in_the_record_itself_counts(self, memory: Memory) -> None:
        memory.write(self.PATH, DECISION + "See #never-known.\n")
        report = lint_text(memory.root, self.PATH, DECISION + "\nSee #never-known.\n", now=NOW)
        assert [d.code for d in report.diagnostics] == ["RF006"]

    def test_a_deletion_that_leaves_references_is_told_where_they_are(self, memory: Memory) -> None:
        memory.write("knowledge/use-sqlite.md", KNOWLEDGE)
        memory.write(self.PATH, DECISION + "See #use-sqlite.\n")
        report = lint_text(memory.root, "knowledge/use-sqlite.md", None, now=NOW)
        assert [(d.path, d.code, d.start.line) for d in report.diagnostics] == [
            (self.PATH, "RF006", 8)
        ]

    def test_a_broken_record_may_be_deleted(self, memory: Memory) -> None:
        memory.write(self.PATH, "broken")
        assert lint_text(memory.root, self.PATH, None, actor="agent", now=NOW).diagnostics == ()

    @pytest.mark.parametrize("operation", ["create", "update", "delete"])
    def test_a_workflow_is_written_by_people_only(self, memory: Memory, operation: str) -> None:
        path = "workflow/release.md"
        memory.write(path, WORKFLOW)
        text = None if operation == "delete" else WORKFLOW
        if operation == "create":
            path = "workflow/other.md"
        given: Any = {"operation": operation, "now": NOW}
        by_agent = lint_text(memory.root, path, text, actor="agent", **given)
        by_human = lint_text(memory.root, path, text, actor="human", **given)
        assert [d.code for d in by_agent.errors] == ["PL001"]
        assert by_human.errors == ()

    def test_creating_what_exists(self, memory: Memory) -> None:
        memory.write(self.PATH, DECISION)
        create = lint_text(memory.root, self.PATH, DECISION, operation="create", now=NOW)
        update = lint_text(memory.root, self.PATH, DECISION, operation="update", now=NOW)
        assert [d.code for d in create.errors] == ["ID004"]
        assert update.diagnostics == ()

    def test_an_agent_is_bound_by_rules_that_a_human_switched_off(self, memory: Memory) -> None:
        (memory.workspace / "yoimem.toml").write_text(
            'ignore = ["PL", "SC", "FM110"]\n[severity]\nworkflow-write = "warning"'
        )
        report = lint_text(
            memory.root, "workflow/x.md", WORKFLOW, actor="agent", operation="create", now=NOW
        )
        assert [d.code for d in report.errors] == ["PL001"]

    @pytest.mark.parametrize(
        "path", ["/etc/passwd", "../x.md", "memory//x.md", "", "a\\b.md", "a\0b"]
    )
    def test_a_path_that_is_none_is_an_error(self, memory: Memory, path: str) -> None:
        with pytest.raises(ValueError, match="root-relative"):
            lint_text(memory.root, path, DECISION)


def test_no_rules_at_all_is_a_failure(memory: Memory) -> None:
    from yoimem.lint.collector import collect

    report = lint(memory.root, plugins=collect([]))
    assert "no rule at all" in report.failures[0].message


def test_a_workspace_names_its_root_too(memory: Memory) -> None:
    memory.write("memory/decisions/a.md", DECISION)
    assert Path(lint(memory.workspace).root) == memory.root.resolve()
