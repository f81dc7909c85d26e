"""Isolation: whatever a plugin does, its name is told, the rest is shown, and the gate is closed."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

from tests.conftest import DECISION, Memory
from yoimem import (
    Context,
    Edit,
    Finding,
    Fix,
    ProjectRule,
    Record,
    RecordRule,
    RuleMeta,
    Severity,
    Snapshot,
    Span,
)
from yoimem.interfaces.cli.main import main
from yoimem.lint.config import Config, parse_config
from yoimem.lint.errors import ConfigError
from yoimem.lint.watchdog import RuleTimeoutError, Watchdog
from yoimem.tools import MemoryToolError, MemoryTools

BAD = DECISION.replace("open", "done")
BUDGET = 0.3
PATIENCE = 10.0
Output = pytest.CaptureFixture[str]
WithRules = Callable[..., Any]


def record_rule(check: Callable[[Record], Any]) -> type[RecordRule]:
    class Made(RecordRule):
        meta = RuleMeta("ACME001", "acme-rule", Severity.ERROR, "1.0")

        def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
            found: Iterable[Finding] = check(record)
            return found

    return Made


def spin(seconds: float = PATIENCE) -> None:
    """Loop in Python code for longer than any test waits."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def loops(record: Record) -> Iterable[Finding]:
    spin()
    return []


def loops_between_findings(record: Record) -> Iterable[Finding]:
    yield Finding("before the loop")
    spin()
    yield Finding("after the loop")


def holds_exceptions_up(record: Record) -> Iterable[Finding]:
    try:
        spin()
    except Exception:
        spin()
    return []


def holds_everything_up_once(record: Record) -> Iterable[Finding]:
    try:
        spin()
    except BaseException:
        spin()
    return []


class LoopingProjectRule(ProjectRule):
    meta = RuleMeta("ACME002", "acme-project", Severity.ERROR, "1.0", depends_on=("slugs",))

    def check(self, snapshot: Snapshot, ctx: Context[Any]) -> Iterable[Finding]:
        spin()
        return []


