"""Anthropic's memory tool over a memory of records: its commands, the same gate."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

from yoimem.lint.words import did_you_mean
from yoimem.records.text import LineIndex
from yoimem.tools.definitions import Argument, ToolDefinition
from yoimem.tools.errors import MemoryToolError
from yoimem.tools.memory_tools import MemoryTools
from yoimem.workspace.folder import LinkError
from yoimem.workspace.writer import Writer

TOP = "/memories"
_DEPTH = 2
"""How many levels of a directory a view lists."""
_CONTEXT = 3
"""How many lines around an edit a reply shows."""
_KILO = 1024


@dataclass(frozen=True, slots=True)
class AdapterResult:
    """What goes back to the model: the text of the tool result, and whether it is an error."""

    text: str
    is_error: bool = False


def _command(name: str, *arguments: Argument) -> ToolDefinition:
    return ToolDefinition(name, "", arguments)


def _text(name: str, description: str) -> Argument:
    return Argument(name, "string", description, required=True)


_PATH = _text("path", f"a path that begins with {TOP}")
_COMMANDS = {
    command.name: command
    for command in (
        _command("view", _PATH),
        _command("create", _PATH, _text("file_text", "the whole text of the record")),
        _command(
            "str_replace",
            _PATH,
            _text("old_str", "the text to replace, as it stands"),
            _text("new_str", "the text to put in its place"),
        ),
        _command(
            "insert",
            _PATH,
            Argument("insert_line", "integer", "the line to insert after, 0 for the top", True),
            _text("insert_text", "the text to insert"),
        ),
        _command("delete", _PATH),
        _command(
            "rename", _text("old_path", "the path it has"), _text("new_path", "the path to give it")
        ),
    )
}


class AnthropicMemoryTool:
    """Carries out the commands of Anthropic's memory tool, `memory_20250818`, on a memory.

    `/memories/memory/decisions/x.md` is the record `memory/decisions/x.md`. The hash of each record
    that was shown or written here is remembered, and what has changed since is not overwritten: the
    model is told to view it again. One object serves one conversation.

    Raises:
        ValueError: the tools are a consolidator's, who gives reasons that these commands have no
            place for.
    """

    definition: ClassVar[Mapping[str, str]] = {"type": "memory_20250818", "name": "memory"}
    """What goes into the list of tools of a request."""

    def __init__(self, tools: MemoryTools) -> None:
        if tools.actor == "consolidator":
            raise ValueError(
                "a consolidator gives reasons for its changes, and the commands of Anthropic's"
                " memory tool have no place for them; use MemoryTools"
            )
        self._tools = tools
        self._files = Writer(tools.root.path)
        self._seen: dict[str, str] = {}

    def handle(self, command: Mapping[str, Any]) -> AdapterResult:
        """Carry out `command`, the input of the model's tool call, and return the reply."""
        try:
            return AdapterResult(self._reply(dict(command)))
        except MemoryToolError as error:
            return AdapterResult(f"Error: {_wording(error, command)}", is_error=True)

    def _reply(self, arguments: dict[str, Any]) -> str:
        name = arguments.pop("command", None)
        if not isinstance(name, str) or name not in _COMMANDS:
            near = did_you_mean(name, _COMMANDS) if isinstance(name, str) else ""
            known = ", ".join(_COMMANDS)
            raise _wrong(f"there is no command {name!r}{near}; there are: {known}")
        view_range = arguments.pop("view_range", None) if name == "view" else None
        _COMMANDS[name].check(arguments)
        if name == "view":
            return self._view(arguments["path"], view_range)
        reply: str = getattr(self, f"_{name}")(**arguments)
        return reply

    def _view(self, path: str, view_range: object) -> str:
        inside = _inside(path)
        sizes = dict(self._sizes(inside))
        if not sizes and inside:
            return self._view_record(path, inside, view_range)
        if view_range is not None:
            raise _wrong(f"`view_range` is for files, and {path} is a directory")
        return _listing(path.rstrip("/"), sizes)

    def _view_record(self, path: str, inside: str, view_range: object) -> str:
        first, count = _lines(view_range)
        self._seen.pop(inside, None)
        result = self._tools.memory_read(inside, first, count)
        self._seen[inside] = result.sha256
        text = f"Here's the content of {path} with line numbers:\n{_numbered(result.text)}"
        cut = result.more and (count is None or result.text.count("\n") + 1 < count)
        rest = f"\n(of {result.lines} lines; view the rest with `view_range`)"
        return text + rest if cut else text

    def _create(self, path: str, file_text: str) -> str:
        inside = _inside(path)
        seen = self._seen.get(inside)
        there = self._is_there(inside)
        if there and seen is None:
            raise _wrong(
                f"File {path} already exists; view it first, and create will then replace what you"
                " have seen"
            )
        mode = "update" if there else "create"
        result = self._tools.memory_write(inside, file_text, mode=mode, expect=seen)
        self._seen[inside] = result.sha256
        return _with_warnings(f"File created successfully at: {path}", result.warnings)

    def _str_replace(self, path: str, old_str: str, new_str: str) -> str:
        inside = _inside(path)
        text = self._text(inside)
        line = _only_line(path, text, old_str, self._tools.masked(inside, old_str, text))
        result = self._tools.memory_edit(inside, old_str, new_str, expect=self._seen.get(inside))
        self._seen[inside] = result.sha256
        first = max(line - _CONTEXT, 1)
        last = line + len(LineIndex(new_str)) - 1 + _CONTEXT
        shown = self._tools.memory_read(inside, first, last - first + 1)
        reply = f"The memory file has been edited. The place now reads:\n{_numbered(shown.text)}"
        return _with_warnings(reply, result.warnings)

    def _insert(self, path: str, insert_line: int, insert_text: str) -> str:
        inside = _inside(path)
        text = self._text(inside)
        seen = self._seen.get(inside)
        if seen is None:
            raise _wrong(f"view {path} first: `insert_line` counts the lines of what you have seen")
        changed = _inserted(text, insert_line, insert_text)
        result = self._tools.memory_write(inside, changed, mode="update", expect=seen)
        self._seen[inside] = result.sha256
        return _with_warnings(f"The file {path} has been edited.", result.warnings)

    def _delete(self, path: str) -> str:
        inside = self._record(path)
        self._tools.memory_delete(inside, expect=self._seen.get(inside))
        self._seen.pop(inside, None)
        return f"Successfully deleted {path}"

    def _rename(self, old_path: str, new_path: str) -> str:
        old, new = self._record(old_path), _inside(new_path)
        if self._is_there(old) and self._is_there(new):
            raise _wrong(f"The destination {new_path} already exists")
        result = self._tools.move(old, new, expect=self._seen.get(old))
        if self._seen.pop(old, None) is not None:
            self._seen[new] = result.sha256
        return f"Successfully renamed {old_path} to {new_path}"

    def _record(self, path: str) -> str:
        """Return the root-relative path that `path` names; refuse a directory."""
        inside = _inside(path)
        if not inside or any(self._sizes(inside)):
            raise _wrong(f"{path} is a directory; take its records one at a time")
        return inside

    def _sizes(self, inside: str) -> Iterator[tuple[str, int]]:
        """Yield the records below the directory `inside`, and how many bytes each has."""
        if inside.endswith(".md"):
            return
        for entry in self._tools.memory_list().records:
            if not inside or entry.path.startswith(f"{inside}/"):
                with suppress(OSError):  # it went away since
                    yield entry.path, (self._tools.root.path / entry.path).stat().st_size

    def _is_there(self, inside: str) -> bool:
        """Tell whether a record can be read; why not is said by whatever is done to it next."""
        try:
            self._tools.memory_read(inside, 1, 1)
        except MemoryToolError:
            return False
        return True

    def _text(self, inside: str) -> str:
        """Return the whole text of a record as it stands, line ends and all."""
        self._tools.memory_read(inside, 1, 1)  # judges the path, and says what is wrong with it
        try:
            stored = self._files.read(inside)
        except (LinkError, OSError) as error:
            raise MemoryToolError("denied", str(error)) from error
        if stored is None:
            raise MemoryToolError("not_found", f"there is no record {inside}")
        return stored.data.decode("utf-8", "surrogateescape")


