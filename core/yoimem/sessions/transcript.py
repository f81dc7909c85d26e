"""What the readers of transcripts share: JSON lines, the text of content blocks, tool summaries."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

LONGEST_SUMMARY = 400
"""How many characters the summary of a tool's result has at most (design, section 13)."""

_LONGEST_NAME = 60
_LONGEST_ARGUMENTS = 150
_LONGEST_STATUS = 20
_MOST_TOKENS = 1 << 40
_GAP = "\n…\n"
_SILENT = {"thinking", "redacted_thinking", "reasoning", "tool_use", "tool_result"}
"""Blocks that are no text of their entry: what was only thought, and what is told elsewhere."""


def object_of(line: str) -> dict[str, Any] | None:
    """Return the JSON object that `line` holds; None when it holds none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def objects(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON objects of `lines`, each with its index; other lines are passed over."""
    for index, line in enumerate(lines):
        value = object_of(line)
        if value is not None:
            yield index, value


def part(value: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the object at `key`; an empty one when there is none."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def text_at(value: dict[str, Any], key: str) -> str:
    """Return the text at `key`; an empty one when there is none."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def tokens_at(value: dict[str, Any], key: str) -> int:
    """Return the number of tokens at `key`; 0 when there is none, or an odd one."""
    found = value.get(key)
    if isinstance(found, bool) or not isinstance(found, int):
        return 0
    return found if 0 <= found <= _MOST_TOKENS else 0


def blocks(content: object) -> list[dict[str, Any]]:
    """Return the blocks of a message's `content`; a text is one block of text."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    found = content if isinstance(content, list) else []
    return [block for block in found if isinstance(block, dict)]


def text_of(content: object) -> str:
    """Return the text of a message's `content`; an image, like any attachment, becomes a word."""
    return "\n".join(filter(None, map(_block_text, blocks(content))))


def typed_text(content: object, injected: re.Pattern[str]) -> str:
    """Return the text of a user's message without the blocks that begin as `injected` ones do."""
    return text_of([b for b in blocks(content) if not injected.match(text_at(b, "text"))])


def tool_summary(name: str, arguments: object, status: str, output: str) -> str:
    """Return a tool's result in at most `LONGEST_SUMMARY` characters.

    They are the tool's name, a line of its arguments and its status, and of the output the first
    and the last line where there is no room for all of it.
    """
    called = one_line(name, _LONGEST_NAME) or "tool"
    given = arguments_line(arguments)
    head = f"{called}({given})" if given else called
    head = f"{head}: {one_line(status, _LONGEST_STATUS)}" if status.strip() else head
    text = output.strip()
    return f"{head}\n{_ends(text, LONGEST_SUMMARY - len(head) - 1)}" if text else head


def arguments_line(arguments: object) -> str:
    """Return a tool's arguments in one short line."""
    if isinstance(arguments, dict):
        given = (f"{key}={_argument(value)}" for key, value in arguments.items())
        return one_line(", ".join(given), _LONGEST_ARGUMENTS)
    return _argument(arguments)


def one_line(text: str, longest: int) -> str:
    """Return `text` in one line of at most `longest` characters."""
    return cut(" ".join(text[: longest * 4].split()), longest)


def cut(text: str, longest: int) -> str:
    """Return `text`, its end given up for `…` where it has more than `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _block_text(block: dict[str, Any]) -> str:
    kind = text_at(block, "type")
    if kind in _SILENT:
        return ""
    text = block.get("text")
    if isinstance(text, str):
        return text.strip()
    return f"[{one_line(kind.removeprefix('input_'), _LONGEST_NAME)}]" if kind else ""


def _argument(value: object) -> str:
    if isinstance(value, str):
        return one_line(value, _LONGEST_ARGUMENTS)
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return one_line(" ".join(value), _LONGEST_ARGUMENTS)
    return "…" if isinstance(value, list | dict) else json.dumps(value)


def _ends(text: str, room: int) -> str:
    """Return `text`, or what fits of its first and its last line."""
    if len(text) <= room:
        return text
    first, has_more, _ = text.partition("\n")
    if not has_more:
        return cut(text, room)
    half = (room - len(_GAP)) // 2
    last = text.rpartition("\n")[2]
    return cut(first.strip(), half) + _GAP + cut(last.strip(), half)
