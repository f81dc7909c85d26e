"""The figures of use, against tables that were computed by hand.

A frequency is invokes x 1,000,000 / (now - place of the oldest), and the stretch is at least
100,000 tokens unless a test says otherwise.
"""

import random
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recall.usage_events import (
    A,
    B,
    exposure,
    history_of,
    invoke,
    lines,
    put,
    spent,
)
from yoimem.lint.settings import UsageSettings
from yoimem.recall.usage import Usage, UsageLog, Use, measure

MILLION = 1_000_000


@pytest.fixture
def use_of(tmp_path: Path) -> Any:
    """Return what measures a list of events, in a memory of its own."""

    def measured(events: list[dict[str, Any]], **settings: Any) -> Usage:
        return measure(history_of(tmp_path, events), UsageSettings(**settings))

    return measured


def in_turns(sessions: str, tokens: int) -> list[dict[str, Any]]:
    """Make an invoke by each of `sessions` in turn (`-` for none), `tokens` spent after each."""
    return [
        event
        for session in sessions
        for event in (invoke(None if session == "-" else session), spent(tokens))
    ]


@pytest.mark.parametrize(
    ("sessions", "tokens", "invokes", "of_sessions", "frequency"),
    [
        # One read, and 500,000 tokens since: 1 in half a million.
        ("A", 500_000, 1, 1, 2.0),
        # Three in a row by one session are one, at the place of the first: 1 in 1.5 million.
        ("AAA", 500_000, 1, 1, MILLION / 1_500_000),
        # A, A, B, A: the reads at 0, 1.0 and 1.5 million count, it is 2.0 million now: 3 in 2.
        ("AABA", 500_000, 3, 2, 1.5),
        # Without a session: one session of its own. Those at 0, 0.4 and 0.6 count, of 1.0 million.
        ("--A--", 200_000, 3, 2, 3.0),
        # Exactly ten, at 0, 0.1 … 0.9 million, of 1.0: 10 in 1.
        ("ABABABABAB", 100_000, 10, 2, 10.0),
        # The eleventh pushes the first out: ten since 0.1 million, of 1.1: 10 in 1.
        ("ABABABABABA", 100_000, 11, 2, 10.0),
        # Eleven, the first of them by another session and long ago: it is not in the window.
        ("CABABABABAB", 100_000, 11, 2, 10.0),
        # Ten are kept of twelve: since 0.4 million of 2.4: 10 in 2.
        ("ABABABABABAB", 200_000, 12, 2, 5.0),
    ],
)  # fmt: skip
def test_frequency(
    sessions: str, tokens: int, invokes: int, of_sessions: int, frequency: float, use_of: Any
) -> None:
    usage = use_of(in_turns(sessions, tokens))
    assert usage.now == len(sessions) * tokens
    assert usage.uses == {A: Use(A, 50, invokes, of_sessions, frequency)}


def test_eleven_differ_from_ten_where_the_first_was_long_ago(use_of: Any) -> None:
    # At 0, then ten from 1.0 to 1.9 million, of 2.0. With ten: 10 in 1; with eleven: 11 in 2.
    events = [invoke("Z"), spent(MILLION), *in_turns("ABABABABAB", 100_000)]
    assert use_of(events).of(A).frequency == 10.0
    assert use_of(events, max_invokes=11).of(A).frequency == 5.5


def test_a_run_is_one_record_s_own(use_of: Any) -> None:
    # Session s reads A, B, A: what it reads of B does not part its two reads of A.
    events = [invoke("s"), invoke("s", B), invoke("s"), spent(MILLION)]
    usage = use_of(events)
    assert (usage.of(A).invokes, usage.of(B).invokes) == (1, 1)


def test_without_tokens_nothing_can_be_said(use_of: Any) -> None:
    usage = use_of([invoke("a"), invoke("b"), invoke("c")])
    assert usage.now is None
    assert usage.of(A) == Use(A, 50, invokes=3, sessions=3, frequency=None)
    assert usage.of(B).frequency is None
    assert usage.candidates([A, B]) == usage.protected([A, B]) == ()


