"""Stamping a record with the real time, as an edit of its text: models invent times."""

from datetime import UTC, datetime

from yoimem.records.composer import Scalar
from yoimem.records.record import Record
from yoimem.records.text import Span


def stamp(record: Record, now: datetime, *, created: bool) -> str:
    """Return the text of `record` with `updated_at`, and `created_at` if it is `created`, as `now`.

    A required time that is missing is added below the other fields. Text that cannot be read is
    returned as it is: the rules say what is wrong with it.
    """
    root, frame, kind = record.composition.root, record.frame, record.kind
    if root is None or frame is None or kind is None:
        return record.text
    moment = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    edits: list[tuple[Span, str]] = []
    for key in ("created_at", "updated_at") if created else ("updated_at",):
        if key not in kind.times:
            continue
        if key in root.entries:
            _, value = root.entries[key]
            if isinstance(value, Scalar):
                blank = "" if value.text else " "
                edits.append((value.span, blank + moment))
        elif kind.fields[key].required:
            at = Span(frame.closer.start, frame.closer.start)
            edits.append((at, f"{key}: {moment}{_line_end(record)}"))
    text = record.text
    for span, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text


def _line_end(record: Record) -> str:
    """Return the line end that the opening line has."""
    first = record.lines.span(1)
    return record.text[first.end : record.lines.span(2).start]
