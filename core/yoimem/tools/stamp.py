"""Stamping a record with the real time, as an edit of its text: models invent times."""

import re
from dataclasses import replace
from datetime import UTC, datetime

from yoimem.lint.report import Report
from yoimem.records.composer import Mapping, Node, Scalar
from yoimem.records.record import Record
from yoimem.records.text import LineIndex, Place, Span


def stamp(record: Record, now: datetime, *, created: bool) -> str:
    """Return the text of `record` with `updated_at`, and `created_at` if it is `created`, as `now`.

    A required time that is missing is added below the other fields. Text that cannot be read, and a
    time whose place takes no plain value, stays as it is: the rules say what is wrong with it.
    """
    root, frame, kind = record.composition.root, record.frame, record.kind
    if root is None or frame is None or kind is None:
        return record.text
    moment = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    indent = _indent(record, root)
    edits: list[tuple[Span, str]] = []
    for key in ("created_at", "updated_at") if created else ("updated_at",):
        if key not in kind.times:
            continue
        if key in root.entries:
            _, value = root.entries[key]
            edits += _replacing(record, value, moment)
        elif kind.fields[key].required and indent is not None:
            at = Span(frame.closer.start, frame.closer.start)
            edits.append((at, f"{indent}{key}: {moment}{_line_end(record)}"))
    text = record.text
    for span, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text


def as_given(report: Report, record: Record, stamped: str) -> Report:
    """Return a `report` on the `stamped` text of `record` with the lines of the text as given.

    Whoever gave the text cannot know of lines that the stamp added.
    """
    added = len(LineIndex(stamped)) - len(record.lines)
    if not added or record.frame is None:
        return report
    closer = record.lines.place(record.frame.closer.start).line

    def moved(place: Place) -> Place:
        return (
            place if place.line < closer else place._replace(line=max(closer, place.line - added))
        )

    diagnostics = (
        replace(d, start=moved(d.start), end=moved(d.end)) if d.path == record.path else d
        for d in report.diagnostics
    )
    return replace(report, diagnostics=tuple(diagnostics))


def _replacing(record: Record, value: Node, moment: str) -> list[tuple[Span, str]]:
    """Return the edit that puts `moment` in the place of `value`; none where it would not fit."""
    if not isinstance(value, Scalar):
        return []
    start, end = value.span
    if start == end:
        follows_colon = record.text[:start].endswith(":")
        return [(value.span, f" {moment}")] if follows_colon else []
    # The span of a block scalar goes on to the next field, over the line end between the two.
    written = record.text[start:end].rstrip()
    # Line ends stay, so that every other line keeps its number.
    line_ends = re.sub(r"[^\r\n]+", "", written)
    return [(Span(start, start + len(written)), moment + line_ends)]


def _indent(record: Record, root: Mapping) -> str | None:
    """Return what stands before each field; None where fields are not lines of their own."""
    first = min((key.span.start for key, _ in root.entries.values()), default=None)
    if first is None:
        return None
    line = record.lines.span(record.lines.place(first).line)
    before = record.text[line.start : first]
    return before if not before.strip(" ") else None


def _line_end(record: Record) -> str:
    """Return the line end that the opening line has."""
    first = record.lines.span(1)
    return record.text[first.end : record.lines.span(2).start]
