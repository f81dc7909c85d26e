"""The activity log: one definition that judges, and says to a model what it judges by."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimem.pipeline.activity import (
    ACTIVITY_SCHEMA,
    Activity,
    ActivityError,
    Attempt,
    Decision,
    activity_dict,
    parse_activity,
)

DECISION = {"options": ["SQLite", "files"], "chosen": "SQLite", "rationale": "One file."}
ATTEMPT = {"action": "ran it", "result": "it failed", "succeeded": False}
FULL: dict[str, Any] = {
    "decisions": [DECISION],
    "discussions": [{"topic": "locks", "points": ["slow", "safe"]}],
    "attempts": [ATTEMPT],
    "requests": [{"intent": "speed", "target": "search", "summary": "make it fast"}],
}
EMPTY: dict[str, Any] = {name: [] for name in FULL}

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON = st.recursive(
    SCALARS,
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from([*FULL, *DECISION, *ATTEMPT, "source"]) | st.text(), below
        )
    ),
    max_leaves=12,
)


@st.composite
def nearly_right(draw: st.DrawFn) -> Any:
    """Return an activity log in which one value was put in the place of another."""
    value = json.loads(json.dumps(FULL))
    kind = draw(st.sampled_from(list(FULL)))
    if draw(st.booleans()):
        value[kind] = draw(JSON)
        return value
    item = value[kind][0]
    name = draw(st.sampled_from([*item, "source"]))
    if draw(st.booleans()):
        item[name] = draw(JSON)
    else:
        item.pop(name, None)
    return value


def is_accepted(value: object) -> bool:
    try:
        parse_activity(value)
    except ActivityError:
        return False
    return True


def test_what_is_read_is_what_is_written() -> None:
    activity = parse_activity(FULL)
    assert activity.decisions == (Decision(("SQLite", "files"), "SQLite", "One file."),)
    assert activity.attempts == (Attempt("ran it", "it failed", succeeded=False),)
    assert activity_dict(activity) == FULL
    assert activity.counts == {"decisions": 1, "discussions": 1, "attempts": 1, "requests": 1}


def test_nothing_is_a_good_answer() -> None:
    assert parse_activity(EMPTY) == Activity()
    assert parse_activity(EMPTY).is_empty


@pytest.mark.parametrize("given", [{}, {"decisions": [], "attempts": []}, {"requests": [{}]}])
def test_each_list_that_is_missing_is_a_fault(given: dict[str, Any]) -> None:
    with pytest.raises(ActivityError) as caught:
        parse_activity(given)
    missing = [fault for fault in caught.value.faults if fault.endswith("where there is none")]
    assert missing == [
        f"`{name}` is missing: give an empty list where there is none"
        for name in FULL
        if name not in given
    ]


def test_every_fault_is_named_with_its_place() -> None:
    value = {
        **EMPTY,
        "decisions": [{**DECISION, "options": "SQLite", "why": 1}, {}, None],
        "attempts": [{**ATTEMPT, "succeeded": "yes", "action": " "}],
        "source": {"session_id": "s1", "range": [0, 1]},
    }
    with pytest.raises(ActivityError) as caught:
        parse_activity(value)
    assert set(caught.value.faults) == {
        "`decisions[0].options` takes a list of texts",
        "`decisions[0].why` is no part of an activity log",
        "`decisions[1].options` is missing",
        "`decisions[1].chosen` is missing",
        "`decisions[1].rationale` is missing",
        "`decisions[2]` must not be null",
        "`attempts[0].succeeded` takes true or false, not a text",
        "`attempts[0].action` must say something",
        "`source` is no part of an activity log",
    }


def test_a_flood_of_faults_is_cut() -> None:
    with pytest.raises(ActivityError) as caught:
        parse_activity({**EMPTY, "decisions": [{}] * 1_000, "x" * 10_000: 1})
    assert len(str(caught.value)) < 3_000
    assert caught.value.faults[-1] == "and 2971 more faults"


def test_half_of_a_surrogate_pair_becomes_writable() -> None:
    given = {**EMPTY, "decisions": [{**DECISION, "chosen": "a\ud800b"}]}
    (decision,) = parse_activity(given).decisions
    assert decision.chosen == "a?b"


@given(JSON | nearly_right())
def test_the_schema_and_the_judge_agree(value: Any) -> None:
    """Save for one thing: blanks say as little as nothing does."""
    fits = not list(jsonschema.Draft202012Validator(ACTIVITY_SCHEMA).iter_errors(value))
    if is_accepted(value):
        assert fits
        assert activity_dict(parse_activity(value)) == json.loads(json.dumps(value))
    elif fits:
        with pytest.raises(ActivityError, match="must say something"):
            parse_activity(value)
