"""A model that gets one refusal can mend everything at its next try.

The model here is a small parser: it knows the form of a violation's line, and the few phrasings in
which a rule says how to mend a thing. It knows no rule, no field and no value.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from tests.conftest import DECISION, KNOWLEDGE, NOW, Memory

from yoimem.tools import MemoryToolError, MemoryTools

VIOLATION = re.compile(
    r"- (?P<path>.+?):(?P<line>\d+):(?P<column>\d+): (?P<code>[A-Z]+\d+) (?P<name>[a-z0-9-]+):"
    r" (?P<message>.*?)(?:; the line is `(?P<source>.*?)`)?; to mend it: (?P<help>.*)"
)
RAW = re.compile(r"`(.+?)`")


@dataclass
class Draft:
    """A record as the model holds it: the lines it gave, a removed one being None."""

    path: str
    lines: list[str | None]
    added: dict[int, list[str]]

    @property
    def text(self) -> str:
        found: list[str] = []
        for number, line in enumerate(self.lines):
            found += self.added.get(number, [])
            if line is not None:
                found.append(line)
        return "\n".join(found)

    def replace(self, number: int, column: int, raw: str, new: str) -> None:
        """Put `new` in the place of `raw` at a column of the line as it was given."""
        line = self.lines[number]
        assert line is not None
        at = column - 1 if line.startswith(raw, column - 1) else line.index(raw)
        self.lines[number] = line[:at] + new + line[at + len(raw) :]


Mender = Callable[[Draft, int, int, str, re.Match[str]], None]


def meant(draft: Draft, line: int, column: int, message: str, found: re.Match[str]) -> None:
    """Mend "did you mean `X`?": the raw text is what the line holds at its place."""
    source = draft.lines[line] or ""
    raw = next(raw for raw in RAW.findall(message) if source.startswith(raw, column - 1))
    draft.replace(line, column, raw, found[1])


def quote(draft: Draft, line: int, column: int, message: str, found: re.Match[str]) -> None:
    """Mend "quote it: `'X'`"."""
    draft.replace(line, column, found[1].strip("'\""), found[1])


def add_line(draft: Draft, line: int, column: int, message: str, found: re.Match[str]) -> None:
    """Mend "add a line to the frontmatter: `X`": above the line that closes it."""
    draft.added.setdefault(line, []).append(found[1])


def delete_line(draft: Draft, line: int, column: int, message: str, found: re.Match[str]) -> None:
    """Mend "delete the line"."""
    draft.lines[line] = None


def whole_line(draft: Draft, line: int, column: int, message: str, found: re.Match[str]) -> None:
    """Mend "write `key: value`": the line as it should be."""
    draft.lines[line] = found[1]


def like(draft: Draft, line: int, column: int, message: str, found: re.Match[str]) -> None:
    """Mend "write ..., like X": the raw value becomes the example, the first one if several."""
    raw = re.search(r"is `(.+?)`: ", message)
    if raw:
        draft.replace(line, column, raw[1], found[1])
    else:  # the value is empty
        draft.lines[line] = f"{(draft.lines[line] or '').rstrip()} {found[1]}"


def one_of(draft: Draft, line: int, column: int, message: str, found: re.Match[str]) -> None:
    """Mend "write A or B": A will do."""
    raw = re.search(r"is `(.+?)`: ", message)
    assert raw
    draft.replace(line, column, raw[1], found[1])


def offset(draft: Draft, line: int, column: int, message: str, found: re.Match[str]) -> None:
    """Mend "add the offset: `X`": the longer text holds the raw one."""
    source = draft.lines[line] or ""
    raw = next(raw for raw in RAW.findall(message) if source.startswith(raw, column - 1))
    draft.replace(line, column, raw, found[1])


def rename(draft: Draft, line: int, column: int, message: str, found: re.Match[str]) -> None:
    """Mend "rename the file to `X`"."""
    draft.path = f"{draft.path.rpartition('/')[0]}/{found[1]}"


def backslash(draft: Draft, line: int, column: int, message: str, found: re.Match[str]) -> None:
    r"""Mend "a word that is no reference is written with a backslash, `\#word`"."""
    draft.replace(line, column, "#", "\\#")


PHRASES: list[tuple[str, Mender]] = [
    (r"did you mean `(.+?)`\?", meant),
    (r"quote it: `(.+?)`", quote),
    (r"add a line to the frontmatter: `(.+?)`", add_line),
    (r"delete the line", delete_line),
    (r"write `([a-z_]+: .+?)`", whole_line),
    (r"add the offset: `(.+?)`", offset),
    (r"rename the file to `(.+?)`", rename),
    (r"write .*?, like (\[.*\]|\{.*\}|`.+?`)", like),
    (r"write (\w+) or \w+", one_of),
    (r"written with a backslash", backslash),
]


def mend(path: str, text: str, message: str) -> tuple[str, str]:
    """Return the path and the text that follow the `message` of a refusal, word by word."""
    draft = Draft(path, list(text.split("\n")), {})
    found = [VIOLATION.fullmatch(line) for line in message.splitlines() if line.startswith("- ")]
    # From the end of the file, so that a place does not move before it is looked up.
    for violation in reversed(found):
        assert violation is not None, message
        assert violation["path"] == path
        number, column = int(violation["line"]) - 1, int(violation["column"])
        assert violation["source"] == text.split("\n")[number].strip()
        for phrase, mender in PHRASES:
            if match := re.search(phrase, violation["help"]):
                mender(draft, number, column, violation["message"], match)
                break
        else:
            pytest.fail(f"nothing in this can be followed: {violation['help']}")
    return draft.path, draft.text


SIX_FAULTS = {
    "a knowledge record": (
        "agent",
        "knowledge/release-guide.md",
        """\
