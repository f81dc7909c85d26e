"""What the walk lists, and what can be read, whatever stands on the disk."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from yoimem.workspace.layout import is_linted
from yoimem.workspace.store import Store, UnreadableError

FOLDERS = frozenset({"memory", "knowledge", "workflow"})
A_LINK = "it is a link, and links are not followed"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / ".yoi"
    root.mkdir()
    return root


def put(root: Path, path: str, data: bytes = b"x") -> Path:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return target


def walked(root: Path) -> list[str]:
    """Return the paths that the walk lists; it meets no fault."""
    entries = Store(root).walk(FOLDERS)
    assert [entry.fault for entry in entries] == [""] * len(entries)
    return [entry.path for entry in entries]


def faults(root: Path) -> list[tuple[str, str]]:
    return [(entry.path, entry.fault) for entry in Store(root).walk(FOLDERS) if entry.fault]


def refusal(root: Path, path: str) -> str:
    """Return why the file at `path` cannot be read."""
    with pytest.raises(UnreadableError) as caught:
        Store(root).read(path)
    return str(caught.value)


class TestWalk:
    def test_it_lists_markdown_below_the_folders_of_records_in_order(self, root: Path) -> None:
        for path in (
            "workflow/b.md",
            "memory/summary.md",
            "memory/decisions/b.md",
            "memory/decisions/a.md",
            "memory/stray/deep/c.MD",
            "knowledge/a-b.md",
            "knowledge/a.md",
        ):
            put(root, path)
        assert walked(root) == [
            "knowledge/a-b.md",
            "knowledge/a.md",
            "memory/decisions/a.md",
            "memory/decisions/b.md",
            "memory/stray/deep/c.MD",
            "memory/summary.md",
            "workflow/b.md",
        ]

    @pytest.mark.parametrize(
        "path",
        [
            "a.md",
            "other/a.md",
            "knowledge/a.txt",
            "knowledge/README.md",
            "memory/decisions/README.md",
            "knowledge/.a.md",
            "knowledge/.git/a.md",
            "memory/_staging/a.md",
            "memory/_notes.md",
        ],
    )
    def test_it_passes_over_what_is_no_record(self, root: Path, path: str) -> None:
        put(root, path)
        assert walked(root) == []

    def test_a_root_without_folders_is_empty(self, root: Path) -> None:
        assert walked(root) == []
        (root / "memory").write_text("a file")
        assert walked(root) == []

    def test_a_loop_of_links_is_not_walked(self, root: Path) -> None:
        put(root, "memory/decisions/a.md")
        (root / "memory" / "decisions" / "up").symlink_to(root / "memory")
        (root / "memory" / "self").symlink_to("self")
        assert [entry.path for entry in Store(root).walk(FOLDERS)] == ["memory/decisions/a.md"]

    def test_a_link_to_what_is_no_record_is_passed_over(self, root: Path, tmp_path: Path) -> None:
        put(tmp_path, "outside/a.png")
        (root / "knowledge").mkdir()
        (root / "knowledge" / "images").symlink_to(tmp_path / "outside")
        (root / "knowledge" / "a.png").symlink_to(tmp_path / "outside" / "a.png")
        assert walked(root) == []

    def test_a_link_to_records_is_told_and_not_walked(self, root: Path, tmp_path: Path) -> None:
        put(tmp_path, "outside/a.md")
        (root / "memory").mkdir()
        (root / "memory" / "decisions").symlink_to(tmp_path / "outside")
        assert faults(root) == [("memory/decisions", A_LINK)]

    def test_a_folder_of_records_that_is_a_link_is_told(self, root: Path, tmp_path: Path) -> None:
        put(tmp_path, "outside/a.md")
        (root / "knowledge").symlink_to(tmp_path / "outside")
        assert faults(root) == [("knowledge", A_LINK)]

    def test_whatever_bears_the_name_of_a_record_is_listed(self, root: Path) -> None:
        put(root, "knowledge/a.md")
        (root / "knowledge" / "link.md").symlink_to("a.md")
        (root / "knowledge" / "dangling.md").symlink_to("missing")
        (root / "knowledge" / "folder.md").mkdir()
        os.mkfifo(root / "knowledge" / "pipe.md")
        assert walked(root) == [
            f"knowledge/{name}.md" for name in ("a", "dangling", "folder", "link", "pipe")
        ]

    def test_a_name_that_is_no_utf8_is_listed_and_read(self, root: Path) -> None:
        (root / "knowledge").mkdir()
        name = os.fsencode(root / "knowledge") + b"/\xff.md"
        with open(name, "wb") as file:
            file.write(b"x")
        (path,) = walked(root)
        assert os.fsencode(path) == b"knowledge/\xff.md"
        assert Store(root).read(path) == b"x"

    @pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads it all")
    def test_a_folder_that_may_not_be_read_is_told(self, root: Path) -> None:
        put(root, "knowledge/a.md")
        put(root, "memory/summary.md")
        (root / "knowledge").chmod(0)
        try:
            assert faults(root) == [("knowledge", "permission denied")]
        finally:
            (root / "knowledge").chmod(0o755)


@pytest.fixture
def deep(root: Path) -> Iterator[Path]:
    """A root with a row of 1,500 folders, one in the other, and a record in each hundredth."""
    (root / "knowledge").mkdir()
    levels = [os.open(root / "knowledge", os.O_RDONLY)]
    for level in range(1, 1_501):
        os.mkdir("d", dir_fd=levels[-1])
        levels.append(os.open("d", os.O_RDONLY, dir_fd=levels[-1]))
        os.close(levels[-2])
        if level % 100 == 0:
            os.close(os.open("a.md", os.O_CREAT | os.O_WRONLY, dir_fd=levels[-1]))
    os.close(levels[-1])
    yield root
    _remove_deep(root / "knowledge", 1_500)


def _remove_deep(folder: Path, depth: int) -> None:
    """Take the row away from below; the clean-up of the test run recurses, and would not."""
    for level in range(depth, 0, -1):
        last = f"{folder}{'/d' * level}"
        if level % 100 == 0:
            os.unlink(f"{last}/a.md")
        os.rmdir(last)


def test_a_deep_tree_is_walked_to_its_end(deep: Path) -> None:
    start = time.perf_counter()
    paths = walked(deep)
    seconds = time.perf_counter() - start
    assert sorted(path.count("/d") for path in paths) == list(range(100, 1_501, 100))
    assert seconds < 2


def test_a_path_that_is_too_long_for_the_system_is_told(root: Path) -> None:
    put(root, "knowledge/a.md")
    chain, name = [os.open(root / "knowledge", os.O_RDONLY)], "d" * 200
    for _ in range(25):
        os.mkdir(name, dir_fd=chain[-1])
        chain.append(os.open(name, os.O_RDONLY, dir_fd=chain[-1]))
    try:
        ((path, fault),) = faults(root)
        assert path.startswith(f"knowledge/{name}")
        assert fault == "file name too long"
    finally:
        for parent in reversed(chain[:-1]):
            os.rmdir(name, dir_fd=parent)
        for handle in chain:
            os.close(handle)


class TestSurvey:
    def test_it_lists_what_the_walk_lists(self, root: Path) -> None:
        for path in ("knowledge/a.md", "memory/summary.md"):
            put(root, path)
        signatures, _, unread = Store(root).survey(FOLDERS)
        assert sorted(signatures) == walked(root)
        assert unread == frozenset()

    def test_a_signature_changes_with_the_file_alone(self, root: Path) -> None:
        file = put(root, "knowledge/a.md", b"x")
        put(root, "knowledge/b.md", b"x")
        before = Store(root).survey(FOLDERS).changed
        assert Store(root).survey(FOLDERS).changed == before
        file.write_bytes(b"longer")
        after = Store(root).survey(FOLDERS).changed
        assert after["knowledge/a.md"] != before["knowledge/a.md"]
        assert after["knowledge/b.md"] == before["knowledge/b.md"]

    def test_it_names_the_folders_that_cannot_be_walked(self, root: Path, tmp_path: Path) -> None:
        put(root, "memory/summary.md")
        (root / "knowledge").symlink_to(tmp_path)
        signatures, _, unread = Store(root).survey(FOLDERS)
        assert list(signatures) == ["memory/summary.md"]
        assert unread == {"knowledge"}


class TestRead:
    @pytest.mark.parametrize("data", [b"", b"x", b"\xff\x00\r\n", b"y" * 100_000])
    def test_it_gives_the_bytes(self, root: Path, data: bytes) -> None:
        put(root, "knowledge/a.md", data)
        assert Store(root).read("knowledge/a.md") == data

    def test_what_is_not_there_is_none(self, root: Path) -> None:
        assert Store(root).read("knowledge/a.md") is None

    @pytest.mark.parametrize("target", ["a.md", "missing", "b.md", "/dev/zero"])
    def test_a_link_is_told_and_not_followed(self, root: Path, target: str) -> None:
        put(root, "knowledge/a.md", b"x")
        (root / "knowledge" / "b.md").symlink_to(target)
        assert refusal(root, "knowledge/b.md") == A_LINK

    def test_a_folder_says_so(self, root: Path) -> None:
        (root / "knowledge" / "a.md").mkdir(parents=True)
        assert refusal(root, "knowledge/a.md") == "it is a folder"

    def test_a_pipe_does_not_block(self, root: Path) -> None:
        (root / "knowledge").mkdir()
        os.mkfifo(root / "knowledge" / "a.md")
        assert refusal(root, "knowledge/a.md") == "it is no regular file"

    def test_a_file_in_the_place_of_a_folder_is_told(self, root: Path) -> None:
        put(root, "knowledge")
        assert refusal(root, "knowledge/a.md") == "not a directory"

    def test_a_huge_file_is_not_taken_into_memory(self, root: Path) -> None:
        with put(root, "knowledge/a.md").open("r+b") as file:
            file.truncate(1 << 40)
        assert "1,099,511,627,776 bytes" in refusal(root, "knowledge/a.md")

    @pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads it all")
    def test_a_file_that_may_not_be_read_is_told(self, root: Path) -> None:
        put(root, "knowledge/a.md").chmod(0)
        assert refusal(root, "knowledge/a.md") == "permission denied"


class TestReplace:
    def test_the_bytes_change_and_the_mode_stays(self, root: Path) -> None:
        file = put(root, "knowledge/a.md", b"old\r\n")
        file.chmod(0o640)
        assert Store(root).replace("knowledge/a.md", b"old\r\n", b"new\r\n")
        assert file.read_bytes() == b"new\r\n"
        assert file.stat().st_mode & 0o777 == 0o640
        assert os.listdir(file.parent) == ["a.md"]

    def test_what_changed_meanwhile_is_left_alone(self, root: Path) -> None:
        file = put(root, "knowledge/a.md", b"theirs")
        assert not Store(root).replace("knowledge/a.md", b"old", b"new")
        assert file.read_bytes() == b"theirs"
        assert os.listdir(file.parent) == ["a.md"]

    def test_what_is_gone_is_not_made_again(self, root: Path) -> None:
        (root / "knowledge").mkdir()
        assert not Store(root).replace("knowledge/a.md", b"old", b"new")
        assert not (root / "knowledge" / "a.md").exists()

    def test_a_link_stays_a_link(self, root: Path) -> None:
        file = put(root, "knowledge/a.md", b"old")
        (root / "knowledge" / "b.md").symlink_to("a.md")
        assert Store(root).replace("knowledge/b.md", b"old", b"new")
        assert (root / "knowledge" / "b.md").is_symlink()
        assert file.read_bytes() == b"new"


class TestCreate:
    def test_a_new_file_is_written_with_its_folders(self, root: Path) -> None:
        assert Store(root).create("memory/decisions/a.md", "é\r\n")
        assert (root / "memory/decisions/a.md").read_bytes() == "é\r\n".encode()

    def test_what_is_there_is_kept(self, root: Path) -> None:
        file = put(root, "memory/summary.md", b"old")
        assert not Store(root).create("memory/summary.md", "new")
        assert file.read_bytes() == b"old"


_NAMES = st.sampled_from(
    ["memory", "knowledge", "workflow", "other", "_staging", ".git", "decisions", "a", "a.txt"]
)
_FILES = st.sampled_from(
    ["a.md", "b.MD", "README.md", "readme.md", ".a.md", "_a.md", "md", "a.md.txt", "x y.md"]
)
_PATHS = st.builds(
    lambda folders, name: "/".join([*folders, name]), st.lists(_NAMES, max_size=3), _FILES
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(paths=st.sets(_PATHS, max_size=6))
def test_the_walk_lists_exactly_what_is_judged(
    paths: set[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("root")
    made = {path for path in paths if _put_if_possible(root, path)}
    assert walked(root) == sorted(path for path in made if is_linted(path, FOLDERS))


def _put_if_possible(root: Path, path: str) -> bool:
    try:
        put(root, path)
    except OSError:  # another path made a folder or a file of one of its parts
        return False
    return True
