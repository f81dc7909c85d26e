"""Declared rules: a few lines of configuration are a rule like any other."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DECISION, KNOWLEDGE, NOW, Memory, plugin_of
from tests.timing import timed
from yoimem import Diagnostic, lint_text
from yoimem.interfaces.cli.main import main
from yoimem.lint.collector import collect
from yoimem.lint.config import parse_config
from yoimem.lint.declared_forms import FORMS, MATCH_SECONDS
from yoimem.lint.errors import ConfigError
from yoimem.lint.host import find_plugins, load_plugins
from yoimem.lint.plugin import LoadedPlugin, Plugins
from yoimem.lint.ruleset import build_ruleset

PLUGINS = load_plugins()
PATH = "memory/decisions/a.md"
Output = pytest.CaptureFixture[str]


def declaration(**keys: Any) -> dict[str, Any]:
    """Make a declaration that is right but for its form."""
    common = {"code": "TEAM001", "name": "team-rule", "message": "Not here."}
    return {**common, **{key.replace("_", "-"): value for key, value in keys.items()}}


def found(memory: Memory, text: str, path: str = PATH, **keys: Any) -> list[Diagnostic]:
    """Judge `text` by one declared rule."""
    memory.write(path, text)
    table = {"select": ["TEAM"], "declared": [declaration(**keys)]}
    report = memory.lint(config=parse_config(table), only={path})
    assert report.failures == ()
    return list(report.diagnostics)


def places(diagnostics: list[Diagnostic]) -> list[tuple[int, int, int]]:
    return [(d.start.line, d.start.column, d.end.column) for d in diagnostics]


def decision(body: str, **fields: str) -> str:
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return DECISION.replace("Body.\n", body).replace("sources:", f"{lines}sources:")


class TestForms:
    def test_a_required_heading(self, memory: Memory) -> None:
        keys = {"required_heading": "Rationale"}
        (missing,) = found(memory, decision("# Rationales\n"), **keys)
        assert (missing.code, missing.name, missing.message) == (
            "TEAM001", "team-rule", "Not here.",
        )  # fmt: skip
        assert places([missing]) == [(7, 1, 13)]
        assert missing.help == "add the heading `Rationale` to the body, and what belongs below it"
        assert found(memory, decision("## Rationale\n\nBecause.\n"), **keys) == []
        assert len(found(memory, decision("```\n# Rationale\n```\n"), **keys)) == 1

    def test_a_forbidden_pattern_is_told_at_each_place(self, memory: Memory) -> None:
        keys = {"forbidden_pattern": r"(?i)\btbd\b"}
        hits = found(memory, decision("Tbd, or not tbd.\r\nTBDs.\r\n"), **keys)
        assert places(hits) == [(7, 1, 4), (7, 13, 16)]
        assert "`Tbd`" in str(hits[0].help)
        assert found(memory, decision("Settled.\n"), **keys) == []

    def test_the_frontmatter_is_no_body(self, memory: Memory) -> None:
        assert found(memory, decision("Settled.\n"), forbidden_pattern="status") == []

    def test_a_required_pattern(self, memory: Memory) -> None:
        keys = {"required_pattern": r"ADR-\d+"}
        assert places(found(memory, decision("None.\n"), **keys)) == [(7, 1, 6)]
        assert found(memory, decision("See ADR-12.\n"), **keys) == []

    @pytest.mark.parametrize(
        ("value", "field", "text"),
        [
            ("resolved", "status", decision("x", status="resolved").replace("status: open\n", "")),
            (True, "user_invocable", KNOWLEDGE),
            (3, "level", decision("x", level="3")),
            ("us", "owner", decision("x", owner='"us"')),
            ("us", "owners", decision("x", owners="[them, us]")),
        ],
        ids=["text", "flag", "number", "quoted", "list"],
    )
    def test_a_required_value_that_is_there(
        self, value: object, field: str, text: str, memory: Memory
    ) -> None:
        path = "knowledge/a.md" if text is KNOWLEDGE else PATH
        assert found(memory, text, path, field=field, required_value=value) == []

    def test_a_required_value_that_is_missing_or_another(self, memory: Memory) -> None:
        keys = {"field": "owner", "required_value": "us"}
        (missing,) = found(memory, DECISION, **keys)
        assert (places([missing]), missing.help) == ([(1, 1, 4)], "write `owner: us`")
        assert places(found(memory, decision("x", owner="them"), **keys)) == [(5, 8, 12)]

    def test_allowed_values(self, memory: Memory) -> None:
        keys = {"field": "status", "allowed_values": ["resolved", "replaced"]}
        (odd,) = found(memory, DECISION, **keys)
        assert places([odd]) == [(4, 9, 13)]
        assert odd.help == "`status` is `open`; write one of `resolved`, `replaced`"
        assert found(memory, DECISION.replace("open", "resolved"), **keys) == []
        assert found(memory, DECISION.replace("status: open\n", ""), **keys) == []

    def test_what_another_rule_reports_is_not_told_twice(self, memory: Memory) -> None:
        keys = {"field": "status", "allowed_values": ["resolved"]}
        assert found(memory, DECISION.replace("open", "[]"), **keys) == []
        assert found(memory, "no frontmatter", **keys) == []
        assert found(memory, "no frontmatter", required_heading="Rationale") == []
        assert found(memory, "---\nowner: [\n---\n", field="owner", required_value="us") == []

    def test_the_length_of_a_section_goes_to_the_next_heading_of_its_level(
        self, memory: Memory
    ) -> None:
        keys = {"max_section_length": {"heading": "Context", "length": 10}}
        just = "# Context\n12345678\n\n# More\n" + "x" * 50
        assert found(memory, decision(just), **keys) == []
        (over,) = found(memory, decision(just.replace("12345678", "123456789")), **keys)
        assert places([over]) == [(7, 1, 10)]
        assert "has 11 characters, 1 over the limit of 10" in str(over.help)
        below = decision("# Context\n## Part\n123456\n# More\n")
        assert len(found(memory, below, **keys)) == 1
        assert len(found(memory, decision("Before.\n\n## Context\n12345678901"), **keys)) == 1
        assert found(memory, decision("x" * 50 + "\n\n# Context"), **keys) == []

    def test_the_age_of_updated_at_counts_from_now(self, memory: Memory) -> None:
        def age(days: float) -> str:
            moment = (NOW - timedelta(days=days)).isoformat().replace("+00:00", "Z")
            return DECISION.replace("updated_at: 2026-01-10T09:00:00Z", f"updated_at: {moment}")

        (old,) = found(memory, age(30.01), max_age_days=30)
        assert places([old]) == [(3, 13, 33)]
        assert "30 days ago" in str(old.help)
        assert found(memory, age(30), max_age_days=30) == []
        assert found(memory, DECISION.replace("updated_at", "was_at"), max_age_days=30) == []


class TestLikeAnyRule:
    """What is declared obeys what every rule obeys."""

    @pytest.fixture(autouse=True)
    def _declared(self, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(memory.workspace)
        memory.write(PATH, DECISION)
        self.configure(memory, "")

    def configure(self, memory: Memory, more: str, severity: str = "error") -> None:
        (memory.workspace / "yoimem.toml").write_text(
            f'{more}\n[[declared]]\ncode = "TEAM001"\nname = "rationale-missing"\n'
            f'severity = "{severity}"\nkinds = ["decision"]\nmessage = "Say why."\n'
            'required-heading = "Rationale"\n'
        )

    def test_it_fails_a_check_and_names_itself(self, capsys: Output) -> None:
        assert main(["check"]) == 1
        assert "TEAM001 rationale-missing Say why." in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("more", "severity", "code"),
        [
            ('ignore = ["rationale-missing"]', "error", 0),
            ('select = ["FM"]', "error", 0),
            ('select = ["TEAM"]', "error", 1),
            ('severity = { TEAM001 = "warning" }', "error", 0),
            ('severity = { TEAM001 = "error" }', "warning", 1),
            ("", "warning", 0),
            ('per-file-ignores = { "memory/decisions/a*" = ["TEAM001"] }', "error", 0),
        ],
    )
    def test_it_is_selected_and_graded(
        self, more: str, severity: str, code: int, memory: Memory
    ) -> None:
        self.configure(memory, more, severity)
        assert main(["check"]) == code

    def test_it_is_asked_about_its_kinds_only(self, memory: Memory) -> None:
        memory.write("knowledge/b.md", KNOWLEDGE)
        assert [d.path for d in memory.lint().diagnostics] == [PATH]

    def test_it_has_a_page_and_a_row(self, capsys: Output) -> None:
        assert main(["explain", "team001"]) == 0
        page = capsys.readouterr().out
        assert page.startswith("# TEAM001 rationale-missing\n\n## What\n")
        assert "The body has a heading `Rationale`." in page
        assert "Say why." in page
        assert "yoimem.toml; an error for records of these kinds: decision." in page
        assert main(["rules", "--output-format", "json"]) == 0
        rows = {row["code"]: row for row in json.loads(capsys.readouterr().out)}
        assert rows["TEAM001"] == {
            "code": "TEAM001", "name": "rationale-missing", "severity": "error",
            "kinds": "decision", "plugin": "configuration", "state": "on",
        }  # fmt: skip

    def test_the_gate_asks_it_too(self, memory: Memory) -> None:
        report = lint_text(memory.root, PATH, DECISION, actor="agent", operation="update", now=NOW)
        assert [d.code for d in report.errors] == ["TEAM001"]

    def test_it_is_asked_with_plugins_that_were_given(self, memory: Memory) -> None:
        assert [d.code for d in memory.lint(plugins=PLUGINS).diagnostics] == ["TEAM001"]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "TEAM001: takes exactly one of `required-heading`"),
        ({"required_heading": "A", "max_age_days": 3}, "`required-heading` and `max-age-days`"),
        ({"required_heading": ""}, "TEAM001: `required-heading` takes a text, not ''"),
        ({"required_headng": "A"}, "unknown key `required-headng`, did you mean"),
        ({"required_heading": "A", "severity": "fatal"}, "`error` or `warning`, not 'fatal'"),
        ({"required_heading": "A", "severity": []}, "`error` or `warning`, not []"),
        ({"required_heading": "A", "kinds": ["decison"]}, "did you mean `decision`?"),
        ({"required_heading": "A", "kinds": "decision"}, "takes a list of names"),
        ({"required_heading": "A", "code": "team1"}, "declared` team1: the code 'team1'"),
        ({"required_heading": "A", "code": 3}, "declared` rule 1: `code` takes a text"),
        ({"required_heading": "A", "name": "No Kebab"}, "kebab-case"),
        ({"required_heading": "A", "message": " "}, "`message` takes a text"),
        ({"required_heading": "A", "field": "status"}, "takes no `field`"),
        ({"forbidden_pattern": "("}, "`forbidden-pattern` is no pattern: missing )"),
        ({"required_pattern": 3}, "takes a pattern, not 3"),
        ({"required_value": "a"}, "`required-value` needs a `field`"),
        ({"required_value": [1], "field": "status"}, "takes texts, whole numbers"),
        ({"allowed_values": [], "field": "status"}, "takes a list of values"),
        ({"allowed_values": ["a"], "field": "statsu"}, "did you mean `status`?"),
        ({"max_section_length": 3}, "takes { heading"),
        ({"max_section_length": {"heading": "A", "length": 0}}, "from 1 to"),
        ({"max_age_days": True}, "a whole number from 1"),
        ({"max_age_days": 10**9}, "a whole number from 1"),
    ],
)
def test_a_mistake_names_the_declaration(keys: dict[str, Any], words: str) -> None:
    table = {"declared": [declaration(**keys)]}
    with pytest.raises(ConfigError) as raised:
        build_ruleset(PLUGINS, parse_config(table, Path("yoimem.toml")))
    assert words in str(raised.value)
    assert str(raised.value).startswith("yoimem.toml: `declared` ")


def test_what_is_missing_is_named() -> None:
    table = {"declared": [{"code": "TEAM001", "required-heading": "A", "name": "team-rule"}]}
    with pytest.raises(ConfigError, match="`message` is missing"):
        build_ruleset(PLUGINS, parse_config(table))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"code": "FM001"}, "`FM001` is taken: configuration hands in FM001 team-rule, and yoimem"),
        ({"name": "missing-field"}, "`missing-field` is taken: configuration hands in TEAM001"),
    ],
)
def test_a_clash_is_a_failure_that_names_both(keys: dict[str, Any], words: str) -> None:
    table = {"declared": [declaration(required_heading="A", **keys)]}
    rules = build_ruleset(PLUGINS, parse_config(table))
    (failure,) = rules.failures
    assert words in failure.message
    assert failure.plugin == "configuration"
    assert len(rules.active) == len(PLUGINS.rules)


def test_a_kind_of_a_plugin_that_did_not_load_is_told_beside_it() -> None:
    whole = [LoadedPlugin(p.label, p.entry_point.load()) for p in find_plugins()]
    broken = collect([*whole, LoadedPlugin("broken 1.0", plugin_of(int).module)])  # type: ignore[type-var]
    table = {"declared": [declaration(required_heading="A", kinds=["incident"])]}
    failures = build_ruleset(broken, parse_config(table)).failures
    assert [failure.plugin for failure in failures] == ["broken 1.0", "configuration"]
    assert "unknown `incident`" in failures[1].message


def test_a_pattern_that_takes_too_long_is_a_failure_and_is_not_tried_again(
    memory: Memory,
) -> None:
    for name in "abc":
        memory.write(f"memory/decisions/{name}.md", decision("," * 60 + "\n", status="done"))
    slow = declaration(forbidden_pattern=r"^(.*?,){20}P")
    config = parse_config({"declared": [slow]})
    report, seconds = timed(lambda: memory.lint(config=config))
    assert seconds < 2 * MATCH_SECONDS
    (failure,) = report.failures
    assert (failure.where, failure.plugin) == ("rule TEAM001", "configuration")
    assert "took longer than 1 s" in failure.message
    assert len(report.errors) >= 3


def test_a_configuration_without_declarations_costs_nothing() -> None:
    def same(plugins: Plugins) -> bool:
        from yoimem.lint.declared import with_declared

        return with_declared(plugins, parse_config({})) is plugins

    assert same(PLUGINS)


def test_the_declarations_of_the_guide_work(memory: Memory) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide.md").read_text("utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    (declared,) = [block for block in blocks if "[[tool.yoimem.declared]]" in block]
    (memory.workspace / "pyproject.toml").write_text(declared)
    memory.write(PATH, decision("Tbd.\n"))
    memory.write("knowledge/b.md", KNOWLEDGE.replace("Body", "What is known"))
    assert [(d.code, d.severity) for d in memory.lint().diagnostics] == [
        ("TEAM001", "error"),
        ("TEAM002", "warning"),
    ]
    table = guide.partition("### Rules without Python")[2].partition("\n### ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == list(FORMS)
