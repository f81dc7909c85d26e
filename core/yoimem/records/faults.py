"""What a schema says of a value: faults that the reader turns into problems with a place."""

from dataclasses import dataclass


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
