"""Anthropic's memory tool over the gate: what each command does, and what the model is told."""

import hashlib
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, WORKFLOW, Memory

from yoimem.tools import AnthropicMemoryTool, MemoryTools

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PATH = "/memories/memory/decisions/use-sqlite.md"
LISTED = (
    "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and"
    " node_modules:"
)
INSIDE = "memory/decisions/use-sqlite.md"


def adapter(memory: Memory) -> AnthropicMemoryTool:
    return AnthropicMemoryTool(MemoryTools(memory.root, clock=lambda: NOW))


def done(tool: AnthropicMemoryTool, command: str, **arguments: Any) -> str:
    result = tool.handle({"command": command, **arguments})
    assert not result.is_error, result.text
    return result.text


def refused(tool: AnthropicMemoryTool, command: str, **arguments: Any) -> str:
    result = tool.handle({"command": command, **arguments})
    assert result.is_error, result.text
    assert result.text.startswith("Error: ")
    return result.text


def on_disk(memory: Memory, path: str = INSIDE) -> str:
    return (memory.root / path).read_bytes().decode()


def tree(memory: Memory) -> dict[str, bytes]:
    files = sorted(p for p in memory.workspace.rglob("*") if p.is_file())
    return {
        p.relative_to(memory.workspace).as_posix(): p.read_bytes()
        for p in files
        if "/_" not in p.as_posix()
    }


@pytest.fixture
def stored(memory: Memory) -> Memory:
    memory.write("memory/summary.md", SUMMARY)
    memory.write(INSIDE, DECISION)
    return memory


class TestView:
    def test_a_record_is_shown_with_its_lines_numbered_six_wide(self, stored: Memory) -> None:
        text = done(adapter(stored), "view", path=PATH)
        lines = [f"{n:>6}\t{line}" for n, line in enumerate(DECISION.split("\n"), 1)]
        assert text.split("\n") == [f"Here's the content of {PATH} with line numbers:", *lines]
        assert lines[0] == "     1\t---"

    @pytest.mark.parametrize(
        ("view_range", "numbers"),
        [([2, 3], [2, 3]), ([6, -1], [6, 7, 8]), ([7, 99], [7, 8]), (None, list(range(1, 9)))],
    )
    def test_a_range_of_lines(
        self, stored: Memory, view_range: list[int] | None, numbers: list[int]
    ) -> None:
        text = done(adapter(stored), "view", path=PATH, view_range=view_range)
        assert [int(n) for n in re.findall(r"^ *(\d+)\t", text, re.MULTILINE)] == numbers

    @pytest.mark.parametrize("wrong", [[0, 3], [3, 2], [1], [1, 2, 3], "1-2", ["1", "2"], [9, -2]])
    def test_a_range_that_is_none(self, stored: Memory, wrong: object) -> None:
        text = refused(adapter(stored), "view", path=PATH, view_range=wrong)
        assert f"Invalid `view_range` parameter: {wrong}" in text

    def test_a_range_past_the_end_says_how_many_lines_there_are(self, stored: Memory) -> None:
        assert "8 lines" in refused(adapter(stored), "view", path=PATH, view_range=[20, 30])

    def test_a_long_record_says_that_there_is_more(self, memory: Memory) -> None:
        memory.write(INSIDE, DECISION + "word\n" * 50)
        (memory.workspace / "yoimem.toml").write_text("[tools]\nmax-read-lines = 10\n")
        text = done(adapter(memory), "view", path=PATH)
        assert text.endswith("(of 58 lines; view the rest with `view_range`)")
        asked_for = done(adapter(memory), "view", path=PATH, view_range=[1, 5])
        assert "view_range" not in asked_for

    def test_a_directory_lists_two_levels_with_sizes(self, stored: Memory) -> None:
        stored.write("knowledge/guide.md", KNOWLEDGE + "x" * 2000)
        stored.write("memory/_logs/audit.jsonl", "{}\n")
        size = len(KNOWLEDGE) + 2000
        whole = len(SUMMARY) + len(DECISION)
        assert done(adapter(stored), "view", path="/memories/").split("\n") == [
            LISTED,
            f"{(whole + size) / 1024:.1f}K\t/memories",
            f"{size / 1024:.1f}K\t/memories/knowledge",
            f"{size / 1024:.1f}K\t/memories/knowledge/guide.md",
            f"{whole}B\t/memories/memory",
            f"{len(DECISION)}B\t/memories/memory/decisions",
            f"{len(SUMMARY)}B\t/memories/memory/summary.md",
        ]
        below = done(adapter(stored), "view", path="/memories/memory/decisions")
        assert below.split("\n")[1:] == [
            f"{len(DECISION)}B\t/memories/memory/decisions",
            f"{len(DECISION)}B\t{PATH}",
        ]

    def test_an_empty_memory_has_an_empty_top(self, memory: Memory) -> None:
        assert done(adapter(memory), "view", path="/memories").endswith("\n0B\t/memories")

    def test_a_directory_has_no_lines(self, stored: Memory) -> None:
        text = refused(adapter(stored), "view", path="/memories", view_range=[1, 2])
        assert "/memories is a directory" in text

    def test_what_is_not_there(self, stored: Memory) -> None:
        path = "/memories/memory/decisions/other.md"
        for command, arguments in (
            ("view", {}),
            ("str_replace", {"old_str": "a", "new_str": "b"}),
            ("insert", {"insert_line": 0, "insert_text": "a"}),
            ("delete", {}),
        ):
            text = refused(adapter(stored), command, path=path, **arguments)
            assert text == f"Error: The path {path} does not exist. Please provide a valid path."
        gone = refused(adapter(stored), "rename", old_path=path, new_path=PATH)
        assert gone == f"Error: The path {path} does not exist. Please provide a valid path."


