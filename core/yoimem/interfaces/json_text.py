"""JSON files that people write: read strictly, added to without disturbing the rest."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_DEFAULT_INDENT = "  "
_BOM = "\ufeff"


class JsonTextError(ValueError):
    """A text that is no JSON object, or would lose something if it were written again."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is spelled in a text."""

    spelling: str


def decode(data: bytes) -> str:
    """Return the text that `data` holds.

    Raises:
        JsonTextError: it is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise JsonTextError(f"it is not UTF-8 (byte {error.start})") from error


def read_object(text: str) -> dict[str, Any]:
    """Return the JSON object that `text` holds; an empty text is an empty object.

    Its numbers are each a `Number`, so that `write_object` spells them as they were.

    Raises:
        JsonTextError: it holds none, or a key twice, or a number that JSON lacks.
    """
    stripped = text.removeprefix(_BOM)
    if not stripped.strip():
        return {}
    try:
        content = json.loads(
            stripped,
            object_pairs_hook=_without_twins,
            parse_constant=_no_number,
            parse_float=Number,
            parse_int=Number,
        )
    except (ValueError, RecursionError) as error:
        raise JsonTextError(f"it is no plain JSON (comments are none): {error}") from error
    if not isinstance(content, dict):
        raise JsonTextError("it holds no JSON object")
    return content


def write_object(content: Mapping[str, Any], before: str = "") -> str:
    """Return the text of `content`, in the manner of the text `before` that it takes the place of.

    Kept are indentation, line ends, the end of the text, a BOM, characters written as escapes, and
    the spelling of numbers.
    """
    indent = _INDENT.search(before)
    encode = json.JSONEncoder(ensure_ascii=bool(before.strip()) and before.isascii()).encode
    text = _written(content, encode, indent[1] if indent else _DEFAULT_INDENT)
    end = before[len(before.rstrip()) :] if before.strip() else "\n"
    if "\r\n" in before:
        text = text.replace("\n", "\r\n")
    return (_BOM if before.startswith(_BOM) else "") + text + end


def _written(value: Any, encode: Callable[[object], str], indent: str, margin: str = "\n") -> str:
    """Return the text of `value`; `margin` is the line break before its last line."""
    inner = margin + indent
    if isinstance(value, Number):
        return value.spelling
    if isinstance(value, dict) and value:
        members = [
            f"{encode(name)}: {_written(part, encode, indent, inner)}"
            for name, part in value.items()
        ]
        return f"{{{inner}{f',{inner}'.join(members)}{margin}}}"
    if isinstance(value, list) and value:
        items = [_written(item, encode, indent, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{margin}]"
    return encode(value)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise JsonTextError(f"the key {twice!r} is there twice")
    return content


def _no_number(word: str) -> Any:
    raise JsonTextError(f"{word} is no JSON number")