def test_events_of_no_tokens_tell_no_time(use_of: Any) -> None:
    usage = use_of([invoke("a"), invoke("b"), spent(0)])
    assert (usage.now, usage.of(A).frequency) == (None, None)


def test_nothing_recorded_is_no_use(tmp_path: Path) -> None:
    usage = measure(UsageLog(tmp_path).history(), UsageSettings())
    assert (usage.now, usage.uses, usage.of(A)) == (None, {}, Use(A))


def test_one_read_right_after_the_first_tokens(use_of: Any) -> None:
    # The stretch is 0 tokens long, and counts as the least of 100,000: 1 in 0.1 million.
    usage = use_of([spent(20_000), invoke()])
    assert (usage.now, usage.of(A).frequency) == (20_000, 10.0)


@pytest.mark.parametrize(
    ("since", "frequency"),
    # The least stretch is 100,000 tokens: below it two reads are 2 in 0.1 million.
    [(1, 20.0), (99_999, 20.0), (100_000, 20.0), (125_000, 16.0), (200_000, 10.0)],
)
def test_the_least_stretch(since: int, frequency: float, use_of: Any) -> None:
    events = [spent(MILLION), invoke("a"), invoke("b"), spent(since)]
    assert use_of(events).of(A).frequency == frequency


def test_the_least_stretch_can_be_set(use_of: Any) -> None:
    events = [invoke(), spent(10)]
    assert use_of(events, min_window=10).of(A).frequency == 100_000.0


def test_what_the_consolidator_reads_does_not_count(use_of: Any) -> None:
    # It counts neither by itself, nor as what parts two reads of session s.
    own = invoke(None, actor="consolidator", tokens=70)
    usage = use_of([invoke("s"), own, invoke("s"), own, spent(MILLION)])
    assert usage.of(A) == Use(A, 70, 1, 1, 1.0)


def test_a_person_s_reads_count(use_of: Any) -> None:
    assert use_of([invoke(None, actor="human"), spent(MILLION)]).of(A).invokes == 1


def test_an_event_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    read, tokens, other = lines([invoke("a"), spent(MILLION), invoke("b")])
    put(tmp_path, f"{read}\n{tokens}\n{read}\n{other}\n{tokens}\n{read}\n")
    history = UsageLog(tmp_path).history()
    usage = measure(history, UsageSettings())
    # a at 0, b at 1.0 million, of 1.0: 2 in 1. Twice the tokens would be 1 in 1.
    assert (usage.now, usage.of(A).frequency, usage.of(A).invokes) == (MILLION, 2.0, 2)
    assert history.faults == ()


def test_a_record_that_is_deleted_and_made_again_goes_on(use_of: Any) -> None:
    # Read at 0, deleted, made again with more text, read at 1.0 million, of 2.0: 2 in 2.
    events = [invoke("a"), spent(MILLION), invoke("b", tokens=90), spent(MILLION)]
    assert use_of(events).of(A) == Use(A, 90, 2, 2, 1.0)


def test_a_record_that_is_not_there_is_no_candidate(use_of: Any) -> None:
    usage = use_of([*in_turns("ab", 1000), invoke("a", B), invoke("b", B)])
    assert [use.path for use in usage.candidates([B])] == [B]
    assert usage.candidates([]) == usage.protected([]) == ()


@pytest.mark.parametrize(
    ("tokens", "is_chosen"),
    # Two reads by two sessions, at 0 and at the first tokens: 2 in 2 x tokens.
    [(999_999, True), (MILLION, True), (1_000_001, False)],
)
def test_the_bounds_count_as_reached(tokens: int, is_chosen: bool, use_of: Any) -> None:
    usage = use_of(in_turns("ab", tokens))
    assert [use.path for use in usage.candidates([A])] == [A] * is_chosen
    assert [use.path for use in usage.protected([A])] == [A] * is_chosen


def test_the_bounds_can_be_set_apart(use_of: Any) -> None:
    usage = use_of(in_turns("ab", MILLION), candidate=1.1, protect=0.9)
    assert (usage.candidates([A]), len(usage.protected([A]))) == ((), 1)


