"""The clean path: frontmatter with no fault at all, read as fast as the libraries can.

It answers only where every YAML reader would answer alike. Whatever it is not sure of it leaves
to the composer (`composer.py`), which is slow, knows every place, and words every fault. A property
test holds the two together.
"""

import re
from collections.abc import Callable, Collection
from typing import Any

import yaml

from yoimem.records.scalars import is_ambiguous, plain_value

_Loads = Callable[[str], Any]


def _find_ryaml() -> _Loads | None:
    try:
        from ryaml import loads  # type: ignore[attr-defined]  # noqa: PLC0415
    except ImportError:  # the extra `yoimem[fast]` is not installed
        return None
    found: _Loads = loads
    return found


_ryaml_loads = _find_ryaml()

try:
    from yaml import CSafeLoader as _LibYaml
except ImportError:  # PyYAML was built without libyaml
    _LibYaml = None  # type: ignore[assignment, misc]

# A token that begins so may be an anchor, an alias, a tag, a complex key, a null, a block scalar, a
# number or boolean in a spelling that the loaded value no longer shows, a second document, or no
# token at all. The pattern begins with one set of characters, since `re` finds such ones fastest;
# what stands before a character is looked at behind it.
_UNSURE = re.compile(
    r"[-&*!?~+|>%@`=0TF.](?<![^\s\[{,:].)"
    r"(?:(?<=[&*!?~+|>%@`=])|(?<=-)(?:0|--)|(?<=0)[xob]|(?<=[TF])(?:rue|RUE|alse|ALSE)|(?<=\.)\.\.)",
    re.DOTALL,
)
_CUT = re.compile(r"#(?<=\s.)\S")
_LONE_CR = re.compile(r"\r(?!\n)")
_MAX_LENGTH = 1 << 14
"""Longer frontmatter is left to the composer: ryaml takes quadratic time for a row of brackets."""


def load_clean(text: str, times: Collection[str] = ()) -> dict[str, Any] | None:
    """Return the values of the frontmatter `text`; None when it is not surely clean.

    `times` names the top-level fields that hold times, where a plain date is what is wanted.
    """
    if len(text) > _MAX_LENGTH or _is_unsure(text):
        return None
    if _ryaml_loads is not None:
        return _by_ryaml(text, times, _ryaml_loads)
    return _by_libyaml(text) if _LibYaml is not None else None


def _is_unsure(text: str) -> bool:
    return (
        "\\" in text
        or "<<" in text
        or _UNSURE.search(text) is not None
        or ("#" in text and _CUT.search(text) is not None)
        or ("\r" in text and _LONE_CR.search(text) is not None)
    )


def _by_ryaml(text: str, times: Collection[str], loads: _Loads) -> dict[str, Any] | None:
    try:
        values = loads(text)
    except Exception:  # whatever it is, the composer words it
        return None
    if type(values) is not dict:
        return None
    for key, value in values.items():
        if type(key) is not str:
            return None
        if not ((key in times and type(value) is str) or _is_sure(value)):
            return None
    return values


def _is_sure(value: object) -> bool:
    """Tell whether ryaml's `value` could have been written in one way only."""
    if isinstance(value, str):
        return not is_ambiguous(value)
    if isinstance(value, int):
        return True
    if isinstance(value, dict):
        return all(map(_is_text, value)) and all(map(_is_sure, value.values()))
    return isinstance(value, list) and all(map(_is_sure, value))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


if _LibYaml is not None:

    class _NodeLoader(_LibYaml):
        """libyaml's nodes without PyYAML's guesses at their types: `plain_value` decides those."""

        def resolve(self, kind: type, value: object, implicit: object) -> str:
            return "tag:yaml.org,2002:str"

        def descend_resolver(self, current_node: object, current_index: object) -> None:
            return None

        def ascend_resolver(self) -> None:
            return None


def _by_libyaml(text: str) -> dict[str, Any] | None:
    loader = _NodeLoader(text)
    try:
        root = loader.get_single_node()
        values = _node_value(root)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    finally:
        loader.dispose()
    return values if isinstance(values, dict) else None


def _node_value(node: yaml.Node | None) -> object:
    if isinstance(node, yaml.ScalarNode):
        value = node.value if node.style else plain_value(node.value)
        if value is None:
            raise ValueError("a null, of which the reader decides whether the field is there")
        return value
    if isinstance(node, yaml.SequenceNode):
        return [_node_value(item) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return None
    values: dict[str, object] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.value in values:
            raise ValueError("a key that is twice there, or is no text")
        values[key.value] = _node_value(value)
    return values
