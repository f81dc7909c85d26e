"""The kinds: which path belongs to which, and what their fields take."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from marshmallow import Schema, ValidationError

from yoimem.records.faults import Fault
from yoimem.records.fields import MAX_INDEX, Choice, Source, Text
from yoimem.records.kinds import (
    BUILTIN_KINDS,
    DECISION,
    KNOWLEDGE,
    REQUEST,
    SUMMARY,
    WORKFLOW,
    Decision,
    DecisionSchema,
    Kinds,
    RecordKind,
)
from yoimem.records.scalars import AmbiguousText

NOW = "2026-01-10T09:00:00Z"
TIMES = {"created_at": NOW, "updated_at": NOW}
KNOWN: dict[str, dict[str, Any]] = {
    "summary": {"updated_at": NOW},
    "decision": {**TIMES, "sources": [], "status": "open"},
    "request": {**TIMES, "sources": []},
    "knowledge": {
        **TIMES,
        "last_sources": [],
        "kind": "guide",
        "description": "How.",
        "model_invokation": True,
        "user_invocable": False,
    },
    "workflow": {"description": "How."},
}


def values_of(kind: RecordKind, **changed: object) -> Mapping[str, Any]:
    values: Mapping[str, Any] = kind.loader.load({**KNOWN[kind.name], **changed})
    return values


def faults_of(kind: RecordKind, **changed: object) -> list[tuple[str, tuple[str | int, ...], str]]:
    """Return name, path and rule of each fault of the kind's fields."""
    with pytest.raises(ValidationError) as caught:
        values_of(kind, **changed)
    return [
        (fault.name, (field, *fault.path), fault.detail)
        for field, faults in caught.value.messages_dict.items()
        for fault in faults
        if isinstance(fault, Fault)
    ]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("memory/summary.md", SUMMARY),
        ("memory/decisions/a.md", DECISION),
        ("memory/requests/a.md", REQUEST),
        ("knowledge/a.md", KNOWLEDGE),
        ("workflow/a.md", WORKFLOW),
        ("memory/workflow/a.md", WORKFLOW),
        ("memory/other.md", None),
        ("memory/decisions/a/b.md", None),
        ("memory/decisions.md", None),
        ("knowledge/a/b.md", None),
        ("knowledge/a.MD", None),
        ("knowledge/a.txt", None),
        ("Knowledge/a.md", None),
        ("summary.md", None),
        ("a.md", None),
        ("", None),
    ],
)
def test_a_path_belongs_to_a_kind(path: str, kind: RecordKind | None) -> None:
    assert Kinds().of(path) is kind


@pytest.mark.parametrize("kind", BUILTIN_KINDS, ids=lambda kind: str(kind.name))
def test_the_least_that_a_kind_needs_makes_its_data(kind: RecordKind) -> None:
    data = kind.data(**values_of(kind))
    assert isinstance(data, kind.data)