class TestLoops:
    """A rule that loops past its time is ended, told, and not asked again."""

    @pytest.mark.parametrize(
        "check", [loops, loops_between_findings, holds_exceptions_up, holds_everything_up_once]
    )
    def test_a_record_rule(
        self, check: Callable[[Record], Any], memory: Memory, with_rules: WithRules
    ) -> None:
        for name in "abc":
            memory.write(f"memory/decisions/{name}.md", BAD)
        plugins = with_rules(record_rule(check))
        started = time.monotonic()
        report = memory.lint(plugins=plugins, config=Config(rule_timeout=BUDGET))
        assert time.monotonic() - started < PATIENCE / 2
        (failure,) = report.failures
        assert (failure.where, failure.plugin) == ("rule ACME001", "acme 1.0")
        assert failure.path == "memory/decisions/a.md"
        assert failure.message == (
            "RuleTimeoutError: it took longer than 0.3 s (`rule-timeout`), and was not asked again"
        )
        assert "in spin" in failure.traceback
        others = [(d.path, d.code) for d in report.diagnostics if d.code != "ACME001"]
        assert others == [(f"memory/decisions/{name}.md", "FM106") for name in "abc"]
        kept = [d.message for d in report.diagnostics if d.code == "ACME001"]
        assert kept == (["before the loop"] if check is loops_between_findings else [])

    def test_a_project_rule(self, memory: Memory, with_rules: WithRules) -> None:
        memory.write("memory/decisions/a.md", BAD + "See #nowhere-known.\n")
        started = time.monotonic()
        report = memory.lint(
            plugins=with_rules(LoopingProjectRule), config=Config(rule_timeout=BUDGET)
        )
        assert time.monotonic() - started < PATIENCE / 2
        assert [(f.where, f.plugin) for f in report.failures] == [("rule ACME002", "acme 1.0")]
        assert [d.code for d in report.diagnostics] == ["FM106", "RF006"]

    @pytest.mark.parametrize("rule", [record_rule(loops), LoopingProjectRule])
    def test_the_gate_closes_in_whatever_thread_it_stands(
        self, rule: type[Any], memory: Memory, with_rules: WithRules
    ) -> None:
        (memory.workspace / "yoimem.toml").write_text(f"rule-timeout = {BUDGET}\n")
        tools = MemoryTools(memory.root, plugins=with_rules(rule))

        def write() -> None:
            tools.memory_write("memory/decisions/new.md", DECISION)

        started = time.monotonic()
        with ThreadPoolExecutor() as pool, pytest.raises(MemoryToolError) as raised:
            pool.submit(write).result()
        assert time.monotonic() - started < PATIENCE / 2
        assert raised.value.code == "internal"
        assert f"rule {rule.meta.code}: RuleTimeoutError" in raised.value.message
        assert not (memory.root / "memory/decisions/new.md").exists()

    def test_many_short_calls_are_no_loop(self, memory: Memory, with_rules: WithRules) -> None:
        for number in range(12):
            memory.write(f"memory/decisions/d{number}.md", DECISION)
        plugins = with_rules(record_rule(lambda record: spin(BUDGET / 6) or []))
        started = time.monotonic()
        report = memory.lint(plugins=plugins, config=Config(rule_timeout=BUDGET))
        assert time.monotonic() - started > BUDGET * 1.5
        assert (report.failures, report.diagnostics) == ((), ())

    def test_who_compares_many_records_has_more_time(self) -> None:
        with Watchdog(BUDGET) as watchdog:
            watchdog.records = 3_000
            watchdog.rule = self
            started = time.monotonic()
            with pytest.raises(RuleTimeoutError) as raised:
                spin()
            took = time.monotonic() - started
            assert watchdog.worded(raised.value).args[0].startswith("it took longer than 0.9 s")
            watchdog.rule = None
        assert 3 * BUDGET <= took < PATIENCE

    def test_each_run_asks_anew(self, memory: Memory, with_rules: WithRules) -> None:
        memory.write("memory/decisions/a.md", DECISION)
        slow = [True]
        plugins = with_rules(
            record_rule(lambda record: spin(PATIENCE * slow.pop()) if slow else [])
        )
        config = Config(rule_timeout=BUDGET)
        assert len(memory.lint(plugins=plugins, config=config).failures) == 1
        assert memory.lint(plugins=plugins, config=config).failures == ()

    def test_nothing_is_left_watching(self, memory: Memory) -> None:
        memory.lint()
        assert [t for t in threading.enumerate() if t.name == "yoimem-watchdog"] == []

    @pytest.mark.parametrize("value", [0, -1, True, "10", float("inf"), float("nan"), []])
    def test_the_time_is_a_number_of_seconds(self, value: object) -> None:
        with pytest.raises(ConfigError, match="`rule-timeout`: takes a number of seconds above 0"):
            parse_config({"rule-timeout": value})

    def test_the_configuration_gives_the_time(self) -> None:
        assert parse_config({}).rule_timeout == 10
        assert parse_config({"rule-timeout": 2}).rule_timeout == 2


HEAD = """\
from yoimem import Finding, RecordRule, RuleMeta, Severity, hookimpl

class Team(RecordRule):
    meta = RuleMeta("TEAM001", "team-rule", Severity.WARNING, "1.0")

    def check(self, record, ctx):
        {check}

@hookimpl
def yoimem_register_rules({arguments}):
    {hook}return [Team]
"""


def source(
    check: str = "return []", arguments: str = "", hook: str = "", top: str = "", end: str = ""
) -> str:
    return f"{top}\n{HEAD.format(check=check, arguments=arguments, hook=hook)}\n{end}\n"


