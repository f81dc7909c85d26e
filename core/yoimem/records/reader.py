"""Reading a record: bytes, text, frame, YAML, schema, typed record (design, section 4).

Each step hands on or says what kept it from doing so, as one problem at its place. Nothing raises.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from marshmallow import ValidationError

from yoimem.records.characters import Screening, conflict_markers, describe, is_plain
from yoimem.records.composer import (
    Composition,
    Scalar,
    compose,
    cut_by_comment,
    locate,
    node_value,
    scalars,
)
from yoimem.records.faults import Fault, load_mapping
from yoimem.records.frame import BOM, HANDLER, Frame, later_opener, opens
from yoimem.records.kinds import Kinds, RecordKind
from yoimem.records.problem import Problem
from yoimem.records.record import MAX_DEPTH, Record
from yoimem.records.text import LineIndex, Span

MAX_BYTES = 1 << 20
"""The largest file that is parsed, in bytes (design, section 5, FM014)."""

IDENTITY_KEYS = frozenset({"id", "name"})
"""Keys that would name the record a second time (seed 000, "directories and kinds")."""

MAX_FRONTMATTER = 1 << 16
"""The longest frontmatter that is parsed, in characters: YAML with places takes its time."""

_EMPTY = "it is empty"
_START = Span(0, 0)
_NESTING = ("[", "{", "- ", "\n ", "-\n")
"""What must stand in YAML once for each level of nesting below the first."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the reader stops at: `max_bytes` of a file, size and depth of its frontmatter."""

    max_bytes: int = MAX_BYTES
    max_frontmatter: int = MAX_FRONTMATTER
    max_depth: int = MAX_DEPTH


