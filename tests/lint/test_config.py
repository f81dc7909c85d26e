"""The configuration: what it selects, and that a mistake in it is told, not passed over."""

from pathlib import Path

import pytest

from tests.conftest import DECISION, Memory
from yoimem.lint.config import parse_config
from yoimem.lint.errors import ConfigError
from yoimem.lint.host import load_plugins
from yoimem.lint.rule import Severity
from yoimem.lint.ruleset import build_ruleset
from yoimem.lint.settings import (
    ConsolidateSettings,
    ExtractSettings,
    ResidentSettings,
    SearchSettings,
    UsageSettings,
)

PLUGINS = load_plugins()


def active(**table: object) -> set[str]:
    """Return the codes that are on under the configuration `table`."""
    ruleset = build_ruleset(
        PLUGINS, parse_config({k.replace("_", "-"): v for k, v in table.items()})
    )
    return {rule.meta.code for rule in ruleset.active}


ALL = active()


def test_everything_is_on_by_default() -> None:
    assert {r.meta.code for r in PLUGINS.rules} == ALL


@pytest.mark.parametrize(
    ("table", "on", "off"),
    [
        ({"select": ["FM1"]}, {"FM101", "FM110"}, {"FM001", "RF001"}),
        ({"select": ["missing-field"]}, {"FM101"}, ALL - {"FM101"}),
        ({"select": ["FM"], "extend_select": ["RF001"]}, {"FM001", "RF001"}, {"RF002"}),
        ({"ignore": ["FM1"]}, {"FM001"}, {"FM101"}),
        ({"select": ["FM101"], "ignore": ["FM1"]}, {"FM101"}, ALL - {"FM101"}),
        ({"select": ["FM1"], "ignore": ["FM101"]}, {"FM102"}, {"FM101"}),
        ({"select": ["FM"], "ignore": ["FM"]}, set(), ALL),
        ({"select": []}, set(), ALL),
    ],
    ids=["FM1", "name", "extend", "ignore", "longer select", "longer ignore", "tie", "nothing"],
)
def test_the_longest_beginning_wins_and_a_tie_ignores(
    table: dict[str, object], on: set[str], off: set[str]
) -> None:
    found = active(**table)
    assert on <= found
    assert not off & found


def test_severity_by_code_name_and_beginning() -> None:
    config = parse_config({"severity": {"FM": "warning", "unknown-key": "error"}})
    severities = {r.meta.code: r.severity for r in build_ruleset(PLUGINS, config).active}
    assert severities["FM001"] is Severity.WARNING
    assert severities["FM108"] is Severity.ERROR
    assert severities["RF001"] is Severity.ERROR


