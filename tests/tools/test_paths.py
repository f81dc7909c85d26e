"""Paths that lead elsewhere are refused by every tool, and nothing is made anywhere."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import DECISION, NOW, SUMMARY, Memory

from yoimem.tools import MemoryToolError, MemoryTools

GOOD = "memory/decisions/use-sqlite.md"

NO_PATHS = [
    "",
    ".",
    "..",
    "/",
    "../outside.md",
    "memory/../../outside.md",
    "memory/decisions/../decisions/x.md",
    "memory/decisions/./x.md",
    "memory/decisions//x.md",
    "memory/decisions/x.md/",
    "decisions/..",
    "/etc/passwd",
    "/tmp/x.md",
    "//server/share/x.md",
    "C:\\x.md",
    "C:/memory/decisions/x.md",
    "C:memory/decisions/x.md",
    "memory\\decisions\\x.md",
    "memory/decisions\\x.md",
    "memory/decisions/..\\x.md",
    "\\\\?\\C:\\x.md",
    "~",
    "~/x.md",
    "~root/memory/decisions/x.md",
    "memory/decisions/x.md\0",
    "memory/decisions/\0/x.md",
    "memory/decisions/%2e%2e/x.md",
    "memory/decisions/%2e%2e%2fx.md",
    "memory/decisions/x.md:stream",
    "memory/decisions/x\n.md",
    "memory/decisions/x\u202e.md",
    "memory/decisions/x\u2028.md",
    "memory/decisions/\ud800.md",
    "memory/decisions/" + "a" * 300 + ".md",
    "memory/decisions/" + "é" * 130 + ".md",
]
NO_PLACES = [
    pytest.param("a/" * 3000 + "x.md", id="deep"),
    "x.md",
    "memory/x.md",
    "memory/decisions/x",
    "memory/decisions/x.txt",
    "memory/decisions/x.MD",
    "memory/decisions/deep/x.md",
    "memory/decisions/README.md",
    "knowledge/README.md",
    "memory/decisions/.md",
    "memory/decisions/.hidden.md",
    "memory/decisions/.yoimem-0.md",
    "memory/_lock",
    "memory/_logs/audit.jsonl",
    "memory/_logs/x.md",
    "memory/_staging/x.md",
    "memory/_offers/x.md",
    "MEMORY/decisions/x.md",
    "Memory/Decisions/x.md",
    "memory/DECISIONS/use-sqlite.md",
    "memory/SUMMARY.md",
    "memory/summary.md/x.md",
    "memory/décisions/x.md",
    "ｍemory/decisions/x.md",
    "memory2/decisions/x.md",
    ".yoi/memory/decisions/x.md",
    "knowledge2/x.md",
    "yoimem.toml",
    "pyproject.toml",
]
NO_SLUGS = [
    "memory/decisions/Use-Sqlite.md",
    "memory/decisions/USE-SQLITE.md",
    "memory/decisions/use-sqlite .md",
    "memory/decisions/use_sqlite.md",
    "memory/decisions/use--sqlite.md",
    "memory/decisions/e\u0301.md",
    "memory/decisions/\u00e9.md",
    "memory/decisions/ｕse-sqlite.md",
    "memory/decisions/use-ſqlite.md",
    "memory/decisions/con.md",
    "memory/decisions/" + "a" * 65 + ".md",
    "memory/decisions/x.md.md",
    "memory/decisions/ .md",
]


def tree(folder: Path) -> dict[str, tuple[int, bytes | str | None]]:
    """Return everything below `folder`: kind and mode, and what it holds or leads to."""
    found: dict[str, tuple[int, bytes | str | None]] = {}
    for top, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(top, name)
            held = os.readlink(path) if path.is_symlink() else None
            if path.is_file() and held is None:
                held = path.read_bytes()
            found[str(path)] = (path.lstat().st_mode, held)
    return found


@pytest.fixture
def tools(memory: Memory) -> MemoryTools:
    """Tools that have written before, so that the lock and the log are there."""
    memory.write(GOOD, DECISION)
    memory.write("memory/summary.md", SUMMARY)
    made = MemoryTools(memory.root, clock=lambda: NOW)
    made.memory_edit(GOOD, "Body", "Text")
    return made


def calls(tools: MemoryTools, path: str) -> list[Callable[[], object]]:
    """Return every tool's call with `path`, through the door of a model and the one of a host."""
    by_name = [
        ("memory_read", {}),
        ("memory_write", {"content": DECISION}),
        ("memory_write", {"content": DECISION, "mode": "update", "expect": "0" * 64}),
        ("memory_edit", {"old_string": "Text", "new_string": "Body"}),
        ("memory_delete", {}),
    ]
    return [
        *(lambda n=n, a=a: tools.call(n, {"path": path, **a}) for n, a in by_name),  # type: ignore[misc]
        lambda: tools.memory_read(path),
        lambda: tools.memory_write(path, DECISION),
        lambda: tools.memory_edit(path, "Text", "Body"),
        lambda: tools.memory_delete(path),
        lambda: tools.move(path, "memory/decisions/moved.md"),
        lambda: tools.move(GOOD, path),
    ]


def hold_out(
    memory: Memory, tools: MemoryTools, path: str, codes: set[str], outside: Path | None = None
) -> None:
    """Hold that every tool refuses `path` with one of `codes`, and that nothing changes."""
    before = tree(memory.workspace), tree(outside) if outside else None
    for call in calls(tools, path):
        with pytest.raises(MemoryToolError) as caught:
            call()
        assert caught.value.code in codes, (path, caught.value.message)
        caught.value.message.encode()
    assert (tree(memory.workspace), tree(outside) if outside else None) == before


