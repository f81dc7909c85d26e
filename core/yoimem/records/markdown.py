"""What the body of a record says as CommonMark: references, headings, code (design, section 4).

Parsing Markdown costs ten times the rest of a check, so it happens only for a body that a scan of
its text found worth it.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from yoimem.records.slug import is_slug
from yoimem.records.text import LineIndex, Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

# What may not stand before the `#` is looked at apart: a pattern that begins with a plain `#` is
# found many times faster.
# A letter with an accent goes on with a word (`#größe`); kana, kanji and the like begin another.
_CANDIDATE = re.compile(
    r"#([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)"
    r"(?![A-Za-z0-9_\-\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u1e00-\u1eff])"
)
_NEVER_BEFORE = re.compile(r"[A-Za-z0-9_/#&=?.\-{]")
_BLANK = re.compile(r"[\s\0\ufffd]")
_IN_ATTRIBUTES = re.compile(r"\{:?[ \t]*(?:[.#][\w-]+[ \t]+|[\w-]+=\S*[ \t]+)*$")
_NEAR = 400
"""How far before a `#` an address or an attribute list may begin, in characters."""
_HEX_COLOUR = re.compile(r"[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8}")
# Blanks that are none to CommonMark but that markdown-it strips, and the NUL that it replaces.
_NOT_KEPT = re.compile(r"[^\S \t\r\n]|\0")


@dataclass(frozen=True, slots=True)
class Reference:
    """A `#slug` in a text: the `slug`, and the `span` of it with its `#`."""

    slug: str
    span: Span


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its `level` from 1, its `text` as written, its `line` from 1 in the body."""

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
    text = _NOT_KEPT.sub("\ufffd", body)
    env: dict[str, Any] = {}
    blocks = parser.parse(text, env)
    lines = LineIndex(text)
    found: list[Reference] = []
    for token in blocks:
        if token.type != "inline" or token.map is None or "#" not in token.content:
            continue
        env["content"], env["found"] = token.content, []
        parser.inline.parse(token.content, parser, env, [])
        starts = _line_starts(lines, token.map[0], token.content) if env["found"] else []
        for offset, slug in env["found"]:
            in_content, in_body = starts[bisect_right(starts, (offset, len(body))) - 1]
            start = in_body + offset - in_content
            found.append(Reference(slug, Span(start, start + 1 + len(slug))))
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
    """Return the slug of a candidate; empty when it is none, or stands where no `#` counts."""
    start = match.start()
    if start and _NEVER_BEFORE.match(text, start - 1):
        return ""
    near = max(start - _NEAR, 0)
    before = text[max(near, text.rfind("\n", near, start) + 1) : start]
    if "://" in before and "://" in _BLANK.split(before)[-1]:
        return ""
    if "{" in before and _IN_ATTRIBUTES.search(before):
        return ""
    slug = match.group(1)
    return slug if is_slug(slug) else ""


@cache
def _plain_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - most runs parse no Markdown

    return MarkdownIt("commonmark")


@cache
def _reference_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - most runs parse no Markdown

    parser = MarkdownIt("commonmark")
    # Blocks first, then the inline text of those that hold a `#`, one by one.
    parser.core.ruler.disable("inline")
    parser.inline.ruler.before("text", "yoimem_reference", _note_reference)
    return parser


def _note_reference(state: "StateInline", silent: bool) -> bool:
    """Note a `#slug` at the parser's position; the inline tokens themselves carry no position."""
    if state.src[state.pos] != "#" or silent or state.linkLevel > 0:
        return False
    if state.src != state.env["content"]:  # the text of an image is parsed apart
        return False
    match = _CANDIDATE.match(state.src, state.pos)
    slug = _slug_at(state.src, match) if match else ""
    if slug:
        state.env["found"].append((state.pos, slug))
    return False


def _line_starts(lines: LineIndex, first: int, content: str) -> list[tuple[int, int]]:
    """Return where each line of `content`, an inline block, begins: in it, and in the body.

    The block begins below `first` lines. Its lines lost their indentation and their container's
    marks, never their end: what a line holds is the tail of a line of the body.
    """
    starts: list[tuple[int, int]] = []
    at = 0
    for number, line in enumerate(content.split("\n"), first + 1):
        held = line.strip(" \t")
        in_line = lines.text(number).rindex(held) if held else 0
        starts.append((at + line.index(held), lines.span(number).start + in_line))
        at += len(line) + 1
    return starts
