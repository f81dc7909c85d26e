"""The activity log of a stretch of a session: what happened, and nothing derived (section 13).

The fields below are the one definition: they judge what a model answers, and the JSON Schema that
a model is given is made of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, cast

from marshmallow import Schema, ValidationError, post_load
from marshmallow.fields import Field, List, Nested

_MOST_FAULTS = 30
_LONGEST_SHOWN = 60
_WORDS: dict[str, Any] = {"required": "is missing", "null": "must not be null"}


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that was decided: what there was to choose from, what was chosen, and why."""

    options: tuple[str, ...]
    chosen: str
    rationale: str


@dataclass(frozen=True, slots=True)
class Discussion:
    """Something that was talked over, with the points that were made."""

    topic: str
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """Something that was tried, what came of it, and whether it worked."""

    action: str
    result: str
    succeeded: bool


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for: to what end, of what, and in short."""

    intent: str
    target: str
    summary: str


@dataclass(frozen=True, slots=True)
class Activity:
    """All that happened in a stretch of a session, by kind."""

    decisions: tuple[Decision, ...] = ()
    discussions: tuple[Discussion, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing happened that is worth keeping."""
        return not any(self.counts.values())

    @property
    def counts(self) -> Mapping[str, int]:
        """How many items there are of each kind."""
        return {kind.name: len(getattr(self, kind.name)) for kind in fields(self)}


class ActivityError(Exception):
    """What is no activity log; `faults` names everything that is wrong, each with its place."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


class _Text(Field[str]):
    """A string, which the keyword `blank` allows to say nothing."""

    def __init__(self, description: str, *, blank: bool = True) -> None:
        super().__init__(
            required=True, metadata={"description": description}, error_messages=_WORDS
        )
        self._blank = blank

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError(f"takes a text, not {_word(value)}")
        if not self._blank and not value.strip():
            raise ValidationError("must say something")
        return value.encode(errors="replace").decode()  # half of a pair is no character

    @property
    def json_schema(self) -> dict[str, Any]:
        return {"type": "string"} if self._blank else {"type": "string", "minLength": 1}


class _Flag(Field[bool]):
    """`true` or `false`, and nothing that means them."""

    def __init__(self, description: str) -> None:
        super().__init__(
            required=True, metadata={"description": description}, error_messages=_WORDS
        )

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError(f"takes true or false, not {_word(value)}")
        return value

    json_schema = {"type": "boolean"}  # noqa: RUF012 - never changed


class _Part(Schema):
    """An object with these fields and no other; `made` is the class it is read into."""

    made: type
    error_messages = {  # noqa: RUF012 - marshmallow's own
        "type": "takes an object",
        "unknown": "is no part of an activity log",
    }

    @post_load
    def _make(self, values: dict[str, Any], **_: Any) -> Any:
        return self.made(**{name: _frozen(value) for name, value in values.items()})


def _texts(description: str) -> Field[Any]:
    return List(
        _Text("", blank=False),
        required=True,
        metadata={"description": description},
        error_messages={**_WORDS, "invalid": "takes a list of texts"},
    )


class _DecisionSchema(_Part):
    made = Decision
    options = _texts("What there was to choose from, as far as it was said.")
    chosen = _Text("What was chosen.", blank=False)
    rationale = _Text("Why, as it was said; empty if nobody said it.")


class _DiscussionSchema(_Part):
    made = Discussion
    topic = _Text("What was talked over.", blank=False)
    points = _texts("The points that were made.")


class _AttemptSchema(_Part):
    made = Attempt
    action = _Text("What was tried.", blank=False)
    result = _Text("What came of it.")
    succeeded = _Flag("Whether it did what it was to do.")


class _RequestSchema(_Part):
    made = Request
    intent = _Text("To what end the user asked.")
    target = _Text("What it is about: a file, a part, a subject.")
    summary = _Text("What was asked for, in short.", blank=False)


def _list_of(schema: type[_Part], description: str) -> Field[Any]:
    return List(
        Nested(schema, error_messages=_WORDS),
        required=True,
        metadata={"description": description},
        error_messages={
            "required": "is missing: give an empty list where there is none",
            "null": "must not be null",
            "invalid": "takes a list",
        },
    )


class _ActivitySchema(_Part):
    made = Activity
    decisions = _list_of(_DecisionSchema, "What was decided.")
    discussions = _list_of(_DiscussionSchema, "What was talked over without a decision.")
    attempts = _list_of(_AttemptSchema, "What was tried, and how it went.")
    requests = _list_of(_RequestSchema, "What the user asked for.")


_SCHEMA = _ActivitySchema()


def parse_activity(value: object) -> Activity:
    """Return the activity log that `value`, as JSON has it, spells.

    Raises:
        ActivityError: it is none; every fault is named.
    """
    try:
        return cast("Activity", _SCHEMA.load(cast("Mapping[str, Any]", value)))
    except ValidationError as error:
        found = list(_faults(error.messages, ""))
    left = len(found) - _MOST_FAULTS
    raise ActivityError([*found[:_MOST_FAULTS], *([f"and {left} more faults"] if left > 0 else [])])


def activity_dict(activity: Activity) -> dict[str, Any]:
    """Return `activity` as JSON spells it."""
    return asdict(activity, dict_factory=_plain_dict)


def _plain_dict(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in items}


def _json_schema(field: Any) -> dict[str, Any]:
    """Return the JSON Schema of a field."""
    description = field.metadata.get("description")
    said = {"description": description} if description else {}
    if isinstance(field, List):
        return {"type": "array", "items": _json_schema(field.inner), **said}
    if isinstance(field, Nested):
        return _object_schema(cast("_Part", field.schema))
    return {**field.json_schema, **said}


def _object_schema(schema: _Part) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: _json_schema(field) for name, field in schema.fields.items()},
        "required": list(schema.fields),
        "additionalProperties": False,
    }


ACTIVITY_SCHEMA: Mapping[str, Any] = _object_schema(_SCHEMA)
"""The JSON Schema of an activity log, as a model is given it."""


def _faults(messages: Any, place: str) -> Iterator[str]:
    """Yield every message of a tree of them, each led by its place."""
    if isinstance(messages, dict):
        for step, below in messages.items():
            yield from _faults(below, _below(place, step))
        return
    for message in messages if isinstance(messages, list) else [messages]:
        yield f"`{place}` {message}" if place else f"an activity log {message}"


def _below(place: str, step: object) -> str:
    if step == "_schema":
        return place
    if isinstance(step, int):
        return f"{place}[{step}]"
    name = str(step)
    shown = name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"
    return f"{place}.{shown}" if place else shown


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _word(value: object) -> str:
    """Name the kind of a JSON value."""
    kinds = {type(None): "null", str: "a text", list: "a list", dict: "an object", bool: "a flag"}
    return kinds.get(type(value), "a number")
