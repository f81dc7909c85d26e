"""What of a body is not code: everything else may be read as a comment by somebody."""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

_LINE_END = re.compile(r"\r\n|\r|\n")
_SPAN = "``"
"""What stands for a code span, so that what is around it does not become one word."""


def outside_code(body: str) -> str:
    """Return `body` without the content of its code blocks and code spans (CommonMark).

    Only what the parser surely calls code is left out: what it drops, like the title of a link, or
    does not look into, is there. The order of the parts may be another.
    """
    lines = _LINE_END.split(body)
    parser = _parser()
    inlines: list[str] = []
    for block in parser.parse("\n".join(lines)):
        if block.map is None or block.type not in {"fence", "code_block", "inline"}:
            continue
        first, end = block.map
        for number in range(first + (block.type == "fence"), end):
            lines[number] = ""
        if block.type == "inline":
            inlines.append(_without_spans(parser, block.content))
    return "\n".join([*lines, *inlines])


def _without_spans(parser: "MarkdownIt", content: str) -> str:
    """Return the `content` of an inline block without its code spans."""
    if "`" not in content:
        return content
    spans: list[tuple[int, int]] = []
    parser.inline.parse(content, parser, {"content": content, "spans": spans}, [])
    at, kept = 0, []
    for start, end in spans:
        kept.append(content[at:start])
        at = end
    return _SPAN.join([*kept, content[at:]])


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - most runs parse no Markdown

    parser = MarkdownIt("commonmark")
    # Blocks first, then the inline text of those that hold a backtick, one by one.
    parser.core.ruler.disable("inline")
    parser.inline.ruler.at("backticks", _note_code_span)
    return parser


def _note_code_span(state: "StateInline", silent: bool) -> bool:
    """Parse a code span and note where it stands; the tokens themselves carry no position."""
    from markdown_it.rules_inline import backtick  # noqa: PLC0415 - most runs parse no Markdown

    start, tokens = state.pos, len(state.tokens)
    found = backtick(state, silent)
    is_span = any(token.type == "code_inline" for token in state.tokens[tokens:])
    if is_span and state.src == state.env["content"]:  # the text of an image is parsed apart
        state.env["spans"].append((start, state.pos))
    return found
