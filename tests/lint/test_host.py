"""The host: what goes wrong in one plugin is told by its name, and hides nothing of the others."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from marshmallow import Schema, fields

from tests.conftest import DECISION, Memory, plugin_of
from yoimem import Finding, RecordKind, RecordRule, RuleMeta, Severity, hookimpl
from yoimem.lint.collector import collect
from yoimem.lint.host import find_plugins
from yoimem.lint.plugin import LoadedPlugin, Plugins


def installed() -> list[LoadedPlugin]:
    return [LoadedPlugin(p.label, p.entry_point.load()) for p in find_plugins()]


def made(code: str = "ACME001", name: str = "acme-rule", **meta: Any) -> type[RecordRule]:
    class Made(RecordRule):
        def check(self, record: Any, ctx: Any) -> list[Finding]:
            return []

    Made.meta = RuleMeta(code, name, Severity.ERROR, "1.0", **meta)
    return Made


def messages(plugins: Plugins) -> list[str]:
    return [f"{failure.plugin}: {failure.message}" for failure in plugins.failures]


def test_the_built_in_rules_come_in_through_the_entry_point() -> None:
    assert {"yoimem_rules.plugin"} < {p.entry_point.value for p in find_plugins()}
    codes = [registered.meta.code for registered in collect(installed()).rules]
    assert codes == sorted(codes)
    assert len(codes) > 40


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (made("FM001"), "`FM001` is taken: acme 1.0 hands in FM001 acme-rule, and yoimem"),
        (made(name="missing-field"), "`missing-field` is taken"),
        (made(aliases=("missing-field",)), "`missing-field` is taken"),
        (made("A1"), "the code 'A1'"),
        (made(name="Acme Rule"), "kebab-case"),
    ],
    ids=["code", "name", "alias", "short code", "bad name"],
)
def test_a_rule_that_cannot_be_taken_is_told(rule: type[RecordRule], words: str) -> None:
    plugins = collect([*installed(), plugin_of(rule)])
    assert any(
        message.startswith("acme 1.0: ") and words in message for message in messages(plugins)
    )
    assert len(plugins.rules) == len(collect(installed()).rules)


def test_options_that_cannot_be_options_are_told() -> None:
    @dataclass
    class NotFrozen:
        x: int = 1

    @dataclass(frozen=True)
    class NoDefault:
        x: int

    @dataclass(frozen=True)
    class OddType:
        x: dict[str, int] | None = None

    class NoDataclass:
        x = 1

    for options, words in [
        (NotFrozen, "not frozen"),
        (NoDefault, "cannot be made without arguments"),
        (OddType, "an option is an int"),
        (NoDataclass, "no dataclass"),
    ]:
        rule = made()
        rule.Options = options
        (message,) = messages(collect([plugin_of(rule)]))
        assert words in message


class Raises:
    @hookimpl
    def yoimem_register_rules(self) -> list[Any]:
        raise RuntimeError("not today")


class ReturnsNone:
    @hookimpl
    def yoimem_register_rules(self) -> None:
        return None


class ReturnsNonsense:
    @hookimpl
    def yoimem_register_rules(self) -> list[Any]:
        return ["nonsense"]


class WrongSignature:
    @hookimpl
    def yoimem_register_rules(self, extra: int) -> list[Any]:
        return []


class UnknownHook:
    @hookimpl
    def yoimem_register_rulez(self) -> list[Any]:
        return []


@pytest.mark.parametrize(
    ("plugin", "words"),
    [
        (Raises, "not today"),
        (ReturnsNone, "returned NoneType"),
        (ReturnsNonsense, "is no rule class"),
        (WrongSignature, "extra"),
        (UnknownHook, "yoimem_register_rulez"),
    ],
)
def test_a_broken_plugin_is_a_failure_with_its_name(plugin: type, words: str) -> None:
    whole = installed()
    plugins = collect([LoadedPlugin("broken 2.0", plugin()), *whole])
    assert len(plugins.rules) == len(collect(whole).rules)
    (message,) = messages(plugins)
    assert message.startswith("broken 2.0: ")
    assert words in message


def test_a_plugin_that_does_not_import_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: Memory
) -> None:
    info = tmp_path / "site" / "acme_rules-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[yoimem]\nacme = acme_rules_missing\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    memory.write("memory/decisions/a.md", DECISION.replace("open", "done"))

    report = memory.lint()

    (failure,) = report.failures
    assert failure.plugin == "acme-rules 1.0"
    assert "acme_rules_missing" in failure.message
    assert [d.code for d in report.diagnostics] == ["FM106"]


class IncidentSchema(Schema):
    severity = fields.Integer(required=True, strict=True)


@dataclass(frozen=True)
class Incident:
    severity: int


def kind_plugin(kind: object, label: str = "acme 1.0") -> LoadedPlugin:
    class Plugin:
        @hookimpl
        def yoimem_register_record_kinds(self) -> list[object]:
            return [kind]

    return LoadedPlugin(label, Plugin())


INCIDENT = RecordKind("incident", IncidentSchema, Incident, ("memory/incidents/<slug>.md",), 20)


def test_a_plugin_adds_a_record_kind(memory: Memory) -> None:
    plugins = collect([*installed(), kind_plugin(INCIDENT)])
    memory.write("memory/incidents/good.md", "---\nseverity: 3\n---\nShort.\n")
    memory.write("memory/incidents/wrong.md", "---\nseverity: high\n---\n" + "long " * 9)
    memory.write("memory/incidents/missing.md", "---\n---\n")
    report = memory.lint(plugins=plugins)
    assert [(d.path[17:], d.code) for d in report.diagnostics] == [
        ("missing.md", "FM101"),
        ("wrong.md", "FM102"),
        ("wrong.md", "SZ001"),
    ]
    assert "ID002" in {d.code for d in memory.lint().diagnostics}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("nonsense", "is no record kind"),
        (
            RecordKind("decision", IncidentSchema, Incident, ("memory/x/<slug>.md",)),
            "there already",
        ),
        (RecordKind("x", IncidentSchema, Incident, ("knowledge/<slug>.md",)), "share the place"),
        (RecordKind("x", IncidentSchema, Incident, ("../<slug>.md",)), "is not a path"),
        (RecordKind("x", IncidentSchema, Incident, ("memory/_x/<slug>.md",)), "is not a path"),
        (RecordKind("x", IncidentSchema, Incident, ("memory/x/a-<slug>.md",)), "must end in"),
    ],
    ids=["nonsense", "name", "place", "outside", "reserved", "odd"],
)
def test_a_record_kind_that_cannot_be_taken_is_told(kind: object, words: str) -> None:
    (message,) = messages(collect([kind_plugin(kind)]))
    assert message.startswith("acme 1.0: ")
    assert words in message
