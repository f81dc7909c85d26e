"""A file becomes a record: each fault one problem at its place, whatever can be used is used."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pytest
from marshmallow import Schema, fields

from yoimem.records import cleanyaml
from yoimem.records.fields import Source
from yoimem.records.kinds import BUILTIN_KINDS, Decision, Kinds, RecordKind
from yoimem.records.reader import MAX_BYTES, MAX_FRONTMATTER, Limits, Reader
from yoimem.records.record import Record

READER = Reader(Kinds())
DECISION = "memory/decisions/use-sqlite.md"
WORKFLOW = "workflow/release.md"
GOOD = """\
---
created_at: 2026-01-10T09:00:00Z
updated_at: 2026-01-10T09:00:00Z
status: open
sources: [{session_id: s1, range: [0, 12]}]
---
Body.
"""


@pytest.fixture(params=["as installed", "libyaml", "neither"])
def any_backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read through what is installed, through libyaml, and by the composer alone."""
    if request.param != "as installed":
        monkeypatch.setattr(cleanyaml, "_ryaml_loads", None)
    if request.param == "neither":
        monkeypatch.setattr(cleanyaml, "_LibYaml", None)


def decision(text: str) -> Record:
    return READER.read_text(DECISION, text)


def told(record: Record) -> list[tuple[str, int, int]]:
    """Return name, line and column of each problem, in the reader's order."""
    return [(p.name, *record.lines.place(p.span.start)) for p in record.problems]


@pytest.mark.usefixtures("any_backend")
def test_a_good_record_is_typed() -> None:
    record = decision(GOOD)
    nine = datetime(2026, 1, 10, 9, tzinfo=UTC)
    assert record.problems == ()
    assert record.data == Decision(
        created_at=nine, updated_at=nine, sources=(Source("s1", 0, 12),), status="open"
    )
    assert (record.slug, record.kind_name, record.body) == ("use-sqlite", "decision", "Body.\n")
    assert record.keys == {"created_at", "updated_at", "status", "sources"}
    assert record.raw("sources", 0, "range") == "[0, 12]"
    assert record.raw("status") == "open"


FILE_FAULTS = [
    pytest.param(b"", ("missing-frontmatter", 1, 1), id="empty file"),
    pytest.param(b"Body.\n", ("missing-frontmatter", 1, 1), id="no opener"),
    pytest.param(b"\n---\na: b\n---\n", ("missing-frontmatter", 1, 1), id="opener on line 2"),
    pytest.param(b"---\nstatus: open\n", ("unclosed-frontmatter", 1, 1), id="no closer"),
    pytest.param(b"\xef\xbb\xbf---\na: b\n", ("unclosed-frontmatter", 1, 2), id="BOM, no closer"),
    pytest.param(b"<<<<<<< ours\n---\n", ("merge-conflict-marker", 1, 1), id="conflict on line 1"),
    pytest.param(b"---\n- a\n---\n", ("frontmatter-not-a-mapping", 2, 1), id="a list"),
    pytest.param(b"---\nwords\n---\n", ("frontmatter-not-a-mapping", 2, 1), id="one text"),
    pytest.param(b"---\na: b: c\n---\n", ("yaml-syntax", 2, 5), id="colon in a value"),
    pytest.param(b"---\na: [b\n---\n", ("yaml-syntax", 2, 6), id="unclosed bracket"),
    pytest.param(b"---\na: b\n...\n---\n", ("yaml-syntax", 3, 1), id="document end"),
    pytest.param(b"---\na: &b c\n---\n", ("yaml-alias", 2, 4), id="anchor"),
    pytest.param(b"---\na: " + b"[" * 20 + b"\n---\n", ("yaml-too-deep", 2, 23), id="too deep"),
    pytest.param(b"---\na: \xff\n---\n", ("not-utf8", 2, 4), id="no UTF-8"),
    pytest.param(
        "---\na: é\n---\né\r\né".encode() + b"\xe9x", ("not-utf8", 5, 2), id="in the body"
    ),
    pytest.param(b"---\n---\n\xed\xa0\x80", ("not-utf8", 3, 1), id="encoded surrogate"),
    pytest.param(b"\xff\xfe-\x00-\x00-\x00", ("not-utf8", 1, 1), id="UTF-16"),
    pytest.param(b"---\n" + b"a" * MAX_BYTES, ("file-too-large", 1, 1), id="too large"),
    pytest.param(b"\xff" * (MAX_BYTES + 1), ("file-too-large", 1, 1), id="too large, no UTF-8"),
]


