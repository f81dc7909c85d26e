"""The forms of a declared rule: what each asks of a record.

A form is made from its value in the configuration, and refuses with a ValueError one that it does
not take. Each names what is wrong at its place, and how to mend it; the message is the team's own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from yoimem.lint.rule import Finding
from yoimem.lint.watchdog import RuleTimeoutError
from yoimem.records.composer import scalars
from yoimem.records.markdown import Heading
from yoimem.records.record import Record
from yoimem.records.text import LineIndex, Span

if TYPE_CHECKING:
    from regex import Pattern

MATCH_SECONDS = 1.0
"""How long a pattern may take over one record."""

_SHOWN = 80


class Form(Protocol):
    """One way of asking something of a record."""

    @property
    def message(self) -> str:
        """What the team says when it is not so."""
        ...

    @property
    def what(self) -> str:
        """What is asked, in a sentence for the rule's page."""
        ...

    def findings(self, record: Record, now: datetime) -> Iterable[Finding]:
        """Yield what is wrong with `record`, which is of some kind."""
        ...


@dataclass(frozen=True, slots=True)
class RequiredHeading:
    """The body has a heading."""

    message: str
    heading: str

    @property
    def what(self) -> str:
        return f"The body has a heading `{self.heading}`."

    def findings(self, record: Record, now: datetime) -> Iterator[Finding]:
        if record.frame is not None and not record.has_heading(self.heading):
            yield Finding(
                self.message,
                span=_first_body_line(record),
                help=f"add the heading `{self.heading}` to the body, and what belongs below it",
            )


@dataclass(frozen=True, slots=True)
class ForbiddenPattern:
    """A pattern fits nowhere in the body."""

    message: str
    pattern: "Pattern[str]"

    @property
    def what(self) -> str:
        return f"Nothing in the body fits the pattern `{self.pattern.pattern}`."

    def findings(self, record: Record, now: datetime) -> Iterator[Finding]:
        for start, end in _matches(self.pattern, record):
            found = " ".join(record.text[start:end].split())
            yield Finding(
                self.message,
                span=Span(start, end),
                help=f"take out or reword `{found[:_SHOWN]}`, which fits the pattern"
                f" `{self.pattern.pattern}`",
                subject=found[:_SHOWN],
            )


@dataclass(frozen=True, slots=True)
class RequiredPattern:
    """A pattern fits somewhere in the body."""

    message: str
    pattern: "Pattern[str]"

    @property
    def what(self) -> str:
        return f"Something in the body fits the pattern `{self.pattern.pattern}`."

    def findings(self, record: Record, now: datetime) -> Iterator[Finding]:
        if record.frame is not None and next(_matches(self.pattern, record), None) is None:
            yield Finding(
                self.message,
                span=_first_body_line(record),
                help=f"write in the body what fits the pattern `{self.pattern.pattern}`",
            )


@dataclass(frozen=True, slots=True)
class RequiredValue:
    """A frontmatter field is there, and is or holds a value."""

    message: str
    field: str
    value: str

    @property
    def what(self) -> str:
        return f"The field `{self.field}` is there with the value `{self.value}`."

    def findings(self, record: Record, now: datetime) -> Iterator[Finding]:
        found = _values(record, self.field)
        if found is not None and self.value not in found:
            yield Finding(
                self.message,
                field=(self.field,),
                help=f"write `{self.field}: {self.value}`",
                subject=self.field,
            )


@dataclass(frozen=True, slots=True)
class AllowedValues:
    """A frontmatter field, where it is there, holds nothing but certain values."""

    message: str
    field: str
    allowed: tuple[str, ...]

    @property
    def what(self) -> str:
        return f"The field `{self.field}`, where it is there, is one of: {self._listed}."

    @property
    def _listed(self) -> str:
        return ", ".join(f"`{value}`" for value in self.allowed)

    def findings(self, record: Record, now: datetime) -> Iterator[Finding]:
        odd = [v for v in _values(record, self.field) or () if v not in self.allowed]
        if odd:
            shown = " ".join(odd[0].split())[:_SHOWN]
            yield Finding(
                self.message,
                field=(self.field,),
                help=f"`{self.field}` is `{shown}`; write one of {self._listed}",
                subject=self.field,
            )


@dataclass(frozen=True, slots=True)
class MaxSectionLength:
    """The section under a heading, with those below it, is no longer than `length` characters."""

    message: str
    heading: str
    length: int

    @property
    def what(self) -> str:
        return (
            f"The section `{self.heading}` has at most {self.length:,} characters, from the line"
            " below its heading to the next heading of its level or above."
        )

    def findings(self, record: Record, now: datetime) -> Iterator[Finding]:
        body = record.body
        if len(body) <= self.length or not record.has_heading(self.heading):
            return
        lines = LineIndex(body)
        starts = [*(lines.span(line + 1).start for line in range(len(lines))), len(body)]
        offset = record.body_span.start
        for heading, end in _sections(record.headings, self.heading, len(starts)):
            length = starts[end - 1] - starts[heading.line]
            if length > self.length:
                start, stop = lines.span(heading.line)
                yield Finding(
                    self.message,
                    span=Span(offset + start, offset + stop),
                    help=f"the section `{self.heading}` has {length:,} characters,"
                    f" {length - self.length:,} over the limit of {self.length:,}: shorten it",
                    subject=self.heading,
                )


