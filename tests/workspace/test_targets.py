"""Which records the paths of a command line mean."""

import os
from pathlib import Path

import pytest

from yoimem.workspace.layout import Root, RootNotFoundError
from yoimem.workspace.targets import TargetError, Targets, find_targets, in_root, root_of_file

FOLDERS = frozenset({"memory", "knowledge", "workflow"})
A = "memory/decisions/a.md"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Root:
    """A memory with three records; its workspace is the working folder."""
    workspace = tmp_path.resolve() / "project"
    for path in (A, "memory/requests/b.md", "knowledge/c.md", "knowledge/README.md"):
        (workspace / ".yoi" / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / ".yoi" / path).write_text("x")
    (workspace / "src").mkdir()
    (workspace / "README.md").write_text("x")
    monkeypatch.chdir(workspace)
    return Root(workspace / ".yoi", workspace)


def one(*paths: str) -> Targets:
    (targets,) = find_targets([Path(path) for path in paths], FOLDERS)
    return targets


@pytest.mark.parametrize("path", [".", ".yoi", ".yoi/", "../project", "src/.."])
def test_a_workspace_or_a_root_means_every_record(root: Root, path: str) -> None:
    targets = one(path)
    assert targets.root == root
    assert A in targets
    assert "knowledge/c.md" in targets


def test_a_folder_means_the_records_below_it(root: Root) -> None:
    targets = one(".yoi/memory")
    assert A in targets
    assert "memory/requests/b.md" in targets
    assert "knowledge/c.md" not in targets


def test_a_folder_is_no_prefix_of_a_name(root: Root) -> None:
    (root.path / "memory" / "dec").mkdir()
    assert A not in one(".yoi/memory/dec")


@pytest.mark.parametrize("path", [f".yoi/{A}", f"./.yoi/../.yoi/{A}", f"src/../.yoi/{A}"])
def test_a_file_means_itself(root: Root, path: str) -> None:
    targets = one(path)
    assert A in targets
    assert "memory/requests/b.md" not in targets


def test_an_absolute_path_will_do(root: Root) -> None:
    assert A in one(str(root.path / A))


def test_several_paths_are_one_memory(root: Root) -> None:
    targets = one(f".yoi/{A}", ".yoi/knowledge")
    assert A in targets
    assert "knowledge/c.md" in targets
    assert "memory/requests/b.md" not in targets


def test_two_memories_keep_their_order(root: Root, tmp_path: Path) -> None:
    other = tmp_path.resolve() / "other"
    (other / ".yoi" / "memory").mkdir(parents=True)
    found = find_targets([other, Path(".yoi") / A], FOLDERS)
    assert [(t.root.workspace, t.whole) for t in found] == [(other, True), (root.workspace, False)]


def test_a_readme_among_the_records_means_nothing_and_is_no_error(root: Root) -> None:
    targets = one(".yoi/knowledge/README.md")
    assert (targets.whole, targets.files, targets.folders) == (False, set(), set())


@pytest.mark.parametrize(
    ("path", "said"),
    [
        pytest.param("missing.md", "there is no missing.md", id="missing"),
        pytest.param(".yoi/knowledge/c.txt", "there is no", id="missing in the root"),
        pytest.param("src", "is not below the memory", id="a folder elsewhere"),
        pytest.param(".yoi/stray", "is no place of a record", id="a folder of no records"),
        pytest.param(".yoi/stray/a.md", "is no place of a record", id="a file in it"),
        pytest.param(".yoi/knowledge/note.txt", "is no place of a record", id="no Markdown"),
        pytest.param("a" * 5_000, "there is no", id="a name that is too long"),
    ],
)
def test_a_path_that_means_no_record_is_told(root: Root, path: str, said: str) -> None:
    (root.path / "stray").mkdir()
    (root.path / "stray" / "a.md").write_text("x")
    (root.path / "knowledge" / "note.txt").write_text("x")
    with pytest.raises(TargetError, match=said):
        one(path)


def test_a_path_in_no_memory_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    with pytest.raises(RootNotFoundError, match="yoimem init"):
        find_targets([tmp_path / "a.md"], FOLDERS)


class TestLinks:
    def test_a_link_is_told_by_its_own_name(self, root: Root) -> None:
        (root.path / "knowledge" / "link.md").symlink_to(root.path / A)
        targets = one(".yoi/knowledge/link.md")
        assert "knowledge/link.md" in targets
        assert A not in targets

    def test_a_link_to_itself_is_a_target_like_another(self, root: Root) -> None:
        (root.path / "knowledge" / "loop.md").symlink_to("loop.md")
        assert "knowledge/loop.md" in one(".yoi/knowledge/loop.md")

    def test_a_dangling_link_is_a_target(self, root: Root) -> None:
        (root.path / "knowledge" / "gone.md").symlink_to("missing")
        assert "knowledge/gone.md" in one(".yoi/knowledge/gone.md")

    def test_a_link_to_the_workspace_means_every_record(self, root: Root, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(root.workspace)
        targets = one(str(tmp_path / "link"))
        assert (targets.root, targets.whole) == (root, True)

    def test_a_file_below_a_link_to_the_workspace_is_found(
        self, root: Root, tmp_path: Path
    ) -> None:
        (tmp_path / "link").symlink_to(root.workspace)
        assert A in one(str(tmp_path / "link" / ".yoi" / A))


class TestOlderLayout:
    @pytest.fixture
    def old(self, tmp_path: Path) -> Path:
        old = tmp_path.resolve() / "old"
        (old / "memory" / "decisions").mkdir(parents=True)
        (old / A).write_text("x")
        return old

    def test_the_folder_means_every_record(self, old: Path) -> None:
        assert one(str(old)).whole

    def test_a_file_and_a_folder_of_it_are_found(self, old: Path) -> None:
        assert A in one(str(old / A))
        assert A in one(str(old / "memory" / "decisions"))
        assert A in one(str(old / "memory"))

    def test_a_file_that_is_not_there_yet_has_its_root(self, old: Path) -> None:
        assert root_of_file(old / "memory" / "requests" / "new.md") == Root(old, old)


def test_the_variable_does_not_move_what_is_named(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YOIMEM_ROOT", str(tmp_path))
    assert one(f".yoi/{A}").root == root


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        (".yoi", ""),
        (".", ""),
        (f".yoi/{A}", A),
        (".yoi/knowledge", "knowledge"),
        (".yoi/not/there.md", "not/there.md"),
    ],
)
def test_a_path_is_told_relative_to_the_root(root: Root, path: str, inside: str) -> None:
    assert in_root(Path(path), root) == inside


def test_a_name_that_begins_like_the_root_lies_elsewhere(root: Root) -> None:
    os.mkdir(".yoi2")
    with pytest.raises(TargetError, match="is not below the memory"):
        in_root(Path(".yoi2/a.md"), root)
