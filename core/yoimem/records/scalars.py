"""What a plain YAML scalar means, and to whom: the ground of `ambiguous-scalar`.

The YAML 1.1 type repository (https://yaml.org/type/) and the YAML 1.2 core schema are read
together: a plain scalar that either takes for something other than text is ambiguous as text.
"""

import re

INTEGER = re.compile(r"0|-?[1-9][0-9]{0,19}")
"""Plain decimal integers, the only spelling that every reader takes alike."""

NULLS = frozenset({"", "~", "null", "Null", "NULL"})

_NUMBER = r"""
    [-+]?0b[01_]+ | [-+]?0x[0-9a-fA-F_]+ | 0o[0-7]+
  | [-+]?[0-9][0-9_]*
  | [-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
  | [-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9]+)?
  | [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN)
"""
_BOOLEAN = r"""
    [yYnN] | yes|Yes|YES | no|No|NO | true|True|TRUE | false|False|FALSE
  | on|On|ON | off|Off|OFF
"""
_TIME = r"""
    [0-9]{4}-[0-9]{2}-[0-9]{2}
  | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
    (?:[ \t]*(?:[Zz]|[-+][0-9]{1,2}(?::?[0-9]{2})?))?
"""
_AMBIGUOUS = re.compile(
    rf"(?P<number>{_NUMBER})|(?P<boolean>{_BOOLEAN})|(?P<time>{_TIME})"
    r"|(?P<null>~|null|Null|NULL|)|(?P<sign>=|<<)",
    re.VERBOSE,
)
# Longer texts are read as something else only when they begin like a number or a date.
_LONGEST_WORD = len("false")
_NUMBER_BEGINS = frozenset("+-.0123456789")
_READINGS = {
    "number": "a number",
    "boolean": "true or false",
    "time": "a date",
    "null": "nothing",
    "sign": "a sign of its own",
}


class AmbiguousText(str):
    """A plain scalar that some YAML reader takes for something other than text."""

    __slots__ = ()


def is_ambiguous(text: str) -> bool:
    """Tell whether the plain scalar `text` is read as something other than text."""
    if len(text) > _LONGEST_WORD and text[0] not in _NUMBER_BEGINS:
        return False
    return _AMBIGUOUS.fullmatch(text) is not None


def reading(text: str) -> str:
    """Say what a YAML reader may take the plain scalar `text` for."""
    match = _AMBIGUOUS.fullmatch(text)
    return _READINGS[match.lastgroup or "null"] if match else "text"


def plain_value(text: str) -> object:
    """Return what the plain scalar `text` means here: None, a bool, an int or text."""
    if text in NULLS:
        return None
    if text in {"true", "false"}:
        return text == "true"
    if INTEGER.fullmatch(text):
        return int(text)
    return AmbiguousText(text) if is_ambiguous(text) else text


def quoted(text: str) -> str:
    """Return `text` as a YAML scalar in single quotes."""
    return "'" + text.replace("'", "''") + "'"