class TestCreate:
    def test_a_new_record_is_written_and_stamped(self, memory: Memory) -> None:
        text = done(adapter(memory), "create", path=PATH, file_text=DECISION)
        assert text == f"File created successfully at: {PATH}"
        assert on_disk(memory) == DECISION.replace("2026-01-10T09", "2026-03-01T12")

    def test_a_refusal_is_whole_and_nothing_is_written(self, memory: Memory) -> None:
        broken = DECISION.replace("open", "done").replace("sources: []\n", "") + "See #nowhere.\n"
        before = tree(memory)
        text = refused(adapter(memory), "create", path=PATH, file_text=broken)
        assert all(code in text for code in ("FM106", "FM101", "RF006"))
        assert text.count("to mend it: ") == 3
        assert text.endswith("(Paths above stand below /memories/.)")
        assert tree(memory) == before

    def test_over_a_record_that_was_not_seen_it_is_refused(self, stored: Memory) -> None:
        text = refused(adapter(stored), "create", path=PATH, file_text=DECISION + "More.\n")
        assert text.startswith(f"Error: File {PATH} already exists; view it first")
        assert on_disk(stored) == DECISION

    def test_over_a_record_that_was_seen_it_replaces_it(self, stored: Memory) -> None:
        tool = adapter(stored)
        done(tool, "view", path=PATH, view_range=[1, 2])
        done(tool, "create", path=PATH, file_text=DECISION + "More.\n")
        done(tool, "create", path=PATH, file_text=DECISION + "Even more.\n")
        assert on_disk(stored).endswith("Body.\nEven more.\n")

    def test_over_a_record_that_changed_since_it_is_refused(self, stored: Memory) -> None:
        tool = adapter(stored)
        done(tool, "view", path=PATH)
        stored.write(INSIDE, DECISION + "Someone else.\n")
        text = refused(tool, "create", path=PATH, file_text=DECISION + "Mine.\n")
        assert "has changed since it was read" in text
        assert on_disk(stored).endswith("Someone else.\n")
        done(tool, "view", path=PATH)
        done(tool, "create", path=PATH, file_text=DECISION + "Someone else.\nMine.\n")
        assert on_disk(stored).endswith("Someone else.\nMine.\n")

    def test_a_record_that_went_away_can_be_made_again_once_that_was_seen(
        self, stored: Memory
    ) -> None:
        tool = adapter(stored)
        done(tool, "view", path=PATH)
        (stored.root / INSIDE).unlink()
        assert "not there any more" in refused(tool, "create", path=PATH, file_text=DECISION)
        refused(tool, "view", path=PATH)
        done(tool, "create", path=PATH, file_text=DECISION)

    def test_a_wrong_slug_comes_back_with_everything_else(self, memory: Memory) -> None:
        path = "/memories/memory/decisions/Use SQLite.md"
        text = refused(adapter(memory), "create", path=path, file_text="no frontmatter")
        assert "ID001" in text
        assert "FM001" in text

    def test_warnings_come_with_success(self, memory: Memory) -> None:
        text = done(
            adapter(memory),
            "create",
            path=PATH,
            file_text=DECISION.replace("status", "owner: me\nstatus"),
        )
        assert text.startswith(f"File created successfully at: {PATH}\nwarning {INSIDE}:4:1: FM108")


