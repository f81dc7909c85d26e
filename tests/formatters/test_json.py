import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from yoimem.formatters.json_format import JsonFormatter
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Report

SCHEMA = json.loads(files("yoimem.formatters").joinpath("report.schema.json").read_text("utf-8"))


def test_the_whole_report(mixed_report: Report) -> None:
    text = JsonFormatter().format(mixed_report, Presentation(prefix=".yoi/"))

    assert json.loads(text) == {
        "version": 1,
        "root": ".yoi",
        "paths": "root",
        "diagnostics": [
            {
                "path": "memory/decisions/use-sqlite.md",
                "line": 4,
                "column": 9,
                "end_line": 4,
                "end_column": 13,
                "code": "FM106",
                "name": "invalid-status",
                "severity": "error",
                "message": "`done` is no status",
                "help": "write one of open, resolved, replaced",
                "fix": None,
            },
            {
                "path": "memory/requests/検索.md",
                "line": 1,
                "column": 4,
                "end_line": 1,
                "end_column": 5,
                "code": "FM013",
                "name": "delimiter-trailing-space",
                "severity": "warning",
                "message": "100% blank: after `---`, there is a blank",
                "help": "take it away,\nor let `--fix` do it",
                "fix": {
                    "title": "take the blank away",
                    "safe": True,
                    "edits": [{"start": 3, "end": 4, "text": ""}],
                },
            },
            {
                "path": "memory/requests/検索.md",
                "line": 7,
                "column": 1,
                "end_line": 9,
                "end_column": 1,
                "code": "BL002",
                "name": "sources-overflow",
                "severity": "warning",
                "message": "11 sources",
                "help": None,
                "fix": {
                    "title": "keep the last 10",
                    "safe": False,
                    "edits": [{"start": 90, "end": 140, "text": "[]"}],
                },
            },
        ],
        "failures": [
            {
                "where": "rule ACME001",
                "plugin": "acme 1.0",
                "path": "memory/summary.md",
                "message": "ValueError: no\nand no again",
            },
            {
                "where": "plugin beta 2.0",
                "plugin": "beta 2.0",
                "path": None,
                "message": "beta does not load",
            },
        ],
        "summary": {"records": 3, "errors": 1, "warnings": 2, "failures": 2},
    }


@pytest.mark.parametrize(
    ("prefix", "root"), [(".yoi/", ".yoi"), ("../app/.yoi/", "../app/.yoi"), ("", "."), ("/", "/")]
)
def test_the_root_is_the_prefix(empty_report: Report, prefix: str, root: str) -> None:
    report = json.loads(JsonFormatter().format(empty_report, Presentation(prefix=prefix)))

    assert report["root"] == root


def test_strings_survive_in_ascii(hostile_report: Report) -> None:
    text = JsonFormatter().format(hostile_report, Presentation())

    assert text.isascii()
    assert r"a\udcff<b>.md" in text
    assert json.loads(text)["diagnostics"][0]["path"] == hostile_report.diagnostics[0].path
    assert json.loads(text)["diagnostics"][0]["message"] == hostile_report.diagnostics[0].message


@pytest.mark.parametrize("name", ["mixed_report", "empty_report", "hostile_report"])
def test_the_output_obeys_the_schema(name: str, request: pytest.FixtureRequest) -> None:
    report: Report = request.getfixturevalue(name)

    Draft202012Validator(SCHEMA).validate(
        json.loads(JsonFormatter().format(report, Presentation()))
    )


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("diagnostics", "line", 0),
        ("diagnostics", "severity", "info"),
        ("diagnostics", "fix", {"title": "x"}),
        ("diagnostics", "extra", 1),
        ("failures", "path", 3),
    ],
)
def test_the_schema_refuses_another_shape(
    mixed_report: Report, table: str, key: str, value: object
) -> None:
    report = json.loads(JsonFormatter().format(mixed_report, Presentation()))
    report[table][0][key] = value

    assert not Draft202012Validator(SCHEMA).is_valid(report)