def _wrong(message: str) -> MemoryToolError:
    return MemoryToolError("invalid_argument", message)


def _wording(error: MemoryToolError, command: Mapping[str, Any]) -> str:
    if error.code == "not_found":
        path = command.get("path", command.get("old_path"))
        return f"The path {path} does not exist. Please provide a valid path."
    names_paths = error.report is not None or error.code in {"denied", "conflict"}
    return f"{error.message}\n(Paths above stand below {TOP}/.)" if names_paths else error.message


def _inside(path: str) -> str:
    """Return the root-relative path of `path`; empty for the top."""
    if path == TOP:
        return ""
    if not path.startswith(f"{TOP}/"):
        raise _wrong(f"{path} is not below {TOP}; a record is {TOP}/memory/decisions/x.md")
    return path.removeprefix(f"{TOP}/").rstrip("/")


def _lines(view_range: object) -> tuple[int, int | None]:
    """Return the first line to show, and how many; None for all that follow."""
    match view_range:
        case None:
            return 1, None
        case [int(first), -1] if first > 0:
            return first, None
        case [int(first), int(last)] if 0 < first <= last:
            return first, last - first + 1
        case _:
            raise _wrong(
                f"Invalid `view_range` parameter: {view_range}. It takes the first and the last"
                " line, from 1; -1 stands for the last line of the file"
            )


