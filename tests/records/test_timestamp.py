"""Which texts are RFC 3339 times, and which instants they name."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yoimem.records.timestamp import MissingOffsetError, parse_timestamp

_NINE = datetime(2026, 1, 10, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-01-10T09:00:00Z", _NINE),
        ("2026-01-10t09:00:00z", _NINE),
        ("2026-01-10T18:00:00+09:00", _NINE),
        ("2026-01-10T03:30:00-05:30", _NINE),
        ("2026-01-10T09:00:00-00:00", _NINE),
        ("2026-01-10T09:00:00.25Z", _NINE.replace(microsecond=250_000)),
        ("2026-01-10T09:00:00.123456789Z", _NINE.replace(microsecond=123_456)),
        ("2026-01-10T09:00:00.000000999Z", _NINE),
        ("2024-02-29T00:00:00Z", datetime(2024, 2, 29, tzinfo=UTC)),
        ("2016-12-31T23:59:60Z", datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_a_time_is_read(text: str, instant: datetime) -> None:
    assert parse_timestamp(text) == instant


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2026-02-30T09:00:00Z", id="no such day"),
        pytest.param("2025-02-29T09:00:00Z", id="no leap year"),
        pytest.param("2026-13-01T09:00:00Z", id="no such month"),
        pytest.param("0000-01-01T09:00:00Z", id="year 0"),
        pytest.param("2026-01-10T24:00:00Z", id="hour 24"),
        pytest.param("2026-01-10T09:60:00Z", id="minute 60"),
        pytest.param("2026-01-10T09:00:61Z", id="second 61"),
        pytest.param("2026-01-10T09:00:00+24:00", id="offset of a day"),
        pytest.param("2026-01-10T09:00:00+05:60", id="offset minute 60"),
        pytest.param("2026-01-10T09:00:00+0900", id="offset without colon"),
        pytest.param("2026-01-10T09:00:00+09", id="offset without minutes"),
        pytest.param("2026-01-10T09Z", id="hour alone"),
        pytest.param("2026-01-10T09:00Z", id="no seconds"),
        pytest.param("2026-01-10 09:00:00Z", id="blank for T"),
        pytest.param("2026-01-10", id="date alone"),
        pytest.param("2026-W02-6T09:00:00Z", id="week date"),
        pytest.param("20260110T090000Z", id="basic form"),
        pytest.param("2026-01-10T09:00:00,5Z", id="comma"),
        pytest.param("2026-01-10T09:00:00.Z", id="no digit after the point"),
        pytest.param("2026-01-10T09:00:00Z\n", id="line end behind"),
        pytest.param(" 2026-01-10T09:00:00Z", id="blank before"),
        pytest.param("２026-01-10T09:00:00Z", id="full-width digit"),
        pytest.param("1767949200", id="epoch"),
        pytest.param("yesterday", id="word"),
        pytest.param("", id="empty"),
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is datetime's own
        parse_timestamp(text)
    assert not isinstance(caught.value, MissingOffsetError)


@pytest.mark.parametrize("text", ["2026-01-10T09:00:00", "2026-01-10T09:00:00.5"])
def test_a_time_without_an_offset_is_told_apart(text: str) -> None:
    with pytest.raises(MissingOffsetError):
        parse_timestamp(text)


def test_a_wrong_day_without_an_offset_is_a_wrong_day() -> None:
    with pytest.raises(ValueError, match="no such date") as caught:
        parse_timestamp("2026-02-30T09:00:00")
    assert not isinstance(caught.value, MissingOffsetError)


_OFFSETS = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(timezones=_OFFSETS))
def test_what_isoformat_writes_is_read_back(moment: datetime) -> None:
    assert parse_timestamp(moment.isoformat()) == moment
