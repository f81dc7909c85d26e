"""The tools as a model sees them: one definition each, from which every host's form is made."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from yoimem.lint.words import did_you_mean
from yoimem.tools.errors import MemoryToolError

_LONGEST_SHOWN = 60

ArgumentType = Literal["string", "integer", "boolean", "strings"]
_PYTHON_TYPES: Mapping[ArgumentType, type] = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "strings": list,
}
_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")
_WORDS: Mapping[ArgumentType, str] = {
    "string": "a text",
    "integer": "a whole number",
    "boolean": "true or false",
    "strings": "a list of texts",
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool; `choices` are the only texts it takes, `minimum` its least number."""

    name: str
    type: ArgumentType
    description: str
    required: bool = False
    choices: tuple[str, ...] = ()
    minimum: int | None = None

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the argument."""
        choices: dict[str, Any] = {"enum": list(self.choices)} if self.choices else {}
        if self.type == "strings":
            items = {"type": "string", **choices}
            least = {"minItems": 1} if self.required else {}
            return {
                "type": "array",
                "items": items,
                "uniqueItems": True,
                "description": self.description,
                **least,
            }
        limits = {} if self.minimum is None else {"minimum": self.minimum}
        return {"type": self.type, "description": self.description, **choices, **limits}

    def fault(self, value: object) -> str:
        """Say what is wrong with `value`; empty when nothing is."""
        if type(value) is not _PYTHON_TYPES[self.type]:
            return f"`{self.name}` takes {_WORDS[self.type]}, not {_shown(value)}"
        if isinstance(value, int) and self.minimum is not None and value < self.minimum:
            return f"`{self.name}` must be {self.minimum} or more, not {value}"
        given = value if isinstance(value, list) else [value]
        if any(isinstance(item, str) and _HALF_OF_A_PAIR.search(item) for item in given):
            return f"`{self.name}` holds half of a surrogate pair, which is no character"
        if self.type == "strings" and not all(isinstance(item, str) for item in given):
            return f"`{self.name}` takes {_WORDS[self.type]}, not {_shown(value)}"
        wrong = next((item for item in given if self.choices and item not in self.choices), None)
        if wrong is not None:
            return f"`{self.name}` takes {', '.join(self.choices)}, not {_cut(wrong)!r}"
        return f"`{self.name}` must not be empty" if self.required and value == [] else ""


def _cut(text: object) -> str:
    """Return the beginning of a name or a choice: nobody needs more to see that it is wrong."""
    shown = str(text)
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"


def _shown(value: object) -> str:
    """Name `value`; what a text or a list holds may be the content of a record, and a secret."""
    if isinstance(value, str):
        return "a text"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return repr(value)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool: its name, what it does, its arguments; a `read_only` one changes no record."""

    name: str
    description: str
    arguments: tuple[Argument, ...]
    read_only: bool = False

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments; an unknown one is refused."""
        return {
            "type": "object",
            "properties": {argument.name: argument.schema() for argument in self.arguments},
            "required": [argument.name for argument in self.arguments if argument.required],
            "additionalProperties": False,
        }

    def for_openai(self) -> dict[str, Any]:
        """Return the definition as OpenAI's chat API takes it."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": self.input_schema(),
        }
        return {"type": "function", "function": function}

    def for_anthropic(self) -> dict[str, Any]:
        """Return the definition as Anthropic's messages API takes it."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema(),
        }

    def for_mcp(self) -> dict[str, Any]:
        """Return the definition as the Model Context Protocol lists it."""
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema(),
        }

    def check(self, given: Mapping[str, Any]) -> None:
        """Hold the arguments `given` in a call against the definition.

        Raises:
            MemoryToolError: `invalid_argument`, with every fault of the call.
        """
        if not isinstance(given, Mapping):
            raise MemoryToolError(
                "invalid_argument", f"`{self.name}` takes named arguments, not {_shown(given)}"
            )
        known = {argument.name: argument for argument in self.arguments}
        faults = [
            f"`{self.name}` has no argument `{_cut(name)}`{did_you_mean(_cut(name), known)}"
            for name in given
            if name not in known
        ]
        faults += [
            f"`{argument.name}` is missing: {argument.description}"
            for argument in self.arguments
            if argument.required and argument.name not in given
        ]
        faults += [
            fault
            for name, value in given.items()
            if name in known and (fault := known[name].fault(value))
        ]
        if faults:
            raise MemoryToolError("invalid_argument", "\n".join(faults))


def definition_of(name: str, definitions: Sequence[ToolDefinition]) -> ToolDefinition:
    """Return the one of `definitions` that is called `name`.

    Raises:
        MemoryToolError: `invalid_argument`: there is none; those that there are are listed.
    """
    for definition in definitions:
        if definition.name == name:
            return definition
    known = ", ".join(definition.name for definition in definitions)
    raise MemoryToolError(
        "invalid_argument", f"there is no tool `{_cut(name)}`; there are: {known}"
    )