def _numbered(text: str) -> str:
    """Return the numbered lines of a read as this tool numbers them."""
    lines = (line.partition("\t") for line in text.split("\n"))
    return "\n".join(f"{number:>6}\t{line}" for number, _, line in lines)


def _only_line(path: str, text: str, old: str, shown: str) -> int:
    """Return the line where `old` begins, which must be in `text` exactly once.

    A reply says `shown` in its place.
    """
    if not old:
        raise _wrong("No replacement was performed, `old_str` is empty: give the text to replace")
    spelling = old if old in text else _with_line_ends(old, "\r\n")
    index = LineIndex(text)
    found = re.finditer(f"(?={re.escape(spelling)})", text)
    lines = [index.place(place.start()).line for place in found]
    if not lines:
        raise _wrong(
            f"No replacement was performed, old_str `{shown}` did not appear verbatim in {path}."
        )
    if len(lines) > 1:
        raise _wrong(
            f"No replacement was performed. Multiple occurrences of old_str `{shown}` in lines:"
            f" {', '.join(map(str, dict.fromkeys(lines)))}. Please ensure it is unique"
        )
    return lines[0]


def _inserted(text: str, line: int, added: str) -> str:
    """Return `text` with the lines of `added` after `line`; 0 is the top."""
    index = LineIndex(text)
    if not 0 <= line <= len(index):
        raise _wrong(
            f"Invalid `insert_line` parameter: {line}. It should be within the range of lines of"
            f" the file: [0, {len(index)}]"
        )
    end = "\r\n" if "\r\n" in text else "\n"
    new = _with_line_ends(added, end)
    if line == len(index):
        return text + new if text.endswith(("\n", "\r")) or not text else text + end + new
    at = index.span(line + 1).start
    return text[:at] + new.removesuffix(end) + end + text[at:]


def _with_line_ends(text: str, end: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", end)


def _with_warnings(reply: str, warnings: Iterable[str]) -> str:
    return "\n".join([reply, *(f"warning {line}" for line in warnings)])


def _listing(path: str, sizes: Mapping[str, int]) -> str:
    """List what `sizes`, of records below the directory `path`, hold; two levels of it."""
    depth = len(path.split("/")) + _DEPTH
    totals = {path: sum(sizes.values())}
    for record, size in sizes.items():
        parts = f"{TOP}/{record}".split("/")
        for length in range(len(path.split("/")) + 1, min(depth, len(parts)) + 1):
            entry = "/".join(parts[:length])
            totals[entry] = totals.get(entry, 0) + size
    head = (
        f"Here're the files and directories up to {_DEPTH} levels deep in {path}, excluding hidden"
        " items and node_modules:"
    )
    lines = (f"{_size(totals[entry])}\t{entry}" for entry in sorted(totals))
    return "\n".join([head, *lines])


def _size(count: float) -> str:
    for unit in ("B", "K", "M"):
        if count < _KILO:
            return f"{count:.0f}B" if unit == "B" else f"{count:.1f}{unit}"
        count /= _KILO
    return f"{count:.1f}G"