@pytest.mark.parametrize(
    ("kind", "required"),
    [(kind, name) for kind in BUILTIN_KINDS for name in KNOWN[kind.name]],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_nothing_less_will_do(kind: RecordKind, required: str) -> None:
    less = {name: value for name, value in KNOWN[kind.name].items() if name != required}
    with pytest.raises(ValidationError) as caught:
        kind.loader.load(less)
    assert list(caught.value.messages_dict) == [required]


def test_a_decision_is_typed() -> None:
    given = {"sources": [{"session_id": "s1", "range": [0, 12]}], "replaced_by": "b"}
    nine = datetime(2026, 1, 10, 9, tzinfo=UTC)
    assert Decision(**values_of(DECISION, status="replaced", **given)) == Decision(
        created_at=nine,
        updated_at=nine,
        sources=(Source("s1", 0, 12),),
        status="replaced",
        replaced_by="b",
    )


def test_a_workflow_is_sparing_by_default() -> None:
    workflow = WORKFLOW.data(**values_of(WORKFLOW))
    assert (workflow.model_invokation, workflow.user_invocable, workflow.requires) == (
        False,
        True,
        (),
    )


_NOT_TEXT = [
    pytest.param("", "it is empty", "invalid-field", id="empty"),
    pytest.param("\u3000 \n", "it is empty", "invalid-field", id="blanks"),
    pytest.param(["a"], "it is a list", "invalid-field", id="list"),
    pytest.param({"a": "b"}, "it is a mapping", "invalid-field", id="mapping"),
    pytest.param(12, "without quotes it is not surely text", "ambiguous-scalar", id="number"),
    pytest.param(True, "without quotes it is not surely text", "ambiguous-scalar", id="boolean"),
    pytest.param(
        AmbiguousText("no"), "without quotes it is not surely text", "ambiguous-scalar", id="no"
    ),
]


@pytest.mark.parametrize(("value", "detail", "name"), _NOT_TEXT)
def test_a_text_field_takes_text_alone(value: object, detail: str, name: str) -> None:
    assert faults_of(KNOWLEDGE, description=value) == [(name, ("description",), detail)]


@pytest.mark.parametrize("value", ["true", "yes", 1, 0, "1", [], AmbiguousText("yes")], ids=repr)
def test_a_flag_takes_true_and_false_alone(value: object) -> None:
    ((name, path, _),) = faults_of(KNOWLEDGE, model_invokation=value)
    assert (name, path) == ("invalid-field", ("model_invokation",))


@pytest.mark.parametrize("value", ["Open", "done", "", 1, True, ["open"]], ids=repr)
def test_a_status_is_one_of_three(value: object) -> None:
    assert faults_of(DECISION, status=value) == [("invalid-status", ("status",), "")]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("2026-01-10", "invalid-timestamp"),
        (20260110, "invalid-timestamp"),
        ([NOW], "invalid-timestamp"),
        ("2026-01-10T09:00:00", "timestamp-without-timezone"),
    ],
    ids=repr,
)
def test_a_time_needs_its_form_and_its_offset(value: object, name: str) -> None:
    assert [found[:2] for found in faults_of(DECISION, created_at=value)] == [
        (name, ("created_at",))
    ]


@pytest.mark.parametrize(
    ("sources", "places"),
    [
        pytest.param("s1", [()], id="a text"),
        pytest.param({"session_id": "s", "range": [0, 1]}, [()], id="one source, no list"),
        pytest.param(["s1"], [(0,)], id="a list of texts"),
        pytest.param([{}], [(0,), (0,)], id="both keys missing"),
        pytest.param([{"session_id": "s"}], [(0,)], id="range missing"),
        pytest.param([{"session_id": "", "range": [0, 1]}], [(0, "session_id")], id="empty id"),
        pytest.param([{"session_id": "s", "range": [1, 0]}], [(0, "range")], id="backwards"),
        pytest.param([{"session_id": "s", "range": [-1, 0]}], [(0, "range")], id="negative"),
        pytest.param([{"session_id": "s", "range": [0]}], [(0, "range")], id="one number"),
        pytest.param([{"session_id": "s", "range": [0, 1, 2]}], [(0, "range")], id="three"),
        pytest.param([{"session_id": "s", "range": "0-1"}], [(0, "range")], id="text range"),
        pytest.param([{"session_id": "s", "range": [True, 1]}], [(0, "range")], id="boolean"),
        pytest.param(
            [{"session_id": "s", "range": [0, MAX_INDEX + 1]}], [(0, "range")], id="beyond u64"
        ),
        pytest.param(
            [{"session_id": "s", "range": [0, 1], "note": "x"}], [(0, "note")], id="unknown key"
        ),
        pytest.param(
            [
                {"session_id": "s", "range": [1, 0]},
                {"session_id": "s", "range": [0, 0]},
                {"session_id": [], "range": {}},
            ],
            [(0, "range"), (2, "session_id"), (2, "range")],
            id="every fault of every source",
        ),
    ],
)
def test_a_source_names_a_session_and_a_range(
    sources: object, places: list[tuple[str | int, ...]]
) -> None:
    found = faults_of(DECISION, sources=sources)
    assert [(name, path) for name, path, _ in found] == [
        ("invalid-field", ("sources", *place)) for place in places
    ]