class Reader:
    """Reads records of the given kinds."""

    def __init__(self, kinds: Kinds, limits: Limits | None = None) -> None:
        self.kinds = kinds
        self.limits = limits or Limits()

    def read_bytes(self, path: str, data: bytes) -> Record:
        """Read the file at the root-relative `path` that holds `data`."""
        if len(data) > self.limits.max_bytes:
            most = f"{self.limits.max_bytes:,}"
            size = f"{len(data):,} bytes"
            problem = Problem("file-too-large", _START, "", size, expected=most)
            return self._unread(path, "", problem)
        try:
            return self._read(path, data.decode())
        except UnicodeDecodeError as error:
            return self._not_utf8(path, data, error.start)

    def read_text(self, path: str, text: str) -> Record:
        """Read `text` as it would be read from a file at `path`."""
        try:
            data = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            data = text.encode("utf-8", "surrogatepass")
        return self.read_bytes(path, data)

    def unreadable(self, path: str, reason: str) -> Record:
        """Make the record of a file that could not be opened for `reason`."""
        return self._unread(path, "", Problem("unreadable-file", _START, "", reason))

    def _not_utf8(self, path: str, data: bytes, offset: int) -> Record:
        text = data.decode("utf-8", "surrogateescape")
        at = len(data[:offset].decode("utf-8", "surrogateescape"))
        detail = f"byte 0x{data[offset]:02x} at offset {offset}"
        return self._unread(path, text, Problem("not-utf8", Span(at, at + 1), "", detail))

    def _unread(self, path: str, text: str, problem: Problem) -> Record:
        return Record(path, self.kinds.of(path), text, None, {}, frozenset(), (problem,))

    def _read(self, path: str, text: str) -> Record:
        kind = self.kinds.of(path)
        if kind is None:
            return Record(path, None, text, None, {}, frozenset(), ())
        frame = HANDLER.find(text)
        if frame is None:
            problem = _frame_problem(text)
            return Record(path, kind, text, None, {}, frozenset(), (problem,))
        if frame.yaml.end - frame.yaml.start > self.limits.max_frontmatter:
            problem = self._long_frontmatter(frame)
            return Record(path, kind, text, frame, {}, frozenset(), (problem,), "")
        try:
            return self._read_clean(path, kind, text, frame) or self._read_slowly(
                path, kind, text, frame
            )
        except Exception as error:  # the schema of a plugin's kind; a record is told, not lost
            reason = f"the schema of the record kind `{kind.name}` failed: {error!r}"
            problem = Problem("unreadable-file", frame.opener, "", reason)
            return Record(path, kind, text, frame, {}, frozenset(), (problem,), "")

    def _long_frontmatter(self, frame: Frame) -> Problem:
        size = f"{frame.yaml.end - frame.yaml.start:,} characters of frontmatter"
        most = f"{self.limits.max_frontmatter:,}"
        return Problem("file-too-large", frame.opener, "---", size, expected=most)

    def _read_clean(self, path: str, kind: RecordKind, text: str, frame: Frame) -> Record | None:
        """Read a record without a fault; None when there may be one."""
        if frame.opener.start or frame.opener.end != len("---"):
            return None
        if frame.closer.end - frame.closer.start != len("---"):
            return None
        yaml_text = text[frame.yaml.start : frame.yaml.end]
        if not is_plain(yaml_text):
            return None
        try:
            found = HANDLER.load(yaml_text, kind.times)
            if not kind.fields.keys() >= found.keys() or self._is_too_deep(yaml_text, found):
                return None
            values = load_mapping(kind.loader, found)
        except (ValueError, ValidationError):
            return None
        return Record(path, kind, text, frame, values, frozenset(found), ())

    def _is_too_deep(self, text: str, values: object) -> bool:
        """Tell whether `values` nest too deep; the signs of nesting in `text` bound the depth."""
        signs = sum(map(text.count, _NESTING))
        return signs >= self.limits.max_depth and _depth(values) > self.limits.max_depth

    def _read_slowly(self, path: str, kind: RecordKind, text: str, frame: Frame) -> Record:
        """Read a record with every fault that it has."""
        max_depth = self.limits.max_depth
        screening = Screening(text, frame.yaml, max_depth)
        problems = [*_delimiter_problems(text, frame), *screening.problems]
        composition = compose(screening.text, frame.yaml, max_depth)
        # What a blank in the place of a bad character made of the text is not the writer's fault.
        readable = screening.readable and (not screening.problems or (composition.root is not None))
        if readable:
            problems += composition.problems
        values: Mapping[str, Any] = {}
        keys: frozenset[str] = frozenset()
        if readable and composition.root is not None:
            judged = _Fields(kind, text, frame, composition)
            values, keys = judged.values, judged.keys
            problems += judged.problems
        problems.sort(key=lambda problem: problem.span)
        return Record(
            path, kind, text, frame, values, keys, tuple(problems), screening.text, max_depth
        )