class TestStrReplace:
    def test_the_text_is_replaced_and_the_place_shown(self, stored: Memory) -> None:
        text = done(adapter(stored), "str_replace", path=PATH, old_str="Body.", new_str=r"$& \1")
        assert text.startswith("The memory file has been edited.")
        assert "     7\t$& \\1" in text.split("\n")
        assert on_disk(stored).endswith("---\n$& \\1\n")
        assert "updated_at: 2026-03-01T12:00:00Z" in on_disk(stored)

    def test_the_place_shown_is_the_one_that_was_edited(self, memory: Memory) -> None:
        memory.write(INSIDE, DECISION + "".join(f"line {n}\n" for n in range(100)))
        text = done(
            adapter(memory),
            "str_replace",
            path=PATH,
            old_str="line 50\n",
            new_str="line 7\nline 8\n",
        )
        numbers = [int(n) for n in re.findall(r"^ *(\d+)\t", text, re.MULTILINE)]
        assert numbers == list(range(55, 64))
        assert "    58\tline 7" in text.split("\n")

    def test_text_that_is_not_there(self, stored: Memory) -> None:
        text = refused(adapter(stored), "str_replace", path=PATH, old_str="Bodi", new_str="x")
        assert text == (
            f"Error: No replacement was performed, old_str `Bodi` did not appear verbatim in {PATH}."
        )

    def test_text_that_is_there_several_times(self, memory: Memory) -> None:
        memory.write(INSIDE, DECISION + "aaaa\nx aaa\n")
        text = refused(adapter(memory), "str_replace", path=PATH, old_str="aaa", new_str="b")
        assert text == (
            "Error: No replacement was performed. Multiple occurrences of old_str `aaa` in lines:"
            " 8, 9. Please ensure it is unique"
        )

    def test_text_that_overlaps_itself_is_there_twice(self, memory: Memory) -> None:
        memory.write(INSIDE, DECISION + "aaaa\n")
        text = refused(adapter(memory), "str_replace", path=PATH, old_str="aaa", new_str="b")
        assert "in lines: 8. Please ensure it is unique" in text

    @pytest.mark.parametrize(("old", "new"), [("", "x"), ("Body", "Body")])
    def test_an_edit_that_says_nothing(self, stored: Memory, old: str, new: str) -> None:
        refused(adapter(stored), "str_replace", path=PATH, old_str=old, new_str=new)
        assert on_disk(stored) == DECISION

    def test_crlf_stays(self, memory: Memory) -> None:
        memory.write(INSIDE, (DECISION + "a\nb\n").replace("\n", "\r\n"))
        done(adapter(memory), "str_replace", path=PATH, old_str="a\nb", new_str="c\nd")
        text = on_disk(memory)
        assert text.endswith("Body.\r\nc\r\nd\r\n")
        assert text.count("\n") == text.count("\r\n")

    def test_a_change_since_the_view_is_a_conflict(self, stored: Memory) -> None:
        tool = adapter(stored)
        done(tool, "view", path=PATH)
        stored.write(INSIDE, DECISION + "Someone else.\n")
        text = refused(tool, "str_replace", path=PATH, old_str="Body.", new_str="Mine.")
        assert "has changed since it was read" in text
        assert on_disk(stored) == DECISION + "Someone else.\n"

    def test_a_refusal_of_the_rules_is_whole(self, stored: Memory) -> None:
        text = refused(adapter(stored), "str_replace", path=PATH, old_str="open", new_str="done")
        assert "FM106 invalid-status" in text
        assert on_disk(stored) == DECISION


