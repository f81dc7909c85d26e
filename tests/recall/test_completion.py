"""Completing a slug that is begun."""

import pytest

from tests.conftest import KNOWLEDGE, WORKFLOW, Memory
from tests.recall.shelves import BROKEN, HIDDEN, knowledge, library_of, workflow
from yoimem.recall.completion import complete


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.write("knowledge/use-sqlite.md", knowledge("a", "One file\n  on disk"))
    memory.write("knowledge/sqlite-wal.md", KNOWLEDGE)
    memory.write("knowledge/hidden-sqlite.md", HIDDEN)
    memory.write("knowledge/broken-sqlite.md", BROKEN)
    memory.write("knowledge/Bad Sqlite.md", KNOWLEDGE)
    memory.write("workflow/sqlite-backup.md", WORKFLOW)
    memory.write("memory/workflow/sqlite-backup.md", WORKFLOW)
    memory.write("workflow/sqlite-drop.md", workflow("a", more="user_invocable: false\n"))
    return memory


@pytest.mark.parametrize(
    ("prefix", "typed"),
    [
        ("#sq", ["#sqlite-wal", "#use-sqlite"]),
        ("#SQ", ["#sqlite-wal", "#use-sqlite"]),
        ("sq", ["#sqlite-wal", "#use-sqlite"]),
        ("#us", ["#use-sqlite"]),
        ("#", ["#sqlite-wal", "#use-sqlite"]),
        ("", ["#sqlite-wal", "#use-sqlite"]),
        ("/", ["/sqlite-backup"]),
        ("/back", ["/sqlite-backup"]),
        ("/use", []),
        ("##sq", []),
        ("#../", []),
        ("#.*", []),
        ("#データ", []),
    ],
)
def test_what_begins_so_comes_before_what_holds_it(
    prefix: str, typed: list[str], filled: Memory
) -> None:
    assert [found.typed for found in complete(library_of(filled), prefix)] == typed


def test_a_completion_has_its_description_on_one_line(filled: Memory) -> None:
    (found,) = complete(library_of(filled), "#use")
    assert (found.slug, found.description) == ("use-sqlite", "One file on disk")
    assert found.path == "knowledge/use-sqlite.md"
