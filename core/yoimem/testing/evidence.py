"""What an example of a page says of the consolidator's run, as the evidence that rules are told."""

from types import MappingProxyType
from typing import Any

from marshmallow import Schema, ValidationError, fields

from yoimem.fields import SourceList
from yoimem.lint.evidence import Evidence
from yoimem.records.faults import load_mapping
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.testing.pages import Example
from yoimem.workspace.snapshot import Snapshot


class _EvidenceSchema(Schema):
    staged = SourceList()
    candidates = fields.List(fields.String())
    frequencies = fields.Dict(fields.String(), fields.Float())
    protect = fields.Float()
    cold_start = fields.Boolean(data_key="cold-start", truthy={True}, falsy={False})


def evidence_of(example: Example, kinds: Kinds) -> Evidence | None:
    """Return the evidence that `example` gives, None where it speaks of no run.

    Raises:
        AssertionError: it names what no evidence has, or gives a value of a wrong type.
    """
    if example.evidence is None:
        return None
    try:
        given = load_mapping(_EvidenceSchema(), example.evidence)
    except ValidationError as error:
        raise AssertionError(f"the evidence cannot be used: {error.messages}") from error
    start = _start(example, kinds)
    return Evidence(start=start, now=start, lengths=_lengths(start), **_frozen(given))


def _start(example: Example, kinds: Kinds) -> Snapshot:
    """Return the memory when the run began: as it stands, but for the files marked `start`."""
    texts = {f.path: f.text for f in example.files if not (f.start or f.operation or f.folder)}
    began = {f.path: f.text for f in example.files if f.start}
    return Snapshot.of_texts(texts | began, Reader(kinds))


def _lengths(start: Snapshot) -> MappingProxyType[str, int]:
    records = (start.record(path) for path in start.facts)
    return MappingProxyType({record.path: len(record.body) for record in records if record})


def _frozen(given: dict[str, Any]) -> dict[str, Any]:
    """Return the values that were `given` as `Evidence` holds them."""
    sets = {key: frozenset(given[key]) for key in ("staged", "candidates") if key in given}
    return given | sets