@pytest.mark.parametrize(("data", "expected"), FILE_FAULTS)
def test_a_fault_of_the_file_is_the_only_problem(
    data: bytes, expected: tuple[str, int, int]
) -> None:
    record = READER.read_bytes(DECISION, data)
    assert told(record) == [expected]
    assert record.values == {}
    assert record.data is None


def test_a_file_of_the_largest_size_is_read() -> None:
    data = GOOD.encode().ljust(MAX_BYTES, b"x")
    assert READER.read_bytes(DECISION, data).problems == ()


def test_a_wrong_byte_is_named_with_its_offset() -> None:
    (problem,) = READER.read_bytes(DECISION, "---\né".encode() + b"\xc3").problems
    assert problem.detail == "byte 0xc3 at offset 6"


def test_a_file_that_could_not_be_opened_is_a_record_with_one_problem() -> None:
    record = READER.unreadable(DECISION, "permission denied")
    assert [(p.name, p.detail) for p in record.problems] == [
        ("unreadable-file", "permission denied")
    ]
    assert (record.kind_name, record.body, record.references) == ("decision", "", ())


def test_a_missing_opener_names_a_later_one() -> None:
    (problem,) = decision("# Title\n\n---\na: b\n---\n").problems
    assert (problem.name, problem.detail) == ("missing-frontmatter", "3")


def test_what_stands_in_no_place_of_a_record_is_not_read() -> None:
    record = READER.read_text("memory/stray/a.md", "no frontmatter")
    assert (record.kind, record.problems, record.slug) == (None, (), "a")


_NO_FILE_HOLDS = {
    "surrogate": "\ud800",
    "escaped byte": "\udcff",
    "both": "\udcff\ud800",
    "in frontmatter": "---\na: \ud800\n---\n",
}


@pytest.mark.parametrize("text", _NO_FILE_HOLDS.values(), ids=_NO_FILE_HOLDS)
def test_a_text_that_no_file_can_hold_is_no_utf8(text: str) -> None:
    assert [name for name, _, _ in told(decision(text))] == ["not-utf8"]


def test_five_faults_are_five_problems_in_the_order_of_the_file() -> None:
    record = decision(
        "---\n"
        "created_at: 2026-02-30T09:00:00Z\n"
        "updated_at: 2026-01-10T09:00:00\n"
        "sttus: open\n"
        "status: closed\n"
        "sources: [{session_id: s1, range: [5, 2]}]\n"
        "---\n"
    )
    assert told(record) == [
        ("invalid-timestamp", 2, 13),
        ("timestamp-without-timezone", 3, 13),
        ("unknown-key", 4, 1),
        ("invalid-status", 5, 9),
        ("invalid-field", 6, 35),
    ]


def test_faults_of_every_layer_come_in_one_answer() -> None:
    record = decision(
        "\ufeff--- \n"
        "created_at:\t2026-01-10T09:00:00Z\n"
        "updated_at: yesterday\n"
        "id: x\n"
        "status: open\n"
        "status: open\n"
        "replaced_by: no\n"
        "sources\u00a0: [{session_id: a #b\n"
        "  , range: [0, 1]}]\n"
        "--- \n"
    )
    assert told(record) == [
        ("byte-order-mark", 1, 1),
        ("delimiter-trailing-space", 1, 5),
        ("tab-in-frontmatter", 2, 12),
        ("invalid-timestamp", 3, 13),
        ("identity-in-frontmatter", 4, 1),
        ("duplicate-key", 6, 1),
        ("ambiguous-scalar", 7, 14),
        ("invisible-character", 8, 8),
        ("value-truncated-by-comment", 8, 25),
        ("delimiter-trailing-space", 10, 4),
    ]


