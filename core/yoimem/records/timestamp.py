"""RFC 3339 times, matched before they are parsed: `fromisoformat` takes far more than RFC 3339."""

import re
from datetime import datetime

_RFC3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt]((?:[01]\d|2[0-3]):\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:[0-5]\d)?",
    re.ASCII,
)


class MissingOffsetError(ValueError):
    """A time that is right but for the offset from UTC."""


def parse_timestamp(text: str) -> datetime:
    """Return the instant that `text` names, exact to the microsecond.

    A leap second counts as the second before it, since `datetime` has none.

    Raises:
        MissingOffsetError: the time has no offset.
        ValueError: `text` is no RFC 3339 time, or names no real date.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValueError("it is no RFC 3339 time")
    date, minutes, seconds, fraction, offset = match.groups()
    if offset == "Z" and fraction is None and seconds != "60":
        return _real(text)
    if seconds == "60":
        seconds = "59"
    digits = (fraction or ".0")[1:7].ljust(6, "0")
    zone = "+00:00" if offset in (None, "Z", "z") else offset
    moment = _real(f"{date}T{minutes}:{seconds}.{digits}{zone}")
    if offset is None:
        raise MissingOffsetError("the time has no offset")
    return moment


def _real(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError("there is no such date, time or offset") from error
