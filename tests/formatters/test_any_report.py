"""What holds for every report, whatever the strings in it."""

import json
import unicodedata
from importlib.resources import files
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from yoimem.formatters import BUILTIN
from yoimem.lint.formatter import Presentation
from yoimem.lint.report import Diagnostic, Failure, Report
from yoimem.lint.rule import Edit, Fix, Severity
from yoimem.records.text import Place, Span

FORMATTERS = {formatter.name: formatter for formatter in BUILTIN}
SCHEMA = json.loads(files("yoimem.formatters").joinpath("report.schema.json").read_text("utf-8"))

any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from("\n\r\t\x1b\u202e%:,]>&"))
any_path = any_text.map(lambda text: f"knowledge/{text}.md")
words = st.text("abcdefgh-", min_size=1)
positions = st.integers(1, 200)
places = st.builds(Place, positions, positions)
offsets = st.integers(0, 1000)
fixes = st.builds(
    Fix,
    any_text,
    st.lists(
        st.builds(
            lambda start, length, text: Edit(Span(start, start + length), text),
            offsets,
            offsets,
            any_text,
        ),
        max_size=3,
    ).map(tuple),
    st.booleans(),
)


@st.composite
def diagnostics(draw: st.DrawFn) -> Diagnostic:
    start, end = sorted([draw(places), draw(places)])
    return Diagnostic(
        path=draw(any_path),
        start=start,
        end=end,
        code=draw(st.sampled_from(["FM101", "RF006", "ACME001"])),
        name=draw(words),
        severity=draw(st.sampled_from(Severity)),
        message=draw(any_text),
        help=draw(st.none() | any_text),
        fix=draw(st.none() | fixes),
        source=draw(any_text),
    )


failures = st.builds(
    Failure,
    where=words,
    message=any_text,
    plugin=words,
    path=st.none() | any_path,
    traceback=any_text,
)
reports = st.builds(
    Report,
    root=st.just("/srv/web/.yoi"),
    diagnostics=st.lists(diagnostics(), max_size=4).map(tuple),
    failures=st.lists(failures, max_size=2).map(tuple),
    records=st.integers(0, 10),
)
presentations = st.builds(
    Presentation, prefix=st.sampled_from(["", ".yoi/", "../a b/.yoi/"]), quiet=st.booleans()
)


def is_harmless(text: str) -> bool:
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return not any(unicodedata.category(char) in hidden for char in text if char != "\n")


@given(reports, presentations)
def test_no_output_acts_on_a_terminal(report: Report, shown: Presentation) -> None:
    for name, formatter in FORMATTERS.items():
        text = formatter.format(report, shown)
        assert is_harmless(text), name
        assert text == "" or text.endswith("\n"), name


@given(reports, presentations)
def test_one_line_a_finding_and_a_failure(report: Report, shown: Presentation) -> None:
    count = len(report.diagnostics) + len(report.failures)

    assert FORMATTERS["concise"].format(report, shown).count("\n") == count
    assert FORMATTERS["github"].format(report, shown).count("\n") == count


@given(reports, presentations)
def test_json_obeys_its_schema_and_keeps_every_string(report: Report, shown: Presentation) -> None:
    text = FORMATTERS["json"].format(report, shown)

    assert text.isascii()
    content = json.loads(text)
    Draft202012Validator(SCHEMA).validate(content)
    assert [d["severity"] for d in content["diagnostics"]] == [
        d.severity for d in report.diagnostics
    ]
    assert content["summary"]["errors"] == len(report.errors)


@given(reports, presentations)
def test_sarif_is_json_with_a_result_for_each_finding(report: Report, shown: Presentation) -> None:
    (run,) = json.loads(FORMATTERS["sarif"].format(report, shown))["runs"]
    rules = run["tool"]["driver"]["rules"]

    assert len(run["results"]) == len(report.diagnostics)
    for result, diagnostic in zip(run["results"], report.diagnostics, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == diagnostic.code
        safe = diagnostic.fix is not None and diagnostic.fix.safe
        assert ("fixes" in result) == safe
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii()
        assert uri.isprintable()
        assert " " not in uri


@given(reports, presentations)
def test_junit_is_xml_with_a_case_for_each_finding(report: Report, shown: Presentation) -> None:
    suites = ET.fromstring(FORMATTERS["junit"].format(report, shown).encode())

    outcomes = [case[0].tag for case in suites[0] if len(case)]
    assert outcomes.count("failure") == len(report.errors)
    assert outcomes.count("skipped") == len(report.warnings)
    assert outcomes.count("error") == len(report.failures)


def test_the_formats_have_their_names() -> None:
    assert list(FORMATTERS) == ["text", "concise", "json", "github", "sarif", "junit"]