def test_every_missing_field_is_told_at_the_closing_line() -> None:
    record = decision("---\nstatus: open\n---\n")
    assert told(record) == [("missing-field", 3, 1)] * 3
    assert [p.subject for p in record.problems] == ["created_at", "updated_at", "sources"]


def test_empty_frontmatter_lacks_its_fields_and_nothing_else() -> None:
    record = decision("---\n---\n")
    assert [p.subject for p in record.problems] == ["created_at", "updated_at", "sources", "status"]
    assert {p.name for p in record.problems} == {"missing-field"}


@pytest.mark.usefixtures("any_backend")
@pytest.mark.parametrize("null", ["null", "~", "", "Null", "# why"])
class TestNull:
    def test_in_an_optional_field_it_is_absence(self, null: str) -> None:
        record = decision(GOOD.replace("status: open", f"status: open\nreplaced_by: {null}"))
        assert record.problems == ()
        assert "replaced_by" not in record.keys
        assert "replaced_by" not in record.values

    def test_in_a_required_field_it_is_one_problem(self, null: str) -> None:
        record = decision(GOOD.replace("status: open", f"status: {null}"))
        assert [(p.name, p.subject) for p in record.problems] == [("invalid-field", "status")]
        assert told(record)[0][1] == 4
        assert "status" not in record.keys


@pytest.mark.usefixtures("any_backend")
def test_fields_without_a_fault_survive_their_neighbours() -> None:
    record = decision(GOOD.replace("status: open", "status: opn"))
    assert told(record) == [("invalid-status", 4, 9)]
    assert record.values["sources"] == (Source("s1", 0, 12),)
    assert "status" not in record.values
    assert "status" in record.keys
    assert record.data is None


def test_a_list_with_one_bad_item_is_no_value() -> None:
    text = GOOD.replace("range: [0, 12]}", "range: [0, 12]}, {session_id: s2, range: [3, 1]}")
    record = decision(text)
    assert [(p.name, p.subject, p.raw) for p in record.problems] == [
        ("invalid-field", "sources[1].range", "[3, 1]")
    ]
    assert "sources" not in record.values


@pytest.mark.parametrize(
    ("value", "raw"),
    [
        pytest.param("PR #81, tests missing", "#81, tests missing", id="plain"),
        pytest.param("Fix it #urgent", "#urgent", id="hashtag"),
        pytest.param("[a #b\n  ]", "#b", id="in a list"),
    ],
)
def test_a_value_cut_by_a_comment_is_told(value: str, raw: str) -> None:
    record = READER.read_text(WORKFLOW, f"---\ndescription: d\nrequires: {value}\n---\n")
    cut = [p.raw for p in record.problems if p.name == "value-truncated-by-comment"]
    assert cut == [raw]


@pytest.mark.usefixtures("any_backend")
@pytest.mark.parametrize(
    "value",
    ["word # a comment", "'PR #81'", '"PR #81"', "PR#81", "word #", "|\n  PR #81", "[a, b] # c"],
)
def test_what_is_not_cut_is_not_told(value: str) -> None:
    record = READER.read_text(WORKFLOW, f"---\ndescription: {value}\n---\n")
    assert "value-truncated-by-comment" not in [p.name for p in record.problems]


