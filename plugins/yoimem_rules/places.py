"""Places that several rules point at."""

from yoimem import Record, Span


def first_body_line(record: Record) -> Span:
    """Return the span of the first line of the body."""
    start = record.body_span.start
    return record.lines.span(record.lines.place(start).line)
