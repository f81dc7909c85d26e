"""The library: records of one root, read when they are asked for."""

import os
from pathlib import Path

import pytest

from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, WORKFLOW, Memory
from tests.recall.shelves import library_of
from yoimem.recall.library import Library

SQLITE = "knowledge/use-sqlite.md"


@pytest.fixture
def library(memory: Memory) -> Library:
    memory.write("memory/summary.md", SUMMARY)
    memory.write("memory/decisions/use-sqlite.md", DECISION)
    memory.write(SQLITE, KNOWLEDGE)
    memory.write("knowledge/aaa.md", KNOWLEDGE)
    memory.write("workflow/release.md", WORKFLOW)
    memory.write("memory/workflow/bump.md", WORKFLOW)
    return library_of(memory)


def test_a_record_is_read_anew_each_time(library: Library, memory: Memory) -> None:
    first = library.record(SQLITE)
    memory.write(SQLITE, KNOWLEDGE.replace("Body.", "Changed."))
    second = library.record(SQLITE)
    assert first is not None
    assert second is not None
    assert (first.body, second.body) == ("Body.\n", "Changed.\n")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "knowledge",
        "knowledge/none.md",
        "knowledge/README.md",
        "knowledge/.hidden.md",
        "knowledge/deep/er.md",
        "knowledge/../knowledge/use-sqlite.md",
        "/knowledge/use-sqlite.md",
        "knowledge//use-sqlite.md",
        "memory/_staging/a.md",
        "memory/decisions/none/../use-sqlite.md",
        "pyproject.toml",
    ],
)
def test_what_is_no_place_of_a_record_is_none(path: str, library: Library, memory: Memory) -> None:
    memory.write("knowledge/README.md", "# Not a record\n")
    memory.write("knowledge/.hidden.md", KNOWLEDGE)
    memory.write("memory/_staging/a.md", KNOWLEDGE)
    assert library.record(path) is None


@pytest.mark.parametrize(
    ("slug", "kinds", "paths"),
    [
        ("use-sqlite", (), ["memory/decisions/use-sqlite.md", SQLITE]),
        ("use-sqlite", ("knowledge",), [SQLITE]),
        ("use-sqlite", ("workflow",), []),
        ("release", ("workflow",), ["workflow/release.md"]),
        ("bump", ("workflow",), ["memory/workflow/bump.md"]),
        ("summary", (), ["memory/summary.md"]),
        ("none", (), []),
        ("Use-SQLite", (), []),
        ("../knowledge/use-sqlite", (), []),
        ("", (), []),
    ],
)
def test_records_are_found_by_their_slug(
    slug: str, kinds: tuple[str, ...], paths: list[str], library: Library
) -> None:
    assert [record.path for record in library.named(slug, *kinds)] == paths


def test_records_come_by_slug_whatever_folder_they_are_in(library: Library) -> None:
    assert [record.path for record in library.of_kinds("knowledge", "workflow")] == [
        "knowledge/aaa.md",
        "memory/workflow/bump.md",
        "workflow/release.md",
        SQLITE,
    ]
    assert library.slugs("knowledge") == ["aaa", "use-sqlite"]
    assert library.slugs() == ["aaa", "bump", "release", "summary", "use-sqlite"]


def test_a_name_that_is_no_slug_is_a_path_and_no_slug(library: Library, memory: Memory) -> None:
    memory.write("knowledge/Not A Slug.md", KNOWLEDGE)
    assert "knowledge/Not A Slug.md" in library.paths("knowledge")
    assert library.slugs("knowledge") == ["aaa", "use-sqlite"]


def test_what_cannot_be_read_is_a_record_with_a_problem(
    library: Library, memory: Memory, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text(KNOWLEDGE.replace("Body.", "secret"))
    folder = memory.root / "knowledge"
    (folder / "linked.md").symlink_to(outside)
    (folder / "nowhere.md").symlink_to("gone.md")
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    memory.write("knowledge/bytes.md", KNOWLEDGE.replace("Body.", "\udcff"))
    memory.write("knowledge/empty.md", "")
    for slug in ("linked", "nowhere", "folder", "pipe", "bytes", "empty"):
        (record,) = library.named(slug, "knowledge")
        assert record.problems, slug
        assert "secret" not in record.text, slug


def test_a_folder_that_is_a_link_is_not_walked_and_is_told(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.md").write_text(KNOWLEDGE)
    (memory.root / "knowledge").symlink_to(tmp_path / "elsewhere")
    library = library_of(memory)
    assert library.paths() == []
    assert library.unread_folders("knowledge") == ["knowledge"]
    (record,) = library.named("a", "knowledge")
    assert record.problems
    assert record.text == ""


def test_only_the_record_that_is_named_is_read(
    library: Library, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name in a person's prompt must not cost a walk of a large memory."""

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(os, "listdir", refuse)
    (record,) = library.named("use-sqlite", "knowledge")
    assert record.path == SQLITE