---
kind: 12:30
model_invokation: yes
user_invocable: 1
last_sources: [{session_id: s, range: [9, 1]}]
name: release
---
See #how-to-write-record and #nothing-like-it.
""",
        {"FM101", "FM102", "FM103", "FM107", "RF006"},
        8,
    ),
    "a decision": (
        "agent",
        "memory/decisions/Use_SQLite.md",
        """\
---
id: 7
status: opne
sources:
  - session_id: 0010
    range: [0, 3]
  - session_id: later
    range: [5]
---
# Use SQLite

As in #how-to-writ-records.
""",
        {"ID001", "FM107", "FM106", "FM103", "FM102", "RF006"},
        6,
    ),
    "a decision of a person": (
        "human",
        "memory/decisions/use-sqlite.md",
        """\
---
created_at: 2026-01-10
updated_at: 2026-01-11T09:00:00
status: replaced
replaced_by: keep-postgre
sources:
name: x
---
As in #how-to-writ-records.
""",
        {"FM104", "FM105", "FM107", "FM102", "RF001", "RF006"},
        6,
    ),
    "a workflow of a person": (
        "human",
        "workflow/release.md",
        """\
---
name: release
model_invokation: on
user_invocable: "true"
requires: [how-to-write-record, how-to-writ-records]
---
Then #how-to-write-recods.
""",
        {"FM101", "FM102", "FM107", "RF001", "RF006"},
        7,
    ),
}


@pytest.mark.parametrize("name", SIX_FAULTS)
def test_the_second_try_passes(memory: Memory, name: str) -> None:
    actor, path, text, codes, number = SIX_FAULTS[name]
    memory.write("knowledge/how-to-write-records.md", KNOWLEDGE)
    memory.write("memory/decisions/keep-postgres.md", DECISION)
    tools = MemoryTools(memory.root, actor=actor, clock=lambda: NOW)  # type: ignore[arg-type]
    with pytest.raises(MemoryToolError) as caught:
        tools.memory_write(path, text)
    assert caught.value.report is not None
    assert {d.code for d in caught.value.report.errors} == codes
    assert len(caught.value.report.errors) == number >= 6
    tools.memory_write(*mend(path, text, caught.value.message))
    assert memory.lint().errors == ()


def test_an_edit_is_mended_likewise(memory: Memory) -> None:
    memory.write("knowledge/how-to-write-records.md", KNOWLEDGE)
    memory.write("memory/decisions/use-sqlite.md", DECISION)
    tools = MemoryTools(memory.root, clock=lambda: NOW)
    arguments: dict[str, Any] = {
        "path": "memory/decisions/use-sqlite.md",
        "old_string": "status: open",
        "new_string": "status: opne\nname: x",
    }
    with pytest.raises(MemoryToolError) as caught:
        tools.call("memory_edit", arguments)
    # The places are those of the record as the edit would leave it.
    before = (memory.root / arguments["path"]).read_text()
    edited = before.replace(arguments["old_string"], arguments["new_string"])
    _, text = mend(arguments["path"], edited, caught.value.message)
    expect = tools.memory_read(arguments["path"]).sha256
    tools.memory_write(arguments["path"], text, "update", expect)
    assert memory.lint().diagnostics == ()