def test_what_a_blank_made_of_the_text_is_not_told() -> None:
    record = READER.read_text(WORKFLOW, "---\ndescription: 'a\n\tb: c\n---\n")
    assert [name for name, _, _ in told(record)] == ["tab-in-frontmatter"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
def test_a_line_end_changes_no_place(end: str) -> None:
    text = GOOD.replace("status: open", "status: opn").replace("\n", end)
    assert told(decision(text)) == [("invalid-status", 4, 9)]


def test_places_count_code_points_behind_a_bom_and_wide_characters() -> None:
    text = "\ufeff---\ndescription: 🏴漢\nrequires: [🏴🏴, a, B]\n---\n"
    record = READER.read_text(WORKFLOW, text)
    assert told(record) == [
        ("byte-order-mark", 1, 1),
        ("invalid-field", 3, 12),
        ("invalid-field", 3, 19),
    ]


@dataclass(frozen=True, kw_only=True)
class Incident:
    """The fields of a plugin's kind."""

    title: str
    level: int = 0
    steps: Sequence[int] = ()
    found_on: date | None = None
    note: str | None = None
    extra: Any = None


class IncidentSchema(Schema):
    """A plugin's schema of marshmallow's own fields."""

    title = fields.String(required=True)
    level = fields.Integer(strict=True)
    steps = fields.List(fields.Integer())
    found_on = fields.Date()
    note = fields.String(allow_none=True)
    extra = fields.Raw()


INCIDENT = RecordKind("incident", IncidentSchema, Incident, ("incidents/<slug>.md",))
INCIDENTS = Reader(Kinds([*BUILTIN_KINDS, INCIDENT]))


def incident(frontmatter: str, reader: Reader = INCIDENTS) -> Record:
    return reader.read_text("incidents/outage.md", f"---\n{frontmatter}\n---\n")


@pytest.mark.usefixtures("any_backend")
class TestPluginKind:
    def test_its_fields_are_typed(self) -> None:
        record = incident("title: Outage\nlevel: 2\nsteps: [1, 2]\nfound_on: 2026-01-10")
        assert record.problems == ()
        assert record.data == Incident(
            title="Outage",
            level=2,
            steps=[1, 2],
            found_on=date(2026, 1, 10),
        )

    def test_what_marshmallow_says_is_told_at_its_place(self) -> None:
        record = incident("title: Outage\nlevel: x\nsteps: [1, y, 2, z]\nfound_on: 2026-02-30")
        assert [(p.subject, p.raw) for p in record.problems] == [
            ("level", "x"),
            ("steps[1]", "y"),
            ("steps[3]", "z"),
            ("found_on", "2026-02-30"),
        ]
        assert {p.name for p in record.problems} == {"invalid-field"}
        assert record.values == {"title": "Outage"}

    def test_its_missing_field_is_told(self) -> None:
        record = incident("level: 1")
        assert [(p.name, p.subject) for p in record.problems] == [("missing-field", "title")]

    def test_null_is_absence_also_where_its_schema_would_take_it(self) -> None:
        record = incident("title: Outage\nnote: null")
        assert record.values == {"title": "Outage"}
        assert record.keys == {"title"}

    def test_a_deep_value_is_refused_by_every_path(self) -> None:
        record = incident("title: Outage\nextra: " + "[" * 20 + "]" * 20)
        assert told(record) == [("yaml-too-deep", 3, 27)]


@pytest.mark.usefixtures("any_backend")
def test_the_limit_of_depth_holds_for_a_good_record_too() -> None:
    shallow = Reader(Kinds(), Limits(max_depth=3))
    record = shallow.read_text(DECISION, GOOD)
    assert told(record) == [("yaml-too-deep", 5, 35)]


def test_long_frontmatter_is_not_parsed_and_its_body_is_kept() -> None:
    text = GOOD.replace("---\nBody", f"#{'x' * MAX_FRONTMATTER}\n---\nSee #use-sqlite, body")
    record = decision(text)
    assert told(record) == [("file-too-large", 1, 1)]
    assert [reference.slug for reference in record.references] == ["use-sqlite"]
    assert record.values == {}
    assert record.span("status") == record.problems[0].span


def test_a_required_value_that_became_a_comment_says_so() -> None:
    (problem,) = decision(GOOD.replace("status: open", "status: #open")).problems
    assert (problem.name, problem.subject) == ("invalid-field", "status")
    assert "` #` begins a comment" in problem.detail


def test_the_limit_of_size_is_the_callers() -> None:
    small = Reader(Kinds(), Limits(max_bytes=len(GOOD) - 1))
    assert told(small.read_text(DECISION, GOOD)) == [("file-too-large", 1, 1)]


def _records() -> Iterator[Record]:
    for case in FILE_FAULTS:
        data = case.values[0]
        assert isinstance(data, bytes)
        yield READER.read_bytes(DECISION, data)


def test_a_record_of_a_broken_file_answers_everything() -> None:
    for record in _records():
        for span in (record.body_span, record.span("status"), record.key_span("status")):
            assert 0 <= span.start <= span.end <= len(record.text)
        assert (record.sources, record.invoked_by_model) == ((), False)
        assert record.references == ()
        assert not record.has_heading("Rationale")