def _depth(value: object) -> int:
    """Count how deep lists and mappings nest in `value`."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return 0
    return 1 + max(map(_depth, value), default=0)


class _Fields:
    """The fields of one composed frontmatter, held against the schema of its kind."""

    def __init__(self, kind: RecordKind, text: str, frame: Frame, composition: Composition) -> None:
        assert composition.root is not None
        self._kind = kind
        self._text = text
        self._frame = frame
        self._root = composition.root
        loaded = {key: node_value(node) for key, (_, node) in self._root.entries.items()}
        self._given = {
            key: value
            for key, value in loaded.items()
            if value is not None or self._is_required(key)
        }
        self.keys = frozenset(key for key, value in loaded.items() if value is not None)
        self.values, faults = self._load()
        self.problems = [
            *self._key_problems(),
            *(self._problem(name, fault) for name, fault in faults),
            *self._cut_values(),
        ]

    def _is_required(self, key: str) -> bool:
        return key in self._kind.fields and self._kind.fields[key].required

    def _load(self) -> tuple[Mapping[str, Any], list[tuple[str, Fault]]]:
        known = {key: value for key, value in self._given.items() if key in self._kind.fields}
        try:
            return load_mapping(self._kind.loader, known), []
        except ValidationError as error:
            messages = error.messages_dict
            valid = error.valid_data
            faults = [
                (field, fault)
                for field, found in messages.items()
                for fault in self._faults(field, found)
            ]
            good = (
                {k: v for k, v in valid.items() if k not in messages}
                if isinstance(valid, dict)
                else {}
            )
            return good, faults

    def _faults(self, field: str, messages: object) -> Iterator[Fault]:
        """Turn what a schema says of a field into faults; marshmallow itself speaks in strings."""
        expected = getattr(self._kind.fields.get(field), "expected", "")
        if field in self._kind.fields and field not in self._given:
            yield Fault("missing-field", "", expected)
        elif isinstance(messages, dict):
            for step, below in messages.items():
                for fault in self._faults("", below):
                    yield Fault(fault.name, fault.detail, fault.expected, (step, *fault.path))
        elif self._given.get(field, messages) is None:
            yield Fault("invalid-field", _EMPTY, expected)
        else:
            for message in messages if isinstance(messages, list) else [messages]:
                if isinstance(message, Fault):
                    yield message
                else:
                    yield Fault("invalid-field", str(message), expected)

    def _problem(self, field: str, fault: Fault) -> Problem:
        if fault.name == "missing-field":
            return Problem(
                fault.name, self._frame.closer, "", subject=field, expected=fault.expected
            )
        span = locate(self._root, (field, *fault.path)) or self._frame.opener
        raw = self._text[span.start : span.end]
        if fault.detail == _EMPTY and self._is_cut_away(field):
            fault = replace(fault, detail=f"{_EMPTY}, since a ` #` begins a comment")
        subject = field + "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault.path
        )
        return Problem(fault.name, span, raw, fault.detail, subject, fault.expected)

    def _is_cut_away(self, field: str) -> bool:
        """Tell whether the value of `field` is nothing because a ` #…` made a comment of it."""
        node = self._root.entries[field][1] if field in self._root.entries else None
        if not isinstance(node, Scalar):
            return False
        return cut_by_comment(self._text, node, self._frame.yaml.end) is not None

    def _key_problems(self) -> Iterator[Problem]:
        for key, (node, _) in self._root.entries.items():
            if key in self._kind.fields:
                continue
            name = "identity-in-frontmatter" if key in IDENTITY_KEYS else "unknown-key"
            known = "" if key in IDENTITY_KEYS else ", ".join(self._kind.fields)
            raw = self._text[node.span.start : node.span.end]
            yield Problem(name, node.span, raw, subject=key, expected=known)

    def _cut_values(self) -> Iterator[Problem]:
        """Yield the plain values that a ` #` cuts short; an empty one is told as such already."""
        for scalar in scalars(self._root):
            cut = cut_by_comment(self._text, scalar, self._frame.yaml.end)
            if cut is not None and scalar.text:
                span = Span(scalar.span.start, cut.end)
                raw = self._text[cut.start : cut.end].strip()
                yield Problem("value-truncated-by-comment", span, raw)


def _frame_problem(text: str) -> Problem:
    """Say why a text has no frame."""
    lines = LineIndex(text)
    first = lines.span(1)
    start = first.start + text.startswith(BOM)
    raw = text[start : first.end]
    if opens(text):
        return Problem("unclosed-frontmatter", Span(start, first.end), raw)
    conflict = next(conflict_markers(text, first), None)
    if conflict is not None:
        return conflict
    later = later_opener(text)
    detail = str(lines.place(later.start).line) if later else ""
    return Problem("missing-frontmatter", Span(start, first.end), raw, detail)


def _delimiter_problems(text: str, frame: Frame) -> Iterator[Problem]:
    if text.startswith(BOM):
        yield Problem("byte-order-mark", Span(0, 1), BOM)
    for delimiter in (frame.opener, frame.closer):
        trailing = Span(delimiter.start + len("---"), delimiter.end)
        raw = text[trailing.start : trailing.end]
        if not raw.strip(" \t"):
            if raw:
                yield Problem("delimiter-trailing-space", trailing, raw)
            continue
        for at in range(trailing.start, trailing.end):
            char = text[at]
            if char not in " \t":
                yield Problem("invisible-character", Span(at, at + 1), char, describe(char))
