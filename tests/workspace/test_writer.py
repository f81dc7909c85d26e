"""The writer: one at a time, whole or not at all, and nothing left behind."""

import os
import stat
from pathlib import Path

import pytest

from yoimem.workspace.audit import AUDIT_PATH, sha256
from yoimem.workspace.folder import LinkError, StoredFile, open_folder
from yoimem.workspace.writer import LOCK_PATH, Author, BusyError, Writer

PATH = "memory/decisions/a.md"
AUTHOR = Author("agent", "s-1")
TIME = "2026-03-01T12:00:00.000+00:00"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    return tmp_path


@pytest.fixture
def writer(root: Path) -> Writer:
    return Writer(root, 0.1)


def put(writer: Writer, data: bytes, path: str = PATH) -> StoredFile:
    with writer.locked():
        writer.write(path, writer.read(path), data, "tool", TIME, AUTHOR)
        stored = writer.read(path)
    assert stored is not None
    return stored


def stages(writer: Writer) -> list[str]:
    return [line.stage for line in writer.audit.lines()]


@pytest.mark.parametrize("data", [b"", b"x", b"\xff\x00\r\n", b"y" * (1 << 20)])
def test_what_is_written_is_read(writer: Writer, data: bytes) -> None:
    assert put(writer, data).data == data
    assert put(writer, data[::-1]).data == data[::-1]
    assert stages(writer) == ["intent", "done"] * 2


def test_folders_are_made_on_the_way(writer: Writer, root: Path) -> None:
    put(writer, b"x", "knowledge/deep/er/a.md")
    assert (root / "knowledge/deep/er/a.md").read_bytes() == b"x"


def test_what_is_not_there_is_none(writer: Writer) -> None:
    assert writer.read(PATH) is None
    assert writer.read("nowhere/at/all.md") is None


def test_a_record_is_removed_and_moved(writer: Writer, root: Path) -> None:
    stored = put(writer, b"x")
    with writer.locked():
        writer.move(PATH, "knowledge/b.md", stored, "move", TIME, AUTHOR)
    assert not (root / PATH).exists()
    assert (root / "knowledge/b.md").read_bytes() == b"x"
    with writer.locked():
        writer.remove("knowledge/b.md", stored, "delete", TIME, AUTHOR)
    assert not (root / "knowledge/b.md").exists()
    last = list(writer.audit.lines())[-1]
    assert (last.before, last.after) == (sha256(b"x"), None)