def test_options_reach_the_rule(memory: Memory) -> None:
    memory.write("memory/decisions/a.md", DECISION)
    (memory.workspace / "yoimem.toml").write_text("[rules.body-too-long]\ndecision = 3\n")
    assert [d.code for d in memory.lint().diagnostics] == ["SZ001"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"selct": ["FM"]}, "unknown key `selct`, did you mean `select`?"),
        ({"select": "FM"}, "`select`"),
        ({"select": ["FM999"]}, "unknown rule `FM999`"),
        ({"ignore": ["missing-feild"]}, "did you mean `missing-field`?"),
        ({"severity": {"FM101": "fatal"}}, "error, warning"),
        ({"severity": {"nothing": "error"}}, "unknown rule `nothing`"),
        ({"rules": {"body-too-lng": {}}}, "did you mean `body-too-long`?"),
        ({"rules": {"body-too-long": {"desision": 1}}}, "did you mean `decision`?"),
        ({"rules": {"body-too-long": {"decision": "8"}}}, "takes a whole number, not '8'"),
        ({"rules": {"body-too-long": {"decision": True}}}, "takes a whole number, not True"),
        ({"rules": {"missing-field": {"x": 1}}}, "it has none"),
        ({"per-file-ignores": {"a": ["XX"]}}, "unknown rule `XX`"),
        ({"warnings-as-errors": "yes"}, "warnings-as-errors"),
    ],
)
def test_a_mistake_is_told_with_the_nearest_name(table: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        build_ruleset(PLUGINS, parse_config(table, Path("yoimem.toml")))
    assert words in str(raised.value)
    assert "yoimem.toml" in str(raised.value)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"search": {"limt": 5}}, "`search`: unknown option `limt`, did you mean `limit`?"),
        ({"search": {"limit": "5"}}, "the option `limit` takes a whole number, not '5'"),
        ({"search": {"limit": 0}}, "the option `limit` must be 1 or more"),
        ({"search": {"context-lines": -1}}, "`context-lines` must be 0 or more, not -1"),
        ({"search": {"order": "newest"}}, "takes relevance, file, not `newest`"),
        ({"search": {"index": "~nobody-is-called-so/x"}}, "`index` takes a folder, not '~nobody"),
        ({"search": {"index": "a\0b"}}, "`index` takes a folder"),
        ({"search": {"index": 3}}, "`search`: the option `index` takes a text"),
        ({"usage": {"candidates": 1}}, "did you mean `candidate`?"),
        ({"usage": {"candidate": "often"}}, "the option `candidate` takes a number"),
        ({"usage": {"candidate": float("nan")}}, "`candidate` must be a number of invokes"),
        ({"usage": {"protect": float("inf")}}, "`protect` must be a number of invokes"),
        ({"usage": {"protect": -0.5}}, "`protect` must be 0 or more, not -0.5"),
        ({"usage": {"candidate-sessions": 1.5}}, "takes a whole number, not 1.5"),
        ({"usage": {"min-window": 0}}, "the option `min-window` must be 1 or more"),
        ({"usage": {"max-invokes": 0}}, "the option `max-invokes` must be 1 or more"),
        ({"resident": {"budjet": 1}}, "`resident`: unknown option `budjet`, did you mean"),
        ({"resident": {"budget": True}}, "the option `budget` takes a whole number, not True"),
        ({"resident": {"budget": -1}}, "`budget` must be 0 or more, not -1"),
        ({"resident": {"summary": 1}}, "the option `summary` takes true or false, not 1"),
        ({"extract": {"treshold": 1}}, "did you mean `threshold`?"),
        ({"extract": {"threshold": -1}}, "`threshold` must be 0 or more, not -1"),
        ({"extract": {"model": ["a"]}}, "the option `model` takes a text"),
        ({"consolidate": {"cold_start": True}}, "did you mean `cold-start`?"),
        ({"consolidate": {"cold-start": "yes"}}, "takes true or false, not 'yes'"),
        ({"consolidate": {"files": 0}}, "the option `files` must be 1 or more"),
        ({"consolidate": {"bytes": 0}}, "the option `bytes` must be 1 or more"),
        ({"consolidate": {"max-iterations": 0}}, "`max-iterations` must be 1 or more"),
        ({"consolidate": 3}, "`consolidate`"),
    ],
)
def test_a_mistake_in_the_settings_of_a_part_is_told(table: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_config(table, Path("yoimem.toml"))
    assert words in str(raised.value)
    assert str(raised.value).startswith("yoimem.toml: `")


def test_settings_are_read_under_the_names_of_the_design() -> None:
    config = parse_config(
        {
            "search": {"limit": 1, "context-lines": 0, "order": "file", "index": "there"},
            "usage": {
                "candidate": 2, "candidate-sessions": 3, "protect": 4.5, "min-window": 5,
                "max-invokes": 6,
            },
            "resident": {"budget": 7, "summary": False},
            "extract": {"model": "a:b", "threshold": 0},
            "consolidate": {
                "model": "c:d", "files": 8, "bytes": 9, "max-iterations": 10, "cold-start": True,
            },
        }
    )  # fmt: skip
    assert config.search == SearchSettings(1, 0, "file", "there")
    assert config.usage == UsageSettings(2.0, 3, 4.5, 5, 6)
    assert config.resident == ResidentSettings(7, summary=False)
    assert config.extract == ExtractSettings("a:b", 0)
    assert config.consolidate == ConsolidateSettings("c:d", 8, 9, 10, cold_start=True)


def test_settings_that_are_not_given_are_those_of_the_design() -> None:
    config = parse_config({})
    assert config.search == SearchSettings(20, 3, "relevance", "")
    assert config.usage == UsageSettings(1.0, 2, 1.0, 100_000, 10)
    assert config.resident == ResidentSettings(0, summary=True)
    assert config.extract == ExtractSettings("", 30_000)
    assert config.consolidate == ConsolidateSettings("", 50, 1_048_576, 100, cold_start=False)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"pyproject.toml": "[tool.yoimem]\n", "yoimem.toml": ""}, "two configurations"),
        ({"pyproject.toml": "[tool.yoimem]\n", ".yoi/yoimem.toml": ""}, "two configurations"),
        ({"yoimem.toml": "", ".yoi/pyproject.toml": "[tool.yoimem]"}, "two configurations"),
        ({".yoi/yoimem.toml": ""}, "is not read"),
        ({"yoimem.toml": "select = ["}, "is no TOML"),
        ({"pyproject.toml": "[tool]\nyoimem = 3\n"}, "must be a table"),
    ],
    ids=["both", "dropped below", "dropped pyproject", "only below", "broken", "no table"],
)
def test_one_file_configures(memory: Memory, files: dict[str, str], words: str) -> None:
    for name, text in files.items():
        (memory.workspace / name).write_text(text)
    with pytest.raises(ConfigError) as raised:
        memory.lint()
    assert words in str(raised.value)


def test_a_pyproject_without_the_table_is_no_candidate(memory: Memory) -> None:
    (memory.workspace / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    (memory.workspace / "yoimem.toml").write_text('select = ["FM"]\n')
    memory.write("memory/decisions/a.md", DECISION + "See #nowhere-known.\n")
    assert memory.lint().diagnostics == ()
