"""A record: one file of the memory, read into a typed model."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from yoimem.records import markdown
from yoimem.records.composer import Composition, compose, locate
from yoimem.records.fields import Source
from yoimem.records.frame import BOM, Frame
from yoimem.records.kinds import RecordKind
from yoimem.records.problem import Problem
from yoimem.records.text import LineIndex, Span

MAX_DEPTH = 20
"""How deep frontmatter may nest (design, section 4)."""


@dataclass(frozen=True)
class Record:
    """What the reader makes of a file.

    `path` is relative to the root, with `/`. `kind` is None where no kind has its place. `text` is
    the whole file with its BOM and line ends. `values` holds the fields that are as the schema
    wants them, typed; `keys` the keys that are there and not null. `problems` is what could not be
    used. `frame` says where the frontmatter and the body stand, None when there is no whole one.
    Places and Markdown are worked out when a rule asks for them: `composed_text` is what the
    composer reads (the text, with blanks in the place of characters that are no YAML), `max_depth`
    how deep it may nest.
    """

    path: str
    kind: RecordKind | None
    text: str
    frame: Frame | None
    values: Mapping[str, Any]
    keys: frozenset[str]
    problems: tuple[Problem, ...]
    composed_text: str | None = None
    max_depth: int = MAX_DEPTH

    @property
    def slug(self) -> str:
        """The file's stem: the record's only identity."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    @property
    def kind_name(self) -> str:
        """The name of the kind; empty where there is none."""
        return self.kind.name if self.kind else ""

    @cached_property
    def data(self) -> Any:
        """The kind's dataclass with the fields; None when some required field cannot be used."""
        if self.kind is None:
            return None
        try:
            return self.kind.data(**self.values)
        except TypeError:
            return None

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where the record came from: `sources`, or `last_sources`."""
        found: tuple[Source, ...] = self.values.get("sources") or self.values.get(
            "last_sources", ()
        )
        return found

    @property
    def invoked_by_model(self) -> bool:
        """Whether the description is shown to a model: `model_invokation`, or its older name."""
        return bool(self.values.get("model_invokation") or self.values.get("auto_invoke"))

    @cached_property
    def body(self) -> str:
        """The text after the closing line, exactly as on disk; empty without a whole frame."""
        return self.text[self.frame.body.start :] if self.frame else ""

    @property
    def body_span(self) -> Span:
        """The span of the body; of the first line where there is no whole frame."""
        return self.frame.body if self.frame else self.first_line

    @property
    def first_line(self) -> Span:
        """The span of the first line, its BOM left out."""
        first = self.lines.span(1)
        return Span(first.start + self.text.startswith(BOM), first.end)

    @cached_property
    def lines(self) -> LineIndex:
        """The places of the text."""
        return LineIndex(self.text)

    def span(self, *path: str | int) -> Span:
        """Return the span of a frontmatter value: `span("sources", 0, "range")`.

        A value that is not there has the span of its key, of the part above it, or at last of the
        opening line.
        """
        root = self.composition.root
        return (locate(root, path) if root else None) or self._opener

    def key_span(self, key: str) -> Span:
        """Return the span of a top-level key; of the opening line when it is not there."""
        root = self.composition.root
        return root.entries[key][0].span if root and key in root.entries else self._opener

    def raw(self, *path: str | int) -> str:
        """Return the text of a frontmatter value as it stands in the file."""
        span = self.span(*path)
        return self.text[span.start : span.end]

    def has_heading(self, text: str) -> bool:
        """Tell whether the body has a heading of any level that reads `text`."""
        return text in self.body and any(h.text == text for h in self.headings)

    @cached_property
    def headings(self) -> tuple[markdown.Heading, ...]:
        """The headings of the body, in order."""
        return markdown.headings(self.body)

    @cached_property
    def references(self) -> tuple[markdown.Reference, ...]:
        """The `#slug`s of the body that are text, with their spans in the file."""
        start = self.body_span.start
        return tuple(
            markdown.Reference(r.slug, Span(start + r.span.start, start + r.span.end))
            for r in (markdown.references(self.body) if self.frame else ())
        )

    @cached_property
    def composition(self) -> Composition:
        """The frontmatter with the place of every value."""
        if self.frame is None:
            return Composition(None, ())
        return compose(
            self.text if self.composed_text is None else self.composed_text,
            self.frame.yaml,
            self.max_depth,
        )

    @property
    def _opener(self) -> Span:
        return self.frame.opener if self.frame else self.first_line