@pytest.mark.parametrize("session_id", [7, AmbiguousText("019e12345678")], ids=repr)
def test_the_id_of_a_session_is_surely_text(session_id: object) -> None:
    found = faults_of(DECISION, sources=[{"session_id": session_id, "range": [0, 1]}])
    assert [place[:2] for place in found] == [("ambiguous-scalar", ("sources", 0, "session_id"))]


def test_the_largest_range_is_taken() -> None:
    values = values_of(DECISION, sources=[{"session_id": "s", "range": [MAX_INDEX, MAX_INDEX]}])
    assert values["sources"] == (Source("s", MAX_INDEX, MAX_INDEX),)


def test_each_slug_of_a_list_is_judged() -> None:
    found = faults_of(WORKFLOW, requires=["a", "B", "c--d", 7, AmbiguousText("no"), "e"])
    assert [(name, path) for name, path, _ in found] == [
        ("invalid-field", ("requires", 1)),
        ("invalid-field", ("requires", 2)),
        ("ambiguous-scalar", ("requires", 3)),
        ("ambiguous-scalar", ("requires", 4)),
    ]


def test_the_older_name_may_repeat_but_not_contradict() -> None:
    assert values_of(WORKFLOW, auto_invoke=True, model_invokation=True)
    assert values_of(WORKFLOW, auto_invoke=True)
    ((name, path, detail),) = faults_of(WORKFLOW, auto_invoke=True, model_invokation=False)
    assert (name, path) == ("invalid-field", ("auto_invoke",))
    assert "model_invokation" in detail


@pytest.mark.parametrize(
    "place",
    [
        "incident.md",
        "incidents/<slug>",
        "incidents/x-<slug>.md",
        "/incidents/<slug>.md",
        "memory/_incidents/<slug>.md",
        ".hidden/<slug>.md",
        "a//<slug>.md",
        "..\\<slug>.md",
        "../<slug>.md",
    ],
)
def test_a_place_outside_the_folders_of_records_is_refused(place: str) -> None:
    kind = RecordKind("incident", DecisionSchema, Decision, (place,))
    with pytest.raises(ValueError, match="incident"):
        Kinds([kind])


def test_two_kinds_may_not_share_a_place() -> None:
    kind = RecordKind("incident", DecisionSchema, Decision, ("memory/decisions/<slug>.md",))
    with pytest.raises(ValueError, match="`decision` and `incident` share"):
        Kinds([*BUILTIN_KINDS, kind])


def test_the_folder_of_a_new_kind_is_walked() -> None:
    kind = RecordKind("incident", DecisionSchema, Decision, ("incidents/<slug>.md",))
    kinds = Kinds([*BUILTIN_KINDS, kind])
    assert kinds.folders == {"memory", "knowledge", "workflow", "incidents"}
    assert kinds.of("incidents/a.md") is kind


class TicketSchema(Schema):
    """The schema of a kind that a plugin adds."""

    status = Choice("open", "done")
    team = Text()


def test_what_a_field_may_hold_is_gathered_from_all_kinds() -> None:
    assert Kinds().choices("status") == ("open", "resolved", "replaced")
    ticket = RecordKind("ticket", TicketSchema, Decision, ("tickets/<slug>.md",))
    kinds = Kinds([*BUILTIN_KINDS, ticket])
    assert kinds.choices("status") == ("open", "resolved", "replaced", "done")
    assert kinds.choices("team") == kinds.choices("nowhere") == ()
