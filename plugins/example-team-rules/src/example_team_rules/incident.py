"""A kind of record: what went wrong, and which decision it led to."""

from dataclasses import dataclass
from datetime import datetime

from marshmallow import Schema

from yoimem import RecordKind
from yoimem.fields import Choice, Slug, Timestamp


class IncidentSchema(Schema):
    """Judges the frontmatter of an incident."""

    created_at = Timestamp(required=True)
    updated_at = Timestamp(required=True)
    severity = Choice("minor", "major", required=True)
    status = Choice("open", "closed", required=True)
    decision = Slug()


@dataclass(frozen=True, kw_only=True, slots=True)
class Incident:
    """The fields of an incident, as `record.data` holds them."""

    created_at: datetime
    updated_at: datetime
    severity: str
    status: str
    decision: str | None = None


INCIDENT = RecordKind(
    name="incident",
    schema=IncidentSchema,
    data=Incident,
    places=("memory/incidents/<slug>.md",),
    body_limit=4_000,
    references={"decision": ("decision",)},
)
