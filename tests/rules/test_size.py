"""What the pages of the SZ rules cannot show: the limits as they are by default."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from yoimem import Context, Finding, Record
from yoimem.records.kinds import DECISION, Kinds
from yoimem.records.reader import Reader
from yoimem_rules.size import BodyTooLong, DescriptionTooLong

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def too_long(record: Record) -> list[Finding]:
    return list(BodyTooLong().check(record, Context(BodyTooLong.Options(), NOW)))


def read(path: str, body: str, kinds: Kinds | None = None) -> Record:
    return Reader(kinds or Kinds()).read_text(path, f"---\nk: v\n---\n{body}")


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("memory/summary.md", 20_000),
        ("memory/decisions/a.md", 8_000),
        ("memory/requests/a.md", 8_000),
        ("knowledge/a.md", 8_000),
    ],
)
@pytest.mark.parametrize("char", ["x", "漢", "\U0001f600", "\r"])
def test_a_body_may_have_its_limit_of_code_points_and_no_more(
    path: str, limit: int, char: str
) -> None:
    assert too_long(read(path, char * limit)) == []
    (finding,) = too_long(read(path, char * (limit + 1)))
    assert f"{limit + 1:,} characters, 1 over" in finding.message


def test_a_workflow_has_no_limit() -> None:
    assert too_long(read("workflow/a.md", "x" * 100_000)) == []


def test_a_kind_of_a_plugin_brings_its_own_limit() -> None:
    incident = replace(DECISION, name="incident", places=("incidents/<slug>.md",), body_limit=10)
    kinds = Kinds([incident])
    assert too_long(read("incidents/a.md", "x" * 10, kinds)) == []
    assert len(too_long(read("incidents/a.md", "x" * 11, kinds))) == 1


def test_a_record_without_a_frame_has_no_body() -> None:
    assert too_long(Reader(Kinds()).read_text("knowledge/a.md", "x" * 9_000)) == []


@pytest.mark.parametrize(
    ("length", "flag", "count"), [(1024, "true", 0), (1025, "true", 1), (1025, "false", 0)]
)
def test_a_description_that_models_see_has_a_limit(length: int, flag: str, count: int) -> None:
    text = f"---\ndescription: {'漢' * length}\nmodel_invokation: {flag}\n---\n"
    record = Reader(Kinds()).read_text("workflow/a.md", text)
    context = Context(DescriptionTooLong.Options(), NOW)
    assert len(list(DescriptionTooLong().check(record, context))) == count