class TestInsert:
    @pytest.mark.parametrize(
        ("line", "added", "body"),
        [
            (6, "new\n", "new\nBody.\n"),
            (6, "new", "new\nBody.\n"),
            (6, "two\nlines\n", "two\nlines\nBody.\n"),
            (7, "new\n", "Body.\nnew\n"),
            (8, "new\n", "Body.\nnew\n"),
            (8, "new", "Body.\nnew"),
        ],
    )
    def test_lines_go_after_the_line(
        self, stored: Memory, line: int, added: str, body: str
    ) -> None:
        tool = adapter(stored)
        done(tool, "view", path=PATH)
        text = done(tool, "insert", path=PATH, insert_line=line, insert_text=added)
        assert text == f"The file {PATH} has been edited."
        assert on_disk(stored).endswith(f"sources: []\n---\n{body}")

    def test_a_last_line_without_an_end_gets_one(self, memory: Memory) -> None:
        memory.write(INSIDE, DECISION.removesuffix("\n"))
        tool = adapter(memory)
        done(tool, "view", path=PATH)
        done(tool, "insert", path=PATH, insert_line=7, insert_text="new")
        assert on_disk(memory).endswith("---\nBody.\nnew")

    def test_crlf_stays(self, memory: Memory) -> None:
        memory.write(INSIDE, DECISION.replace("\n", "\r\n"))
        tool = adapter(memory)
        done(tool, "view", path=PATH)
        done(tool, "insert", path=PATH, insert_line=6, insert_text="one\ntwo\n")
        text = on_disk(memory)
        assert text.endswith("---\r\none\r\ntwo\r\nBody.\r\n")
        assert text.count("\n") == text.count("\r\n")

    @pytest.mark.parametrize("line", [-1, 9])
    def test_a_line_that_is_not_there(self, stored: Memory, line: int) -> None:
        tool = adapter(stored)
        done(tool, "view", path=PATH)
        text = refused(tool, "insert", path=PATH, insert_line=line, insert_text="x")
        assert text == (
            f"Error: Invalid `insert_line` parameter: {line}. It should be within the range of"
            " lines of the file: [0, 8]"
        )

    def test_what_was_not_seen_has_no_lines_to_count(self, stored: Memory) -> None:
        text = refused(adapter(stored), "insert", path=PATH, insert_line=6, insert_text="x")
        assert f"view {PATH} first" in text

    def test_what_was_created_here_was_seen(self, memory: Memory) -> None:
        tool = adapter(memory)
        done(tool, "create", path=PATH, file_text=DECISION)
        done(tool, "insert", path=PATH, insert_line=6, insert_text="First.\n")
        assert on_disk(memory).endswith("---\nFirst.\nBody.\n")

    def test_a_change_since_the_view_is_a_conflict(self, stored: Memory) -> None:
        tool = adapter(stored)
        done(tool, "view", path=PATH)
        changed = DECISION.replace("Body.", "Another line.\nBody.")
        stored.write(INSIDE, changed)
        text = refused(tool, "insert", path=PATH, insert_line=6, insert_text="x")
        assert "has changed since it was read" in text
        assert on_disk(stored) == changed


class TestDeleteAndRename:
    def test_a_record_is_deleted(self, stored: Memory) -> None:
        assert done(adapter(stored), "delete", path=PATH) == f"Successfully deleted {PATH}"
        assert not (stored.root / INSIDE).exists()

    def test_a_record_that_changed_since_the_view_stays(self, stored: Memory) -> None:
        tool = adapter(stored)
        done(tool, "view", path=PATH)
        stored.write(INSIDE, DECISION + "Someone else.\n")
        assert "has changed" in refused(tool, "delete", path=PATH)
        assert (stored.root / INSIDE).exists()

    def test_a_record_that_others_refer_to_stays(self, stored: Memory) -> None:
        stored.write("knowledge/guide.md", KNOWLEDGE)
        stored.write(INSIDE, DECISION + "See #guide.\n")
        text = refused(adapter(stored), "delete", path="/memories/knowledge/guide.md")
        assert f"{INSIDE}:8:5: RF006" in text

    @pytest.mark.parametrize("path", ["/memories", "/memories/", "/memories/memory/decisions"])
    def test_a_directory_is_not_deleted(self, stored: Memory, path: str) -> None:
        before = tree(stored)
        assert "is a directory" in refused(adapter(stored), "delete", path=path)
        moved = refused(adapter(stored), "rename", old_path=path, new_path="/memories/memory/old")
        assert "is a directory" in moved
        assert tree(stored) == before

    def test_a_record_is_renamed_and_stays_seen(self, stored: Memory) -> None:
        tool = adapter(stored)
        new = "/memories/memory/decisions/use-files.md"
        done(tool, "view", path=PATH)
        text = done(tool, "rename", old_path=PATH, new_path=new)
        assert text == f"Successfully renamed {PATH} to {new}"
        assert not (stored.root / INSIDE).exists()
        assert on_disk(stored, "memory/decisions/use-files.md") == DECISION
        done(tool, "create", path=new, file_text=DECISION + "More.\n")

    def test_nothing_is_renamed_over_a_record(self, stored: Memory) -> None:
        other = "/memories/memory/decisions/other.md"
        stored.write("memory/decisions/other.md", DECISION + "Other.\n")
        before = tree(stored)
        text = refused(adapter(stored), "rename", old_path=PATH, new_path=other)
        assert text == f"Error: The destination {other} already exists"
        assert tree(stored) == before

    def test_a_new_name_passes_the_rules(self, stored: Memory) -> None:
        new = "/memories/memory/decisions/Use_SQLite.md"
        assert "ID001" in refused(adapter(stored), "rename", old_path=PATH, new_path=new)
        assert on_disk(stored) == DECISION