@pytest.mark.parametrize("path", NO_PATHS, ids=range(len(NO_PATHS)))
def test_what_is_no_path_below_the_root(memory: Memory, tools: MemoryTools, path: str) -> None:
    hold_out(memory, tools, path, {"invalid_argument"})


@pytest.mark.parametrize("path", NO_PLACES)
def test_what_is_no_place_of_a_record(memory: Memory, tools: MemoryTools, path: str) -> None:
    hold_out(memory, tools, path, {"denied"})


@pytest.mark.parametrize("path", NO_SLUGS)
def test_what_is_no_slug(memory: Memory, tools: MemoryTools, path: str) -> None:
    hold_out(memory, tools, path, {"invalid_argument", "conflict", "not_found"})
    with pytest.raises(MemoryToolError) as caught:
        tools.memory_write(path, DECISION)
    assert caught.value.code == "invalid_argument"


def test_another_spelling_that_the_system_opens_is_still_no_record(
    memory: Memory, tools: MemoryTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on a system that folds case: the odd spelling leads to the record.
    read = tools._writer.read
    monkeypatch.setattr(tools._writer, "read", lambda path: read(path.lower()))
    hold_out(memory, tools, "memory/decisions/USE-SQLITE.md", {"invalid_argument", "conflict"})


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outside")
    (folder / "use-sqlite.md").write_text(DECISION)
    (folder / "decisions").mkdir()
    (folder / "decisions" / "use-sqlite.md").write_text(DECISION)
    return folder


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("name", ["new-leaf", "use-sqlite"])
@pytest.mark.parametrize("inside", [False, True])
def test_a_linked_folder(
    memory: Memory, tools: MemoryTools, outside: Path, name: str, inside: bool
) -> None:
    target = memory.root / "memory" / "decisions" if inside else outside
    (memory.root / "memory" / "requests").symlink_to(target)
    hold_out(memory, tools, f"memory/requests/{name}.md", {"denied"}, outside)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_linked_top_folder(memory: Memory, tools: MemoryTools, outside: Path) -> None:
    (memory.root / "knowledge").symlink_to(outside)
    hold_out(memory, tools, "knowledge/new-leaf.md", {"denied"}, outside)
    hold_out(memory, tools, "knowledge/use-sqlite.md", {"denied"}, outside)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_linked_memory_folder(memory: Memory, outside: Path) -> None:
    tools = MemoryTools(memory.root, clock=lambda: NOW)
    (memory.root / "memory").rmdir()
    (memory.root / "memory").symlink_to(outside)
    hold_out(memory, tools, "memory/decisions/use-sqlite.md", {"denied"}, outside)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("target", ["there", "nowhere", "itself"])
def test_a_linked_record(memory: Memory, tools: MemoryTools, outside: Path, target: str) -> None:
    link = memory.root / "memory" / "decisions" / "linked.md"
    leads_to = {"there": outside / "use-sqlite.md", "nowhere": outside / "new.md", "itself": link}
    link.symlink_to(leads_to[target])
    hold_out(memory, tools, "memory/decisions/linked.md", {"denied"}, outside)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("name", ["_lock", "_logs", "_logs/audit.jsonl"])
def test_linked_files_of_our_own(memory: Memory, outside: Path, name: str) -> None:
    memory.write(GOOD, DECISION)
    tools = MemoryTools(memory.root, clock=lambda: NOW)
    (memory.root / "memory" / name).parent.mkdir(exist_ok=True)
    target = outside if name == "_logs" else outside / "use-sqlite.md"
    (memory.root / "memory" / name).symlink_to(target)
    before = tree(outside)
    for call in (
        lambda: tools.memory_edit(GOOD, "Body", "Text"),
        lambda: tools.memory_write("memory/decisions/new.md", DECISION),
        lambda: tools.memory_delete(GOOD),
    ):
        with pytest.raises(MemoryToolError) as caught:
            call()
        assert caught.value.code == "denied"
    assert tree(outside) == before
    assert (memory.root / GOOD).read_text() == DECISION
    assert not (memory.root / "memory/decisions/new.md").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
def test_a_pipe_in_the_place_of_a_record_blocks_nobody(memory: Memory, tools: MemoryTools) -> None:
    os.mkfifo(memory.root / "memory/decisions/pipe.md")
    hold_out(memory, tools, "memory/decisions/pipe.md", {"denied"})


def test_a_folder_in_the_place_of_a_record(memory: Memory, tools: MemoryTools) -> None:
    (memory.root / "memory/decisions/folder.md").mkdir()
    hold_out(memory, tools, "memory/decisions/folder.md", {"denied"})


def test_a_sibling_whose_name_begins_like_the_root_stays_untouched(
    memory: Memory, tools: MemoryTools
) -> None:
    sibling = memory.workspace / ".yoi-backup" / "memory" / "decisions"
    sibling.mkdir(parents=True)
    (sibling / "use-sqlite.md").write_text(DECISION)
    for path in ("../.yoi-backup/memory/decisions/use-sqlite.md", "-backup/memory/decisions/x.md"):
        hold_out(memory, tools, path, {"denied", "invalid_argument"})


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_folder_that_is_swapped_for_a_link_between_look_and_use(
    memory: Memory, tools: MemoryTools, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = memory.root / "memory" / "decisions"
    judge = tools._judge_text

    def swap_after_judging(*args: object) -> object:
        result = judge(*args)  # type: ignore[arg-type]
        decisions.rename(memory.root / "memory" / "old")
        decisions.symlink_to(outside)
        return result

    monkeypatch.setattr(tools, "_judge_text", swap_after_judging)
    before = tree(outside)
    with pytest.raises(MemoryToolError) as caught:
        tools.memory_edit(GOOD, "Text", "Body")
    assert caught.value.code == "denied"
    assert tree(outside) == before