def test_the_new_bytes_are_beside_the_record_before_they_replace_it(
    writer: Writer, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(writer, b"old")
    replace = os.replace
    seen: list[tuple[list[str], bytes]] = []

    def look(*args: object, **options: object) -> None:
        names = sorted(os.listdir(root / "memory/decisions"))
        seen.append((names, (root / PATH).read_bytes()))
        replace(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "replace", look)
    assert put(writer, b"new").data == b"new"
    [(names, held)] = seen
    assert held == b"old"
    assert len(names) == 2
    assert names[0].startswith(".yoimem-")
    assert os.listdir(root / "memory/decisions") == ["a.md"]


def test_a_hard_link_keeps_the_old_bytes(writer: Writer, root: Path) -> None:
    put(writer, b"old")
    os.link(root / PATH, root / "copy.md")
    put(writer, b"new")
    assert (root / "copy.md").read_bytes() == b"old"


@pytest.mark.skipif(os.name == "nt", reason="needs the bits of POSIX")
def test_mode_bits_are_kept_and_the_write_bit_is_told(writer: Writer, root: Path) -> None:
    put(writer, b"old")
    (root / PATH).chmod(0o640)
    stored = put(writer, b"new")
    assert stat.S_IMODE((root / PATH).stat().st_mode) == stored.mode == 0o640
    assert not stored.is_locked
    (root / PATH).chmod(0o444)
    locked = writer.read(PATH)
    assert locked is not None
    assert locked.is_locked


def test_a_second_writer_waits_only_so_long(writer: Writer, root: Path) -> None:
    with writer.locked():
        with pytest.raises(BusyError, match=r"0\.1 seconds"), Writer(root, 0.1).locked():
            pass
        assert writer.read(PATH) is None
    with Writer(root, 0.1).locked():
        pass


def test_the_lock_file_is_never_deleted(writer: Writer, root: Path) -> None:
    with writer.locked():
        inode = (root / LOCK_PATH).stat().st_ino
    with writer.locked():
        pass
    assert (root / LOCK_PATH).stat().st_ino == inode


def test_an_error_in_the_middle_lets_the_lock_go(writer: Writer, root: Path) -> None:
    with pytest.raises(RuntimeError), writer.locked():
        raise RuntimeError
    with Writer(root, 0.1).locked():
        pass


def interrupted(writer: Writer, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Write, and be interrupted in a call of the system, as by Ctrl-C."""

    def interrupt(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, at, interrupt)
        with pytest.raises(KeyboardInterrupt):
            put(writer, b"new")


@pytest.mark.parametrize("call", ["replace", "fsync", "fchmod"])
def test_an_interrupted_write_leaves_the_old_bytes(
    writer: Writer, root: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    put(writer, b"old")
    interrupted(writer, monkeypatch, call)
    assert (root / PATH).read_bytes() == b"old"
    assert os.listdir(root / "memory/decisions") == ["a.md"]
    assert put(writer, b"newer").data == b"newer"
    assert stages(writer) == ["intent", "done", "intent", "undone", "intent", "done"]


def test_a_killed_writers_change_is_settled_by_what_is_there(
    writer: Writer, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(writer, b"old")
    for data, stage in ((b"new", "done"), (b"old", "undone"), (None, "undone")):
        put(writer, b"old")
        interrupted(writer, monkeypatch, "replace")
        (root / "memory/decisions/.yoimem-left").write_bytes(b"new")
        if data is None:
            (root / PATH).unlink()
        else:
            (root / PATH).write_bytes(data)
        with writer.locked():
            assert stages(writer)[-1] == stage
        assert not (root / "memory/decisions/.yoimem-left").exists()


def test_what_cannot_be_settled_keeps_nobody_from_writing(
    writer: Writer,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    put(writer, b"old")
    interrupted(writer, monkeypatch, "replace")
    (root / "memory/decisions").rename(root / "elsewhere")
    (root / "memory/decisions").symlink_to(root / "elsewhere")
    assert put(writer, b"x", "knowledge/b.md").data == b"x"
    with writer.locked(), pytest.raises(LinkError):
        writer.read(PATH)


def test_a_folder_that_cannot_be_synced_does_not_undo_the_change(
    writer: Writer, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def files_alone(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", files_alone)
    assert put(writer, b"x").data == b"x"
    assert stages(writer) == ["intent", "done"]


def test_an_end_that_cannot_be_logged_does_not_undo_the_change(
    writer: Writer, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(writer, b"old")
    settle = writer.audit.settle

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writer.audit, "settle", full)
    assert put(writer, b"new").data == b"new"
    monkeypatch.setattr(writer.audit, "settle", settle)
    assert stages(writer) == ["intent", "done", "intent"]
    put(writer, b"newer")
    assert stages(writer) == ["intent", "done"] * 3


def test_an_intent_that_cannot_be_logged_stops_the_change(
    writer: Writer, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(writer, b"old")
    monkeypatch.setattr(
        writer.audit, "append", lambda line: (_ for _ in ()).throw(OSError(28, "full"))
    )
    with pytest.raises(OSError, match="full"):
        put(writer, b"new")
    assert (root / PATH).read_bytes() == b"old"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_no_link_is_followed(
    writer: Writer, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.md").write_bytes(b"theirs")
    (root / "linked").symlink_to(outside)
    (root / "a.md").symlink_to(outside / "a.md")
    for path in ("linked/a.md", "linked/new.md", "a.md"):
        with writer.locked(), pytest.raises(LinkError):
            writer.read(path)
    with writer.locked(), pytest.raises(LinkError):
        writer.write("linked/new.md", None, b"x", "tool", TIME, AUTHOR)
    assert sorted(os.listdir(outside)) == ["a.md"]
    assert (outside / "a.md").read_bytes() == b"theirs"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files in /proc")
def test_no_file_stays_open(writer: Writer, root: Path) -> None:
    (root / "knowledge/folder.md").mkdir(parents=True)
    os.mkfifo(root / "knowledge/pipe.md")

    def work() -> None:
        put(writer, b"x")
        for path in ("knowledge/folder.md", "knowledge/pipe.md"):
            with pytest.raises(LinkError):
                writer.read(path)
        with pytest.raises(LinkError), open_folder(root, ("memory", "decisions", "a.md")):
            pass
        with pytest.raises(FileNotFoundError), open_folder(root, ("memory", "gone", "deep")):
            pass

    work()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        work()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
def test_a_pipe_in_the_place_of_the_log_blocks_nobody(writer: Writer, root: Path) -> None:
    (root / AUDIT_PATH).parent.mkdir(parents=True)
    os.mkfifo(root / AUDIT_PATH)
    with pytest.raises(LinkError):
        put(writer, b"x")
    assert not (root / PATH).exists()
