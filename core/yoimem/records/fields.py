"""The fields that a record kind's marshmallow schema is made of (design, section 3).

They are stricter than marshmallow's own, whose `Boolean` takes `yes` and `"1"`: a value means here
what it means to every reader of YAML. Each says what it expects, so that a message can.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from marshmallow import ValidationError, fields
from marshmallow import missing as missing_

from yoimem.records.faults import Fault
from yoimem.records.scalars import AmbiguousText, reading
from yoimem.records.slug import is_slug, slug_fault
from yoimem.records.timestamp import MissingOffsetError, parse_timestamp

MAX_INDEX = 2**64 - 1
"""The largest entry index: the seeds' `u64` (seed 000, "frontmatter schema")."""


class Source(NamedTuple):
    """Where a record came from: entries `start` to `end`, from 0, of the session `session_id`."""

    session_id: str
    start: int
    end: int


class RecordField(fields.Field[Any]):
    """A field of frontmatter: `expected` says in words what it takes."""

    expected: ClassVar[str] = ""

    def read(self, value: object) -> object:
        """Return `value` as its type here.

        Raises:
            ValidationError: it is something else; holds a list of `Fault`s.
        """
        raise NotImplementedError

    def deserialize(
        self,
        value: Any,
        attr: str | None = None,
        data: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Read a value that is there at once; marshmallow's own way handles the rest.

        Its chain of empty validators costs more than the reading itself.
        """
        if value is missing_ or value is None or self.validators:
            return super().deserialize(value, attr, data, **kwargs)
        return self.read(value)

    def _deserialize(
        self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: object
    ) -> object:
        return self.read(value)

    def refuse(self, detail: str, name: str = "invalid-field") -> ValidationError:
        """Make the error that this field raises."""
        return ValidationError([Fault(name, detail, self.expected)])


class Text(RecordField):
    """A non-empty string."""

    expected = "a text that is not empty"

    def read(self, value: object) -> str:
        if isinstance(value, AmbiguousText | bool | int):
            raise self.refuse("without quotes it is not surely text", "ambiguous-scalar")
        if not isinstance(value, str):
            raise self.refuse(f"it is {_kind_of(value)}")
        if not value.strip():
            raise self.refuse("it is empty")
        return value


class Slug(Text):
    """The slug of another record."""

    expected = "the slug of a record"

    def read(self, value: object) -> str:
        text = super().read(value)
        if not is_slug(text):
            raise self.refuse(f"it is no slug: {slug_fault(text)}")
        return text


class SlugList(RecordField):
    """A list of slugs."""

    expected = "a list of slugs, like [use-sqlite, run-tests]"

    def read(self, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self.refuse(f"it is {_kind_of(value)}")
        return tuple(_each(value, _SLUG.read))


class Flag(RecordField):
    """`true` or `false`, in these spellings alone."""

    expected = "true or false, without quotes"

    def read(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise self.refuse(f"it is {_kind_of(value)}")
        return value


class Timestamp(RecordField):
    """An RFC 3339 time with its offset from UTC."""

    expected = "an RFC 3339 time with an offset, like 2026-01-10T09:00:00Z"

    def read(self, value: object) -> datetime:
        if not isinstance(value, str):
            raise self.refuse(f"it is {_kind_of(value)}", "invalid-timestamp")
        try:
            return parse_timestamp(value)
        except MissingOffsetError as error:
            raise self.refuse(str(error), "timestamp-without-timezone") from error
        except ValueError as error:
            raise self.refuse(str(error), "invalid-timestamp") from error


class Choice(RecordField):
    """One of a few words; `name` is the rule that reports another one."""

    def __init__(self, *choices: str, name: str = "invalid-field", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.choices = choices
        self.expected = f"one of {', '.join(choices)}"  # type: ignore[misc]
        self._rule = name

    def read(self, value: object) -> str:
        if value is None:
            raise self.refuse("it is empty")
        if not isinstance(value, str) or value not in self.choices:
            raise ValidationError([Fault(self._rule, "", ", ".join(self.choices))])
        return str(value)


class SourceField(RecordField):
    """A source: which entries of which session."""

    expected = "a source, like {session_id: s1, range: [0, 12]}"

    def read(self, value: object) -> Source:
        if not isinstance(value, dict):
            raise self.refuse(f"it is {_kind_of(value)}")
        if value.keys() == _SOURCE_KEYS:
            with suppress(ValidationError):
                return Source(_SESSION.read(value["session_id"]), *_RANGE.read(value["range"]))
        raise ValidationError(self._faults(value))

    def _faults(self, value: dict[str, Any]) -> list[Fault]:
        faults: list[Fault] = []
        for key, field in (("session_id", _SESSION), ("range", _RANGE)):
            if key not in value:
                faults.append(Fault("invalid-field", f"`{key}` is missing", self.expected))
                continue
            try:
                field.read(value[key])
            except ValidationError as error:
                faults += _below(error, key)
        faults += [
            Fault("invalid-field", "a source has no such key", self.expected, (key,))
            for key in value
            if key not in _SOURCE_KEYS
        ]
        return faults


class SourceList(RecordField):
    """A list of sources; it may be empty."""

    expected = "a list of sources, like [{session_id: s1, range: [0, 12]}]"

    def read(self, value: object) -> tuple[Source, ...]:
        if not isinstance(value, list):
            raise self.refuse(f"it is {_kind_of(value)}")
        return tuple(_each(value, _SOURCE.read))


class _Range(RecordField):
    expected = "two whole numbers from 0 up, the first not above the second, like [0, 12]"

    def read(self, value: object) -> tuple[int, int]:
        if not isinstance(value, list) or len(value) != 2:  # noqa: PLR2004 - a pair
            raise self.refuse("it is no pair")
        start, end = value
        if not (_is_index(start) and _is_index(end)):
            raise self.refuse("both must be plain decimal numbers, below 2^64")
        if start > end:
            raise self.refuse("the start is above the end")
        return start, end


_SOURCE_KEYS = frozenset({"session_id", "range"})
_SLUG = Slug()
_SESSION = Text()
_RANGE = _Range()
_SOURCE = SourceField()


def _kind_of(value: object) -> str:
    """Name the kind of a YAML value for a reader."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "a number"
    if isinstance(value, AmbiguousText):
        return f"taken for {reading(value)} by some readers of YAML"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "a mapping"


def _is_index(value: object) -> bool:
    return type(value) is int and 0 <= value <= MAX_INDEX


def _each(values: list[Any], read: Any) -> list[Any]:
    """Read every item of a list.

    Raises:
        ValidationError: with the faults of all items.
    """
    with suppress(ValidationError):
        return [read(value) for value in values]
    faults: list[Fault] = []
    for index, value in enumerate(values):
        try:
            read(value)
        except ValidationError as error:
            faults += _below(error, index)
    raise ValidationError(faults)


def _below(error: ValidationError, step: str | int) -> list[Fault]:
    """Return the faults of a part, their paths led through `step`."""
    return [
        Fault(fault.name, fault.detail, fault.expected, (step, *fault.path))
        for fault in error.messages
        if isinstance(fault, Fault)
    ]
