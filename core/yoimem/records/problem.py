"""What the reader could not use: data for the rules, never an exception (design, section 6)."""

from dataclasses import dataclass

from yoimem.records.text import Span


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault that the reader met.

    `name` is the name of the rule that reports it. `raw` is the text at `span` as it stands in
    the file, never a loaded value. `detail` says what is wrong in the reader's words, `subject`
    names the field or key, `expected` what would be right (empty where there is no saying).
    """

    name: str
    span: Span
    raw: str
    detail: str = ""
    subject: str = ""
    expected: str = ""
