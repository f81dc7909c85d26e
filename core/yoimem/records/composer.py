"""The slow path of YAML: every node with its place, every fault in words (design, section 4).

PyYAML's pure scanner alone is used here, so that places and verdicts are the same with and without
libyaml. Events are taken one at a time: neither an alias bomb nor a deep nest is ever built.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from yoimem.records.problem import Problem
from yoimem.records.scalars import plain_value
from yoimem.records.text import Span

_COMMENT_CUT = re.compile(r"[ \t]+#\S[^\r\n]*")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar: its text as YAML reads it, and whether it stands without quotes."""

    text: str
    plain: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    items: tuple["Node", ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping with string keys, each once."""

    entries: dict[str, tuple[Scalar, "Node"]]
    span: Span


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Composition:
    """What the composer makes of a frontmatter: its root, if it can be used, and the faults met."""

    root: Mapping | None
    problems: tuple[Problem, ...]


def compose(text: str, within: Span, max_depth: int) -> Composition:
    """Compose the frontmatter that stands at `within` in `text`.

    `max_depth` is the deepest nesting that is allowed. Empty frontmatter is a mapping without
    entries. Never raises: each fault ends as one problem.
    """
    builder = _Builder(text, within, max_depth)
    try:
        root = builder.build()
    except _Unusable as fault:
        return Composition(None, (*builder.problems, fault.problem))
    return Composition(root, tuple(builder.problems))


def node_value(node: Node) -> object:
    """Return what `node` holds as plain Python; plain scalars as `plain_value` reads them."""
    if isinstance(node, Scalar):
        return plain_value(node.text) if node.plain else node.text
    if isinstance(node, Sequence):
        return [node_value(item) for item in node.items]
    return {key: node_value(value) for key, (_, value) in node.entries.items()}


def scalars(node: Node) -> Iterator[Scalar]:
    """Yield every scalar value below `node`, keys left out, in the order of the text."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from scalars(item)
    else:
        for _, value in node.entries.values():
            yield from scalars(value)


def locate(root: Mapping, path: tuple[str | int, ...]) -> Span | None:
    """Return the span of the value that `path` leads to; None when its first step leads nowhere.

    A value that is not there has the span of the part above it, an empty one that of its key.
    """
    found: Span | None = None
    node: Node = root
    for step in path:
        key: Scalar | None = None
        if isinstance(node, Mapping) and step in node.entries:
            key, node = node.entries[str(step)]
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        else:
            return found
        empty = node.span.start == node.span.end
        found = key.span if key is not None and empty else node.span
    return found


def cut_by_comment(text: str, scalar: Scalar, limit: int) -> Span | None:
    """Return the ` #…` that cuts the plain `scalar` short, up to the offset `limit`.

    A `#` with a blank after it begins a comment that someone meant.
    """
    if not scalar.plain:
        return None
    match = _COMMENT_CUT.match(text, scalar.span.end, limit)
    return Span(match.start(), match.end()) if match else None


class _Unusable(Exception):  # noqa: N818 - it carries the fault out of the depth
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.name)
        self.problem = problem