@pytest.fixture
def team(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return what puts a local plugin beside a memory with one error in it."""
    monkeypatch.chdir(memory.workspace)
    memory.write("memory/decisions/a.md", BAD)

    def write(text: str) -> None:
        (memory.workspace / "team.py").write_text(text)
        (memory.workspace / "pyproject.toml").write_text(
            f'[tool.yoimem]\nlocal-plugins = ["team.py"]\nrule-timeout = {BUDGET}\n'
        )

    return write


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (source(top="import no_such_dependency"), "no_such_dependency"),
        (source(arguments="extra"), "extra"),
        (source(check="raise RuntimeError('lost')"), "lost"),
        (source(check="return None"), "TypeError"),
        (source(check="return ['nonsense']"), "yields findings"),
        (source(check="while True: pass"), "RuleTimeoutError"),
        (source(hook="raise RuntimeError('hook')\n    "), "hook"),
        (
            source(
                top="class E(Exception):\n    def __init__(self):\n        self.keep = lambda: 0\n",
                check="raise E()",
            ),
            "E",
        ),
    ],
    ids=["dependency", "signature", "raises", "none", "nonsense", "loops", "hook", "unpicklable"],
)
def test_a_broken_plugin_is_2_with_its_name_and_everyone_elses_findings(
    text: str, words: str, team: Callable[[str], None], capsys: Output
) -> None:
    team(text)
    assert main(["check", "--output-format", "json"]) == 2
    report = json.loads(capsys.readouterr().out)
    (failure,) = report["failures"]
    assert failure["plugin"] == "local team.py"
    assert words in failure["message"]
    assert [d["code"] for d in report["diagnostics"]] == ["FM106"]


class TestPrints:
    """What plugins print is no part of what a command prints."""

    LOUD = source(
        top="print('at import')",
        hook="print('in the hook'); ",
        check="print('in check'); yield Finding('seen')",
        end=(
            "class Loud:\n    name = 'loud'\n    def format(self, report, shown):\n"
            "        print('in format')\n        return 'LOUD\\n'\n"
            "@hookimpl\ndef yoimem_register_formatters():\n    return [Loud()]\n"
        ),
    )

    @pytest.fixture(autouse=True)
    def _loud(self, team: Callable[[str], None]) -> None:
        team(self.LOUD)

    @pytest.mark.parametrize(
        ("arguments", "begins"),
        [
            (["check", "--output-format", "json"], '{\n  "version": 1'),
            (["check", "--output-format", "loud"], "LOUD\n"),
            (["check", ".", "--output-format", "json"], '{\n  "version": 1'),
            (["check", "--fix", "--output-format", "loud"], "LOUD\n"),
            (["check", "--durations", "1", "--output-format", "loud"], "LOUD\n"),
            (["rules", "--output-format", "json"], "[\n"),
            (["explain", "TEAM001"], "# TEAM001 team-rule\n"),
        ],
        ids=" ".join,
    )
    def test_standard_output_is_the_commands(
        self, arguments: list[str], begins: str, memory: Memory
    ) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "yoimem", *arguments], cwd=memory.workspace, check=False,
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.stdout.startswith(begins)
        assert not any(
            words in done.stdout for words in ("at import", "in the hook", "in check", "in format")
        )
        assert "at import" in done.stderr
        assert "in the hook" in done.stderr

    def test_standard_input_is_judged_as_quietly(self, memory: Memory) -> None:
        path = str(Path(".yoi") / "memory" / "decisions" / "b.md")
        done = subprocess.run(
            [sys.executable, "-m", "yoimem", "check", "-", "--stdin-filename", path],
            cwd=memory.workspace, input=DECISION, check=False, capture_output=True, text=True,
            timeout=60,
        )  # fmt: skip
        assert done.returncode == 0
        assert "in check" in done.stderr
        assert done.stdout.startswith(".yoi/memory/decisions/b.md:1:1: TEAM001 team-rule seen\n")

    def test_a_diff_is_a_diff(self, memory: Memory) -> None:
        memory.write("memory/decisions/a.md", DECISION.replace("---", "---  ", 1))
        done = subprocess.run(
            [sys.executable, "-m", "yoimem", "check", "--diff"], cwd=memory.workspace, check=False,
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.stdout.startswith("--- a/.yoi/memory/decisions/a.md\n")
        assert "in check" in done.stderr


def test_what_a_plugin_writes_past_python_does_not_reach_standard_output(
    memory: Memory, tmp_path_factory: pytest.TempPathFactory
) -> None:
    site = tmp_path_factory.mktemp("site")
    (site / "loud-1.0.dist-info").mkdir()
    (site / "loud-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n"
    )
    (site / "loud-1.0.dist-info" / "entry_points.txt").write_text("[yoimem]\nloud = loud\n")
    (site / "loud.py").write_text("import os\nos.write(1, b'noise')\nos.system('echo noise')\n")
    memory.write("memory/decisions/a.md", DECISION)
    done = subprocess.run(
        [sys.executable, "-m", "yoimem", "check", "--output-format", "json"],
        cwd=memory.workspace, env={**os.environ, "PYTHONPATH": str(site)}, capture_output=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert json.loads(done.stdout)["summary"]["records"] == 1
    assert done.stderr.count(b"noise") == 2


@pytest.mark.parametrize(
    "finding",
    [
        {"subject": 5},
        {"fix": Fix(cast("Any", 3), ())},
        {"fix": Fix("mend", (Edit(Span(0, 1), cast("Any", 5)),))},
        {"fix": Fix("mend", (cast("Any", "edit"),))},
        {"span": Span(cast("Any", 0.0), cast("Any", 1.5))},
    ],
    ids=["subject", "title", "edit text", "no edit", "float span"],
)
def test_a_finding_with_a_wrong_part_is_a_failure(
    finding: dict[str, Any], memory: Memory, with_rules: WithRules
) -> None:
    class Odd(RecordRule):
        meta = RuleMeta(code="ACME001", name="odd", severity=Severity.ERROR, since="1.0")

        def check(self, record: Record, ctx: Context[Any]) -> list[Finding]:
            return [Finding("x", **finding)]

    memory.write("memory/decisions/a.md", DECISION.replace("open", "done"))
    report = memory.lint(plugins=with_rules(Odd))
    assert [failure.where for failure in report.failures] == ["rule ACME001"]
    assert [d.code for d in report.diagnostics] == ["FM106"]


def test_a_rule_cannot_take_records_out_of_the_snapshot(
    memory: Memory, with_rules: WithRules
) -> None:
    class Clears(ProjectRule):
        meta = RuleMeta(code="AAAA001", name="clears", severity=Severity.ERROR, since="1.0")

        def check(self, snapshot: Snapshot, ctx: Context[Any]) -> list[Finding]:
            snapshot.facts.clear()  # type: ignore[attr-defined]
            return []

    memory.write("memory/decisions/a.md", DECISION + "See #nowhere-known.\n")
    report = memory.lint(plugins=with_rules(Clears))
    assert [failure.where for failure in report.failures] == ["rule AAAA001"]
    assert [d.code for d in report.diagnostics] == ["RF006"]


def test_a_rule_that_leaves_when_it_is_made_is_a_failure(
    memory: Memory, with_rules: WithRules
) -> None:
    class Leaves(RecordRule):
        meta = RuleMeta(code="ACME001", name="leaves", severity=Severity.ERROR, since="1.0")

        def __init__(self) -> None:
            sys.exit(0)

    memory.write("memory/decisions/a.md", DECISION.replace("open", "done"))
    report = memory.lint(plugins=with_rules(Leaves))
    assert ["SystemExit" in failure.message for failure in report.failures] == [True]
    assert [d.code for d in report.diagnostics] == ["FM106"]


def test_a_rule_that_catches_what_ends_it_is_a_failure_all_the_same(
    memory: Memory, with_rules: WithRules
) -> None:
    def holds_on(record: Record) -> list[Finding]:
        try:
            spin()
        except BaseException:
            return []
        return []

    memory.write("memory/decisions/a.md", BAD)
    report = memory.lint(
        plugins=with_rules(record_rule(holds_on)), config=Config(rule_timeout=BUDGET)
    )
    assert [failure.where for failure in report.failures] == ["rule ACME001"]
    assert "rule-timeout" in report.failures[0].message
    assert [d.code for d in report.diagnostics] == ["FM106"]
