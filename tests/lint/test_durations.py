"""`yoimem check --durations`: which rules take the time."""

import json
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DECISION, Memory, only
from yoimem import Context, Finding, ProjectRule, Record, RecordRule, RuleMeta, Severity, Snapshot
from yoimem.interfaces.cli.main import main
from yoimem.lint.durations import Durations

Output = pytest.CaptureFixture[str]


class Slow(RecordRule):
    meta = RuleMeta("ACME001", "slow", Severity.ERROR, "1.0")

    def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
        time.sleep(0.02)
        yield Finding("slow")


class Fast(RecordRule):
    meta = RuleMeta("ACME002", "fast", Severity.ERROR, "1.0")

    def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
        raise RuntimeError("gone")


class Whole(ProjectRule):
    meta = RuleMeta("ACME003", "whole", Severity.WARNING, "1.0", depends_on=("slugs",))

    def check(self, snapshot: Snapshot, ctx: Context[Any]) -> Iterable[Finding]:
        time.sleep(0.01)
        return [Finding("whole", path=path) for path in snapshot.facts]


def test_every_rule_is_timed_and_judges_as_ever(memory: Memory, with_rules: Any) -> None:
    for name in "abc":
        memory.write(f"memory/decisions/{name}.md", DECISION)
    plugins = with_rules(Slow, Fast, Whole)
    durations = Durations()
    timed = memory.lint(plugins=plugins, config=only("ACME"), durations=durations)
    plain = memory.lint(plugins=plugins, config=only("ACME"))
    assert timed.diagnostics == plain.diagnostics
    assert [f.message for f in timed.failures] == [f.message for f in plain.failures]

    slow, whole, fast = durations.slowest(9)
    assert [(d.code, d.name, d.plugin, d.calls) for d in (slow, whole, fast)] == [
        ("ACME001", "slow", "acme 1.0", 3),
        ("ACME003", "whole", "acme 1.0", 1),
        ("ACME002", "fast", "acme 1.0", 3),
    ]
    assert slow.seconds >= 0.06
    assert whole.seconds >= 0.01
    assert durations.slowest(1) == [slow]


def test_rules_that_speak_of_problems_alone_are_not_asked_more(memory: Memory) -> None:
    memory.write("memory/decisions/a.md", DECISION)
    durations = Durations()
    memory.lint(durations=durations)
    calls = {duration.code: duration.calls for duration in durations.slowest(99)}
    assert (calls["FM001"], calls["SZ001"], calls["RF006"]) == (0, 1, 1)


class TestCommand:
    @pytest.fixture(autouse=True)
    def _here(self, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(memory.workspace)
        memory.write("memory/decisions/a.md", DECISION)

    def test_text_shows_them_below_the_report(self, capsys: Output) -> None:
        assert main(["check", "--durations", "3"]) == 0
        report, table = capsys.readouterr().out.split("slowest rules:\n")
        assert report == "checked 1 record: no findings\n"
        lines = table.splitlines()
        assert len(lines) == 3
        for line in lines:
            assert re.fullmatch(
                r" +\d+\.\d{3} s +\d+ calls?  [A-Z]{2}\d{3} [a-z-]+  yoimem 0\.1\.0", line
            )

    def test_a_program_gets_the_report_alone(self, capsys: Output) -> None:
        assert main(["check", "--durations", "1", "--output-format", "json"]) == 0
        captured = capsys.readouterr()
        assert json.loads(captured.out)["summary"]["records"] == 1
        assert captured.err.startswith("slowest rules:\n")

    @pytest.mark.parametrize(
        "more", [["0"], ["two"], ["2", "--audit"], ["2", "--diff"], ["2", "--stdin-filename", "a"]]
    )
    def test_what_makes_no_sense_is_2(self, more: list[str]) -> None:
        assert main(["check", "--durations", *more]) == 2

    def test_local_and_declared_rules_are_among_them(
        self, memory: Memory, capsys: Output, tmp_path: Path
    ) -> None:
        (memory.workspace / "yoimem.toml").write_text(
            'select = ["TEAM"]\n[[declared]]\ncode = "TEAM001"\nname = "team-rule"\nmessage = "x"\n'
            'required-heading = "Rationale"\n'
        )
        assert main(["check", "--durations", "5"]) == 1
        assert "1 call  TEAM001 team-rule  configuration\n" in capsys.readouterr().out
