"""The page for wrapper authors: its examples run, its tables are complete."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from yoimem.interfaces.cli.main import main
from yoimem.lint.errors import ConfigError
from yoimem.lint.trust import trust_file
from yoimem.tools import ErrorCode, MemoryToolError, MemoryTools, Scope

PAGE_PATH = Path(__file__).parents[2] / "docs" / "tools.md"
PAGE = PAGE_PATH.read_text("utf-8")
PATH = "memory/decisions/use-sqlite.md"
BROKEN = """\
---
status: done
sources: []
---
See #nowhere-at-all.
"""


def example(mark: str) -> str:
    (code,) = re.findall(rf"<!-- {mark} -->\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(code)


def executed(mark: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(example(mark), "tools.md", "exec"), names)
    return names


def table(heading: str) -> list[list[str]]:
    """Return the cells of the rows of the table below `heading`."""
    _, _, rest = PAGE.partition(f"# {heading}\n")
    rows = re.search(r"^\|.*?\n\|[-|]+\|\n((?:\|.*\n)+)", rest, re.MULTILINE)
    assert rows is not None
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[1].splitlines()]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert main(["init", str(tmp_path)]) == 0
    monkeypatch.chdir(tmp_path)
    return tmp_path


class ScriptedModel:
    """Writes a record with mistakes, and mends what the refusal says; then it is done."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def __call__(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]
    ) -> dict[str, Any]:
        assert "memory_write" in {tool["function"]["name"] for tool in tools}
        last = messages[-1]
        if last["role"] == "user":
            return self.write("{not json")
        self.told.append(last["content"])
        if "no JSON" in last["content"]:
            return self.write(json.dumps({"path": PATH, "content": BROKEN}))
        if "refused" in last["content"]:
            mended = BROKEN.replace("done", "open")
            for slug in re.findall(r"`#([a-z-]+)`", last["content"]):
                mended = mended.replace(f"#{slug}", "#how-to-write-records")
            return self.write(json.dumps({"path": PATH, "content": mended}))
        return {"role": "assistant", "content": "It is written."}

    def write(self, arguments: str) -> dict[str, Any]:
        function = {"name": "memory_write", "arguments": arguments}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": function}],
        }


def test_the_loop_brings_a_model_from_a_refusal_to_a_record(workspace: Path) -> None:
    model = ScriptedModel()
    run = executed("the loop")["run"]
    assert run(model, MemoryTools("."), "Remember that we use SQLite.") == "It is written."
    no_json, refusal, success = model.told
    assert no_json.startswith("error: the arguments are no JSON")
    assert refusal.startswith("error invalid_argument: refused, and nothing was written: 2 errors")
    assert f"{PATH}:" in refusal
    assert success.startswith(f"wrote {PATH}, sha256 ")
    text = (workspace / ".yoi" / PATH).read_text()
    assert "status: open" in text
    assert "See #how-to-write-records." in text


def test_the_loop_is_short_and_ends() -> None:
    assert len(example("the loop").strip().splitlines()) < 30
    run = executed("the loop")["run"]
    endless = ScriptedModel().write("{")
    with pytest.raises(RuntimeError, match="no answer in 3 turns"):
        run(lambda messages, tools: endless, MemoryTools("."), "Go on.", turns=3)


def test_the_refusal_shown_is_what_a_model_is_told(workspace: Path) -> None:
    (shown,) = re.findall(r"```text\n(error .*?)```", PAGE, re.DOTALL)
    with pytest.raises(MemoryToolError) as caught:
        MemoryTools(".").memory_write(PATH, BROKEN)
    told = f"error {caught.value.code}: {caught.value.message}".splitlines()
    for line, real in zip(shown.splitlines(), told, strict=True):
        assert real.startswith(line.removesuffix("…")), (line, real)


def test_the_method_works(workspace: Path) -> None:
    executed("a method")
    text = (workspace / ".yoi/knowledge/how-to-write-records.md").read_text()
    assert "short, in lower case" in text


