from dataclasses import replace
from xml.etree import ElementTree as ET

from yoimem.formatters.junit import JunitFormatter
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Report

MIXED = """\
<?xml version="1.0" encoding="utf-8"?>
<testsuites>
<testsuite name="yoimem" tests="5" failures="1" errors="2" skipped="2">
<testcase classname=".yoi/memory/decisions/use-sqlite.md" name="FM106 invalid-status at 4:9" \
file=".yoi/memory/decisions/use-sqlite.md" line="4">\
<failure type="error" message="`done` is no status">\
.yoi/memory/decisions/use-sqlite.md:4:9: `done` is no status
help: write one of open, resolved, replaced</failure></testcase>
<testcase classname=".yoi/memory/requests/検索.md" name="FM013 delimiter-trailing-space at 1:4" \
file=".yoi/memory/requests/検索.md" line="1">\
<skipped type="warning" message="100% blank: after `---`, there is a blank">\
.yoi/memory/requests/検索.md:1:4: 100% blank: after `---`, there is a blank
help: take it away,
or let `--fix` do it</skipped></testcase>
<testcase classname=".yoi/memory/requests/検索.md" name="BL002 sources-overflow at 7:1" \
file=".yoi/memory/requests/検索.md" line="7"><skipped type="warning" message="11 sources">\
.yoi/memory/requests/検索.md:7:1: 11 sources</skipped></testcase>
<testcase classname=".yoi/memory/summary.md" name="rule ACME001 (acme 1.0)">\
<error type="failure" message="ValueError: no\\nand no again">ValueError: no
and no again
Traceback:
  line 1</error></testcase>
<testcase classname="yoimem" name="plugin beta 2.0">\
<error type="failure" message="beta does not load">beta does not load</error></testcase>
</testsuite>
</testsuites>
"""


def test_errors_fail_warnings_are_skipped_failures_are_errors(mixed_report: Report) -> None:
    assert JunitFormatter().format(mixed_report, Presentation(prefix=".yoi/")) == MIXED


def test_a_clean_run_is_one_passed_test(empty_report: Report) -> None:
    suites = ET.fromstring(JunitFormatter().format(empty_report, Presentation()).encode())

    (suite,) = suites
    assert suite.attrib == {
        "name": "yoimem",
        "tests": "1",
        "failures": "0",
        "errors": "0",
        "skipped": "0",
    }
    (case,) = suite
    assert case.attrib == {"classname": "yoimem", "name": "no findings"}
    assert len(case) == 0


def test_any_string_is_valid_xml(hostile_report: Report) -> None:
    text = JunitFormatter().format(hostile_report, Presentation())

    finding, failure = ET.fromstring(text.encode())[0]
    assert finding.attrib["file"] == r"knowledge/a\xff<b>.md"
    assert finding[0].attrib["message"] == r"\x1b[2J & U+202E \u202e in\r\n::error::'" + '"<x>"'
    assert (finding[0].text or "").endswith("\nhelp: see \\x07 or\n::warning::\\ud800")
    assert failure[0].text == "\\x1b[0m\\x00]]>\n::stop::"


def test_two_findings_of_one_rule_are_two_tests(mixed_report: Report) -> None:
    error = mixed_report.diagnostics[0]
    later = replace(error, start=error.start._replace(line=9), end=error.end._replace(line=9))
    report = replace(mixed_report, diagnostics=(error, later), failures=())

    suite = ET.fromstring(JunitFormatter().format(report, Presentation()).encode())[0]

    assert [case.attrib["name"] for case in suite] == [
        "FM106 invalid-status at 4:9",
        "FM106 invalid-status at 9:9",
    ]
