"""What a schema says of a value: faults that the reader turns into problems with a place."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from marshmallow import Schema


@dataclass(frozen=True, slots=True)
class Fault:
    """One value that a field does not take.

    `name` is the name of the rule that reports it, `path` leads from the field to the part at
    fault, `detail` says what is wrong with it, `expected` what would be right.
    """

    name: str
    detail: str
    expected: str = ""
    path: tuple[str | int, ...] = ()


def load_mapping(schema: Schema, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `schema` makes of one mapping; marshmallow's own types speak of lists as well.

    Raises:
        ValidationError: the schema refuses a value.
    """
    loaded = schema.load(values)
    if not isinstance(loaded, dict):
        raise TypeError("a schema returns a mapping, and makes no object of it")
    return cast("dict[str, Any]", loaded)
