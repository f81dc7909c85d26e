import json

from yoimem.formatters.sarif import SarifFormatter
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Report


def test_the_whole_log(mixed_report: Report) -> None:
    log = json.loads(SarifFormatter().format(mixed_report, Presentation(prefix=".yoi/")))

    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert run["tool"]["driver"] == {
        "name": "yoimem",
        "rules": [
            {
                "id": "BL002",
                "name": "sources-overflow",
                "shortDescription": {"text": "sources overflow"},
            },
            {
                "id": "FM013",
                "name": "delimiter-trailing-space",
                "shortDescription": {"text": "delimiter trailing space"},
            },
            {
                "id": "FM106",
                "name": "invalid-status",
                "shortDescription": {"text": "invalid status"},
            },
        ],
    }
    requests = {"uri": ".yoi/memory/requests/%E6%A4%9C%E7%B4%A2.md"}
    assert run["results"] == [
        {
            "ruleId": "FM106",
            "ruleIndex": 2,
            "level": "error",
            "message": {"text": "`done` is no status\nhelp: write one of open, resolved, replaced"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": ".yoi/memory/decisions/use-sqlite.md"},
                        "region": {
                            "startLine": 4,
                            "startColumn": 9,
                            "endLine": 4,
                            "endColumn": 13,
                        },
                    }
                }
            ],
        },
        {
            "ruleId": "FM013",
            "ruleIndex": 1,
            "level": "warning",
            "message": {
                "text": "100% blank: after `---`, there is a blank\n"
                "help: take it away,\nor let `--fix` do it"
            },
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": requests,
                        "region": {
                            "startLine": 1,
                            "startColumn": 4,
                            "endLine": 1,
                            "endColumn": 5,
                        },
                    }
                }
            ],
            "fixes": [
                {
                    "description": {"text": "take the blank away"},
                    "artifactChanges": [
                        {
                            "artifactLocation": requests,
                            "replacements": [
                                {
                                    "deletedRegion": {"charOffset": 3, "charLength": 1},
                                    "insertedContent": {"text": ""},
                                }
                            ],
                        }
                    ],
                }
            ],
        },
        {
            "ruleId": "BL002",
            "ruleIndex": 0,
            "level": "warning",
            "message": {"text": "11 sources"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": requests,
                        "region": {
                            "startLine": 7,
                            "startColumn": 1,
                            "endLine": 9,
                            "endColumn": 1,
                        },
                    }
                }
            ],
        },
    ]
    assert run["invocations"] == [
        {
            "executionSuccessful": False,
            "toolExecutionNotifications": [
                {
                    "level": "error",
                    "message": {"text": "rule ACME001 (acme 1.0): ValueError: no\nand no again"},
                    "locations": [
                        {
                            "physicalLocation": {
                                "artifactLocation": {"uri": ".yoi/memory/summary.md"}
                            }
                        }
                    ],
                },
                {"level": "error", "message": {"text": "plugin beta 2.0: beta does not load"}},
            ],
        }
    ]


def test_a_clean_run_is_a_log_without_results(empty_report: Report) -> None:
    (run,) = json.loads(SarifFormatter().format(empty_report, Presentation()))["runs"]

    assert run["results"] == []
    assert run["tool"]["driver"]["rules"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_a_path_is_a_uri_and_a_message_plain_text(hostile_report: Report) -> None:
    text = SarifFormatter().format(hostile_report, Presentation(prefix="my notes/"))

    assert text.isascii()
    (result,) = json.loads(text)["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "my%20notes/knowledge/a%FF%3Cb%3E.md"}
    assert result["message"]["text"].startswith(r"\x1b[2J & U+202E \u202e in\r\n::error::")