def test_one_session_makes_no_candidate_but_protects(use_of: Any) -> None:
    usage = use_of(in_turns("aa", 1000))
    assert (usage.candidates([A]), len(usage.protected([A]))) == ((), 1)
    one_is_enough = use_of(in_turns("aa", 1000), candidate_sessions=1)
    assert len(one_is_enough.candidates([A])) == 1


def test_sessions_are_counted_over_the_last_invokes(use_of: Any) -> None:
    # Of a, b and then c and none in turns, the last two are of two sessions.
    assert use_of(in_turns("abc-c-", 1000), max_invokes=2).of(A).sessions == 2
    assert use_of(in_turns("abc-c-", 1000)).of(A).sessions == 4


def test_the_most_used_come_first(use_of: Any) -> None:
    often = [invoke("a", B), invoke("b", B), invoke("a", B)]
    usage = use_of([*in_turns("ab", 1000), *often])
    assert [use.path for use in usage.candidates([A, B, A])] == [B, A]


def test_what_a_record_costs_and_how_much_it_is_used_for_that(use_of: Any) -> None:
    # Shown four times at 50 tokens, and twice at 100: 400 tokens. Two reads: 5,000 in a million.
    events = [*[exposure()] * 4, *[exposure(tokens=100)] * 2, invoke("a"), invoke("b")]
    usage = use_of([*events, exposure(B, 0)])
    assert usage.of(A) == Use(A, 50, 2, 2, None, 6, 400, 5000.0)
    assert usage.of(B) == Use(B, exposures=1)


def test_being_shown_is_no_use(use_of: Any) -> None:
    # Nor does it tell the record's own size: what is shown of one is its description.
    usage = use_of([*[exposure()] * 20, spent(MILLION)])
    assert usage.of(A) == Use(A, 0, 0, 0, 0.0, 20, 1000, 0.0)
    assert usage.protected([A]) == ()


PATHS = st.sampled_from([A, B])
SESSIONS = st.sampled_from(["a", "b", None])
EVENTS = st.lists(
    st.builds(invoke, SESSIONS, PATHS, st.sampled_from(["agent", "consolidator"]))
    | st.builds(exposure, PATHS, st.integers(0, 1000))
    | st.builds(spent, st.integers(0, 10**6)),
    max_size=30,
)


@given(EVENTS, st.randoms(use_true_random=False))
def test_the_order_of_lines_means_nothing(
    tmp_path_factory: pytest.TempPathFactory, events: list[dict[str, Any]], rng: random.Random
) -> None:
    root = tmp_path_factory.mktemp("root")
    straight = history_of(root, events)
    shuffled = lines(events) * 2
    rng.shuffle(shuffled)
    put(root, "\n".join(shuffled))
    merged = UsageLog(root).history()
    assert (merged.events, merged.faults) == (straight.events, ())
    assert measure(merged, UsageSettings()) == measure(straight, UsageSettings())


@given(EVENTS)
def test_no_record_is_read_more_often_than_it_was(
    tmp_path_factory: pytest.TempPathFactory, events: list[dict[str, Any]]
) -> None:
    usage = measure(history_of(tmp_path_factory.mktemp("root"), events), UsageSettings())
    for path in (A, B):
        use = usage.of(path)
        reads = [e for e in events if e["type"] == "invoke" and e["records"][0]["path"] == path]
        assert use.sessions <= use.invokes <= len(reads)
        assert use.frequency is None or 0 <= use.frequency <= 100.0  # 10 in the least stretch


def test_of_events_with_one_id_the_same_counts_in_any_order_and_the_others_are_told(
    tmp_path: Path,
) -> None:
    counts, *others = (lines([spent(tokens)])[0] for tokens in (5, 7, 9))
    for order in permutations([counts, *others, "no event"]):
        put(tmp_path, "".join(f"{line}\n" for line in order))
        history = UsageLog(tmp_path).history()
        assert [event.tokens for event in history.events] == [5]
        told = [int(fault.split(":")[1]) for fault in history.faults]
        assert told == [number for number, line in enumerate(order, 1) if line != counts]
        assert sum("another event with the same `id` counts" in f for f in history.faults) == 2
