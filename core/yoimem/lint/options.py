"""The options of a rule: a frozen dataclass, and the marshmallow schema derived from it."""

from collections.abc import Callable, Mapping
from dataclasses import Field, fields, is_dataclass
from types import MappingProxyType
from typing import Any, get_type_hints

from marshmallow import Schema, ValidationError
from marshmallow import fields as schema_fields

from yoimem.lint.errors import ConfigError
from yoimem.lint.words import did_you_mean
from yoimem.records.faults import load_mapping


class _Strict(schema_fields.Field[Any]):
    """Takes one type of TOML value as it is: no text for a number, no number for a flag."""

    def __init__(self, kind: type, words: str, *, optional: bool = False) -> None:
        super().__init__(allow_none=optional)
        self._kind = kind
        self._words = words

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        fits = type(value) is self._kind or (self._kind is float and type(value) is int)
        if not fits:
            raise ValidationError(f"takes {self._words}, not {value!r}")
        return self._kind(value)


class _Texts(schema_fields.Field[Any]):
    """Takes a list of texts."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValidationError(f"takes a list of texts, not {value!r}")
        return tuple(value)


_FIELDS: Mapping[Any, Callable[[], schema_fields.Field[Any]]] = MappingProxyType(
    {
        int: lambda: _Strict(int, "a whole number"),
        float: lambda: _Strict(float, "a number"),
        bool: lambda: _Strict(bool, "true or false"),
        str: lambda: _Strict(str, "a text"),
        tuple[str, ...]: _Texts,
    }
)


def option_names(options: type) -> dict[str, Any]:
    """Return the names that a configuration gives to the options, with their defaults."""
    return {_in_config(field): field.default for field in fields(options)}


def options_fault(options: type) -> str:
    """Say why the class `options` cannot be the options of a rule; empty when it can."""
    if not (isinstance(options, type) and is_dataclass(options)):
        return "`Options` is no dataclass"
    if not options.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return "`Options` is not frozen: write `@dataclass(frozen=True)`"
    try:
        hints = get_type_hints(options)
        options()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever `__post_init__` raises
        return f"`Options` cannot be made without arguments, or its types are not there: {error}"
    odd = next((field for field in fields(options) if hints[field.name] not in _FIELDS), None)
    if odd is None:
        return ""
    return (
        f"the option `{odd.name}` is of type `{hints[odd.name]}`: an option is an int, float, bool,"
        " str or tuple[str, ...]"
    )


def load_options(options: type, given: Mapping[str, Any], where: str) -> Any:
    """Return the dataclass `options` with the values `given` in a configuration.

    Raises:
        ConfigError: an option is unknown or of the wrong type; the message begins with `where`.
    """
    names = {_in_config(field): field.name for field in fields(options)}
    unknown = sorted(given.keys() - names.keys())
    if unknown:
        hint = did_you_mean(unknown[0], names) or _listed(names)
        raise ConfigError(f"{where}: unknown option `{unknown[0]}`{hint}")
    try:
        values = load_mapping(_schema(options), given)
    except ValidationError as error:
        name, messages = next(iter(error.messages_dict.items()))
        raise ConfigError(f"{where}: the option `{name}` {messages[0]}") from error
    low = next((key for key, value in values.items() if _is_negative(value)), None)
    if low is not None:
        raise ConfigError(f"{where}: the option `{low}` must be 0 or more, not {values[low]}")
    try:
        return options(**{names[key]: value for key, value in values.items()})
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from error


def _is_negative(value: object) -> bool:
    return isinstance(value, int | float) and value < 0


def _schema(options: type) -> Schema:
    hints = get_type_hints(options)
    made = {_in_config(field): _FIELDS[hints[field.name]]() for field in fields(options)}
    return Schema.from_dict(made)()


def _in_config(field: "Field[Any]") -> str:
    return field.name.replace("_", "-")


def _listed(names: Mapping[str, str]) -> str:
    return f"; it has {', '.join(f'`{name}`' for name in names)}" if names else "; it has none"
