"""What the body of a record says as CommonMark: references, headings, code (design, section 4).

Parsing Markdown costs ten times the rest of a check, so it happens only for a body that a scan of
its text found worth it.
"""

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from yoimem.records.slug import is_slug
from yoimem.records.text import LineIndex, Span

# What may not stand before the `#` is looked at apart: a pattern that begins with a plain `#` is
# found many times faster.
_CANDIDATE = re.compile(r"#([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?![A-Za-z0-9_-])")
_NEVER_BEFORE = re.compile(r"[A-Za-z0-9_/#&=?.\-{]")
_HEX_COLOUR = re.compile(r"[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Reference:
    """A `#slug` in a text: the slug, and the span of it with its `#`."""

    slug: str
    span: Span


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level from 1, its text as written, and its line counted from 1 in the body."""

    level: int
    text: str
    line: int


def candidates(body: str) -> tuple[str, ...]:
    """Return the slugs that stand behind a `#` in `body`, each once, in order.

    A slug in code, a link or HTML is among them: only `references` can tell.
    """
    if "#" not in body:
        return ()
    found = (_slug_at(body, match) for match in _CANDIDATE.finditer(body))
    return tuple(dict.fromkeys(slug for slug in found if slug))


def needs_record(slug: str) -> bool:
    """Tell whether `#slug` is a reference only when such a record exists.

    Issue numbers, ranges and colours look alike: a slug that begins with a digit, or reads as 3,
    4, 6 or 8 hex digits.
    """
    return slug[0].isdigit() or _HEX_COLOUR.fullmatch(slug) is not None


def references(body: str) -> tuple[Reference, ...]:
    """Return every `#slug` of `body` that is text: not in code, links, autolinks or HTML."""
    if not candidates(body):
        return ()
    parser = _reference_parser()
    env: dict[str, Any] = {}
    blocks = parser.parse(body, env)
    lines = LineIndex(body)
    found: list[Reference] = []
    for token in blocks:
        if token.type != "inline" or token.map is None or "#" not in token.content:
            continue
        env["found"] = []
        parser.inline.parse(token.content, parser, env, [])
        for offset, slug in env["found"]:
            span = _in_body(lines, token.map, token.content, offset, len(slug) + 1)
            if span is not None:
                found.append(Reference(slug, span))
    return tuple(found)


def headings(body: str) -> tuple[Heading, ...]:
    """Return the headings of `body`, ATX and setext, in order."""
    tokens = _plain_parser().parse(body)
    return tuple(
        Heading(int(token.tag[1:]), inline.content.strip(), (token.map or [0])[0] + 1)
        for token, inline in pairwise(tokens)
        if token.type == "heading_open"
    )


def code_lines(body: str) -> frozenset[int]:
    """Return the numbers, from 1, of the lines of `body` that stand in code blocks."""
    blocks = (
        token.map
        for token in _plain_parser().parse(body)
        if token.type in {"fence", "code_block"} and token.map is not None
    )
    return frozenset(line + 1 for first, last in blocks for line in range(first, last))


def _slug_at(text: str, match: re.Match[str]) -> str:
    """Return the slug of a candidate; empty when it is none, or follows what a `#` may not follow."""
    start = match.start()
    if start and _NEVER_BEFORE.match(text, start - 1):
        return ""
    slug = match.group(1)
    return slug if is_slug(slug) else ""


@cache
def _plain_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


@cache
def _reference_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    # Blocks first, then the inline text of those that hold a `#`, one by one.
    parser.core.ruler.disable("inline")
    parser.inline.ruler.before("text", "yoimem_reference", _note_reference)
    return parser


def _note_reference(state: StateInline, silent: bool) -> bool:
    """Note a `#slug` at the parser's position; the inline tokens themselves carry no position."""
    if state.src[state.pos] != "#" or silent or state.linkLevel > 0:
        return False
    match = _CANDIDATE.match(state.src, state.pos)
    slug = _slug_at(state.src, match) if match else ""
    if slug:
        state.env["found"].append((state.pos, slug))
    return False


def _in_body(
    lines: LineIndex, block: list[int], content: str, offset: int, length: int
) -> Span | None:
    """Return the span in the body of `content[offset:]`, the text of an inline block.

    The block's lines lost their indentation and their container's marks, never their end: a line
    of the content is the tail of a line of the body.
    """
    before = content[:offset]
    line = block[0] + before.count("\n") + 1
    if line > len(lines):
        return None
    text = content.split("\n")[before.count("\n")]
    column = offset - (before.rfind("\n") + 1)
    whole = lines.text(line)
    at = whole.rstrip().rfind(text.rstrip())
    if at < 0:
        return None
    start = lines.span(line).start + at + column
    return Span(start, start + length)