def test_the_memory_tool_works() -> None:
    names = executed("the memory tool")
    assert names["request_tools"] == [{"type": "memory_20250818", "name": "memory"}]
    path = "/memories/memory/summary.md"
    shown = names["tool_result"]({"id": "t1", "input": {"command": "view", "path": path}})
    assert shown["content"].startswith(f"Here's the content of {path} with line numbers:\n     1\t")
    assert (shown["tool_use_id"], shown["is_error"]) == ("t1", False)
    gone = names["tool_result"]({"id": "t2", "input": {"command": "view", "path": "/etc/passwd"}})
    assert gone["is_error"] is True


def test_the_guard_works(workspace: Path) -> None:
    write_file = executed("the guard")["write_file"]
    assert write_file("notes.txt", "x") == "wrote notes.txt"
    with pytest.raises(MemoryToolError, match="memory_edit"):
        write_file(".yoi/memory/summary.md", "x")
    assert "What to know first" in (workspace / ".yoi/memory/summary.md").read_text()


def test_the_table_of_places_is_true(workspace: Path) -> None:
    (workspace / "pyproject.toml").write_text("[tool.yoimem]\n")
    scope = Scope.without_memory(".")
    expected = {
        "memory/": (".yoi/memory/summary.md", False),
        "workflow/": (".yoi/workflow/release.md", True),
        "yoimem.toml": ("yoimem.toml", True),
        "trust.json": (str(trust_file()), True),
        ".claude/settings*.json": ("../.claude/settings.json", True),
        "~/.claude.json": ("~/.claude.json", True),
        ".": (".", True),
    }
    rows = table("Keeping other tools away")
    older = next(row for row in rows if "older layout" in row[0])
    rows.remove(older)
    assert older[1:] == ["yes", "no"]
    for place, read, write in rows[:-1]:
        name = next(n for n in expected if f"`{n}`" in place)
        path, readable = expected.pop(name)
        assert (read.partition(";")[0], write) == ("yes" if readable else "no", "no")
        assert scope.allows(path, write=False) is readable
        assert not scope.allows(path, write=True)
    assert expected == {}
    assert rows[-1] == ["everything else", "yes", "yes"]
    assert Scope.without_memory(".", read=True).allows(".yoi/memory/summary.md", write=False)
    for path in (".yoi/yoimem.toml", ".yoi/pyproject.toml", "pyproject.toml", ".mcp.json"):
        assert not scope.allows(path, write=True)


def test_the_row_of_the_older_layout_is_true(tmp_path: Path) -> None:
    older = tmp_path / "older"
    (older / "memory").mkdir(parents=True)
    scope = Scope.without_memory(older)
    assert scope.allows(".yoi/notes.md", write=False)
    assert not scope.allows(".yoi/notes.md", write=True)


def test_a_committed_configuration_keeps_a_second_one_out(workspace: Path) -> None:
    (workspace / "yoimem.toml").write_text("")
    (workspace / "pyproject.toml").write_text("[tool.yoimem]\nignore = ['FM']\n")
    with pytest.raises(ConfigError, match="two configurations"):
        MemoryTools(".")


def test_every_code_and_every_tool_stands_in_its_table() -> None:
    codes = [row[0].strip("`") for row in table("What can go wrong")]
    assert codes == list(get_args(ErrorCode))
    shown = {row[0].strip("`"): row[1] for row in table("Three forms")}
    definitions = {definition.name: definition for definition in MemoryTools(".").definitions}
    assert set(shown) == set(definitions)
    for name, arguments in shown.items():
        named = re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", arguments))
        assert named == [argument.name for argument in definitions[name].arguments]


def test_the_three_forms_hold_one_schema() -> None:
    for definition in MemoryTools(".").definitions:
        schema = definition.input_schema()
        assert schema["additionalProperties"] is False
        assert definition.for_openai()["function"]["parameters"] == schema
        assert definition.for_anthropic()["input_schema"] == schema
        assert definition.for_mcp()["inputSchema"] == schema


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", PAGE):
        assert (PAGE_PATH.parent / target).exists(), target