class TestRefusals:
    @pytest.mark.parametrize(
        "path",
        [
            "/memories/../secret.md",
            "/memories/memory/decisions/../../../x.md",
            "/memories/memory/_logs/audit.jsonl",
            "/memories/notes.txt",
            "/memories//etc/passwd",
            "/memories/memory/decisions/a%2e.md",
            "/memories/memory\\decisions\\a.md",
            "/memories/memory/decisions/a\0.md",
            "/memories2/memory/decisions/a.md",
            "/etc/passwd",
            "memory/decisions/a.md",
            "",
            "/",
        ],
    )
    def test_a_path_outside_the_records(self, stored: Memory, path: str) -> None:
        before = tree(stored)
        tool = adapter(stored)
        refused(tool, "view", path=path)
        refused(tool, "create", path=path, file_text=DECISION)
        refused(tool, "str_replace", path=path, old_str="Body", new_str="x")
        refused(tool, "insert", path=path, insert_line=0, insert_text="x")
        refused(tool, "delete", path=path)
        refused(tool, "rename", old_path=path, new_path="/memories/memory/decisions/new.md")
        refused(tool, "rename", old_path=PATH, new_path=path)
        assert tree(stored) == before

    def test_a_wrong_place_names_the_right_ones(self, memory: Memory) -> None:
        text = refused(adapter(memory), "create", path="/memories/notes.md", file_text="x")
        assert "memory/decisions/<slug>.md" in text

    def test_a_workflow_is_not_written(self, memory: Memory) -> None:
        path = "/memories/workflow/release.md"
        assert "PL001" in refused(adapter(memory), "create", path=path, file_text=WORKFLOW)
        assert not (memory.root / "workflow").exists()

    def test_a_link_is_not_followed(self, stored: Memory, tmp_path: Path) -> None:
        outside = tmp_path / "outside.md"
        outside.write_text(DECISION)
        (stored.root / "memory/decisions/link.md").symlink_to(outside)
        path = "/memories/memory/decisions/link.md"
        assert "is a link" in refused(adapter(stored), "view", path=path)
        assert "is a link" in refused(adapter(stored), "delete", path=path)
        text = refused(adapter(stored), "str_replace", path=path, old_str="Body", new_str="x")
        assert "is a link" in text
        assert outside.read_text() == DECISION

    @pytest.mark.parametrize(
        ("command", "said"),
        [
            ({}, "there is no command None"),
            ({"command": "veiw", "path": PATH}, "did you mean `view`"),
            ({"command": ["view"], "path": PATH}, "there is no command ['view']"),
            ({"command": "view"}, "`path` is missing"),
            ({"command": "view", "path": 3}, "`path` takes a text, not 3"),
            ({"command": "view", "path": PATH, "lines": 3}, "no argument `lines`"),
            ({"command": "create", "path": PATH}, "`file_text` is missing"),
            ({"command": "delete", "path": PATH, "view_range": [1, 2]}, "no argument `view_range`"),
            (
                {"command": "insert", "path": PATH, "insert_line": "6", "insert_text": "x"},
                "`insert_line` takes a whole number",
            ),
            ({"command": "_read", "path": PATH}, "there is no command '_read'"),
        ],
    )
    def test_a_command_that_is_none(
        self, stored: Memory, command: dict[str, Any], said: str
    ) -> None:
        before = tree(stored)
        result = adapter(stored).handle(command)
        assert result.is_error
        assert said in result.text
        assert tree(stored) == before

    def test_a_consolidator_has_no_such_tool(self, memory: Memory) -> None:
        with pytest.raises(ValueError, match="reasons"):
            AnthropicMemoryTool(MemoryTools(memory.root, actor="consolidator"))


def test_the_definition_is_the_one_of_the_api() -> None:
    assert dict(AnthropicMemoryTool.definition) == {"type": "memory_20250818", "name": "memory"}


def test_every_change_is_in_the_audit_log(stored: Memory) -> None:
    tool = adapter(stored)
    done(tool, "view", path=PATH)
    done(tool, "insert", path=PATH, insert_line=6, insert_text="First.\n")
    data = (stored.root / INSIDE).read_bytes()
    done(tool, "delete", path=PATH)
    log = (stored.root / "memory/_logs/audit.jsonl").read_text()
    assert log.count(hashlib.sha256(data).hexdigest()) == 4  # after the one, before the other