@dataclass(frozen=True, slots=True)
class MaxAgeDays:
    """`updated_at` is no further back than `days`."""

    message: str
    days: int

    @property
    def what(self) -> str:
        return f"`updated_at` is at most {self.days:,} days ago."

    def findings(self, record: Record, now: datetime) -> Iterator[Finding]:
        updated = record.values.get("updated_at")
        if updated is not None and now - updated > timedelta(days=self.days):
            yield Finding(
                self.message,
                field=("updated_at",),
                help=f"it was brought up to date {(now - updated).days:,} days ago, and"
                f" {self.days:,} are allowed: see whether it still holds, mend it, and set"
                " `updated_at`",
                subject="updated_at",
            )


def _required_heading(message: str, value: object, field: str) -> Form:
    return RequiredHeading(message, _text(value))


def _forbidden_pattern(message: str, value: object, field: str) -> Form:
    return ForbiddenPattern(message, _pattern(value))


def _required_pattern(message: str, value: object, field: str) -> Form:
    return RequiredPattern(message, _pattern(value))


def _required_value(message: str, value: object, field: str) -> Form:
    return RequiredValue(message, field, _written(value))


def _allowed_values(message: str, value: object, field: str) -> Form:
    if not isinstance(value, list) or not value:
        raise ValueError(f"takes a list of values, not {value!r}")
    return AllowedValues(message, field, tuple(_written(item) for item in value))


def _max_section_length(message: str, value: object, field: str) -> Form:
    if not isinstance(value, dict) or value.keys() != {"heading", "length"}:
        raise ValueError(f'takes {{ heading = "…", length = … }}, not {value!r}')
    return MaxSectionLength(message, _text(value["heading"]), _number(value["length"]))


def _max_age_days(message: str, value: object, field: str) -> Form:
    return MaxAgeDays(message, _number(value))


FORMS: Mapping[str, Callable[[str, Any, str], Form]] = {
    "required-heading": _required_heading,
    "forbidden-pattern": _forbidden_pattern,
    "required-pattern": _required_pattern,
    "required-value": _required_value,
    "allowed-values": _allowed_values,
    "max-section-length": _max_section_length,
    "max-age-days": _max_age_days,
}
"""What makes each form of its message, its value and its field."""

WITH_FIELD = frozenset({"required-value", "allowed-values"})


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"takes a text, not {value!r}")
    return value.strip()


_MOST = 1_000_000


def _number(value: object) -> int:
    if type(value) is not int or not 0 < value <= _MOST:
        raise ValueError(f"takes a whole number from 1 to {_MOST:,}, not {value!r}")
    return value


def _pattern(value: object) -> "Pattern[str]":
    import regex  # noqa: PLC0415 - few configurations need it

    if not isinstance(value, str) or not value:
        raise ValueError(f"takes a pattern, not {value!r}")
    try:
        return regex.compile(value)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"is no pattern: {error}") from error


def _written(value: object) -> str:
    """Return a value of the configuration as YAML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int):
        return str(value)
    raise ValueError(f"takes texts, whole numbers and true or false, not {value!r}")


def _values(record: Record, field: str) -> tuple[str, ...] | None:
    """Return what `field` holds, as texts; nothing where it is absent.

    None where it cannot be used, or the frontmatter cannot: other rules speak of that.
    """
    if field in record.values:
        value = record.values[field]
        return tuple(_as_text(v) for v in (value if isinstance(value, tuple) else (value,)))
    if field not in record.keys:
        return () if record.composition.root else None
    root = record.composition.root
    if root is None or field not in root.entries or (record.kind and field in record.kind.fields):
        return None
    return tuple(scalar.text for scalar in scalars(root.entries[field][1]))


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _matches(pattern: "Pattern[str]", record: Record) -> Iterator[tuple[int, int]]:
    """Yield where `pattern` fits in the body, as offsets of the record's text."""
    offset = record.body_span.start if record.frame else 0
    try:
        for match in pattern.finditer(record.body, timeout=MATCH_SECONDS):
            yield offset + match.start(), offset + match.end()
    except TimeoutError as error:
        raise RuleTimeoutError(
            f"the pattern `{pattern.pattern}` took longer than {MATCH_SECONDS:g} s over one record,"
            " and was not tried again; write one that tries fewer ways"
        ) from error


def _sections(headings: tuple[Heading, ...], text: str, end: int) -> Iterator[tuple[Heading, int]]:
    """Yield each heading that reads `text`, and the line below its section; `end` is the last."""
    for index, heading in enumerate(headings):
        if heading.text == text:
            after = (h.line for h in headings[index + 1 :] if h.level <= heading.level)
            yield heading, next(after, end)


def _first_body_line(record: Record) -> Span:
    return record.lines.span(record.lines.place(record.body_span.start).line)