class _Builder:
    """Builds nodes from the events of PyYAML's parser; holds the state of one composition."""

    def __init__(self, text: str, within: Span, max_depth: int) -> None:
        self.problems: list[Problem] = []
        self._text = text
        self._within = within
        self._max_depth = max_depth
        self._events = self._parse()

    def build(self) -> Mapping:
        start = next(self._events)
        if isinstance(start, yaml.StreamEndEvent):
            return Mapping({}, Span(self._within.start, self._within.start))
        if isinstance(start, yaml.DocumentStartEvent) and start.explicit:
            raise self._several_documents(start)
        root = self._node(next(self._events), depth=0)
        end = next(self._events)
        if isinstance(end, yaml.DocumentEndEvent) and end.explicit:
            raise self._several_documents(end)
        extra = next(self._events)
        if not isinstance(extra, yaml.StreamEndEvent):
            raise self._several_documents(extra)
        if isinstance(root, Mapping):
            return root
        what = "a list" if isinstance(root, Sequence) else "one text"
        raise _Unusable(self._problem("frontmatter-not-a-mapping", root.span, what))

    def _parse(self) -> Iterator[yaml.Event]:
        loader: yaml.SafeLoader | None = None
        try:
            loader = yaml.SafeLoader(self._text[self._within.start : self._within.end])
            while loader.check_event():
                event: yaml.Event = loader.get_event()  # type: ignore[no-untyped-call]
                if not isinstance(event, yaml.StreamStartEvent):
                    yield event
        except yaml.MarkedYAMLError as error:
            raise self._syntax(error) from error
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            # A character that YAML has no place for, or an escape that names none.
            position = loader.index if loader else getattr(error, "position", 0)
            at = min(self._within.start + position, self._within.end)
            reason = getattr(error, "reason", "") or str(error)
            raise _Unusable(self._problem("yaml-syntax", Span(at, at), reason)) from error

    def _node(self, event: yaml.Event, depth: int) -> Node:
        if isinstance(event, yaml.AliasEvent):
            raise self._unsafe(event, "an alias")
        if getattr(event, "anchor", None) is not None:
            raise self._unsafe(event, "an anchor")
        if getattr(event, "tag", None) is not None:
            raise self._unsafe(event, "a tag")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if depth >= self._max_depth:
            raise _Unusable(self._problem("yaml-too-deep", self._span(event), str(self._max_depth)))
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(event, depth)
        return self._mapping(event, depth)

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        span = self._span(event)
        if _LONE_SURROGATE.search(event.value):
            raise _Unusable(
                self._problem("yaml-syntax", span, "it escapes half of a surrogate pair")
            )
        return Scalar(event.value, not event.style, span)

    def _sequence(self, start: yaml.Event, depth: int) -> Sequence:
        items: list[Node] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        return Sequence(tuple(items), self._cover(start, event, items[-1] if items else None))

    def _mapping(self, start: yaml.Event, depth: int) -> Mapping:
        entries: dict[str, tuple[Scalar, Node]] = {}
        last: Node | None = None
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._key(event, depth)
            last = self._node(next(self._events), depth + 1)
            if key.text in entries:
                first = entries[key.text][0].span
                self.problems.append(self._duplicate(key, first))
            else:
                entries[key.text] = (key, last)
        return Mapping(entries, self._cover(start, event, last))

    def _key(self, event: yaml.Event, depth: int) -> Scalar:
        key = self._node(event, depth + 1)
        if not isinstance(key, Scalar):
            raise _Unusable(self._problem("yaml-syntax", key.span, "a key must be one plain text"))
        if key.plain and key.text == "<<":
            raise self._unsafe(event, "a merge key")
        if key.plain and not key.text:
            raise _Unusable(self._problem("yaml-syntax", key.span, "a key is missing before `:`"))
        return key

    def _duplicate(self, key: Scalar, first: Span) -> Problem:
        return Problem(
            "duplicate-key", key.span, self._raw(key.span), str(first.start), subject=key.text
        )

    def _span(self, event: yaml.Event) -> Span:
        base = self._within.start
        return Span(base + _index(event.start_mark), base + _index(event.end_mark))

    def _cover(self, start: yaml.Event, end: yaml.Event, last: Node | None) -> Span:
        """Cover a collection: a block one ends with its last item, not at the token after it."""
        flow = bool(getattr(start, "flow_style", False))
        first = self._span(start).start
        if flow or last is None:
            return Span(first, self._span(end).end)
        return Span(first, max(first, last.span.end))

    def _raw(self, span: Span) -> str:
        return self._text[span.start : span.end]

    def _problem(self, name: str, span: Span, detail: str) -> Problem:
        return Problem(name, span, self._raw(span), detail)

    def _unsafe(self, event: yaml.Event, what: str) -> _Unusable:
        return _Unusable(self._problem("yaml-alias", self._span(event), what))

    def _several_documents(self, event: yaml.Event) -> _Unusable:
        return _Unusable(
            self._problem(
                "yaml-syntax", self._span(event), "a second YAML document may not begin here"
            )
        )

    def _syntax(self, error: yaml.MarkedYAMLError) -> _Unusable:
        # PyYAML blames the place where it gave up; what it was scanning began where the fault is.
        scanning = (error.context or "").startswith("while scanning")
        mark = error.context_mark if scanning and error.context_mark else error.problem_mark
        at = min(self._within.start + _index(mark), self._within.end)
        span = Span(at, min(at + 1, self._within.end))
        detail = error.problem or error.context or "it is no YAML"
        return _Unusable(self._problem("yaml-syntax", span, detail))


def _index(mark: Any) -> int:
    """Return the offset of one of PyYAML's marks, which its types say may be missing."""
    return mark.index if mark is not None else 0
