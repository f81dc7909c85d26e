"""The index is never wrong: after any change, with any file in its place, with many processes."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import KNOWLEDGE, Memory
from tests.recall.test_search import knowledge, searcher
from yoimem.lint.settings import SearchSettings
from yoimem.recall import database, words
from yoimem.recall.query import Query
from yoimem.recall.search import Searcher
from yoimem.records.kinds import BUILTIN_KINDS, Kinds
from yoimem.records.reader import Reader
from yoimem.workspace.layout import Root
from yoimem.workspace.store import Store, Survey

PROGRAM = """
import resource, sys
from pathlib import Path
from yoimem.lint.settings import SearchSettings
from yoimem.recall import database
from yoimem.recall.query import Query
from yoimem.recall.search import Searcher
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.workspace.layout import Root

root, index, most, *queries = sys.argv[1:]
if most != "0":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
kinds = Kinds()
place = Root(Path(root), Path(root).parent)
search = Searcher(place, kinds, Reader(kinds), SearchSettings(index=index)).search
for query in queries:
    print(*sorted(hit.slug for hit in search(Query(text=query, limit=None)).hits))
"""


def found(made: Searcher, text: str) -> list[str]:
    return sorted(hit.slug for hit in made.search(Query(text=text, limit=None)).hits)


def start(memory: Memory, index: Path, *queries: str, most: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, str(memory.root.resolve()), str(index), str(most)]
    return subprocess.Popen(
        [*command, *queries], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    return out.splitlines()


@pytest.fixture
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache") / "index"


def test_every_change_is_seen_at_once(memory: Memory, index: Path) -> None:
    made, other = searcher(memory, index), searcher(memory, index)
    knowledge(memory, a="apple", b="apple")
    assert found(made, "apple") == found(other, "apple") == ["a", "b"]
    knowledge(memory, a="grape", c="apple")
    assert found(made, "apple") == found(other, "apple") == ["b", "c"]
    (memory.root / "knowledge" / "b.md").rename(memory.root / "knowledge" / "z.md")
    assert found(other, "apple") == found(made, "apple") == ["c", "z"]
    (memory.root / "knowledge" / "c.md").unlink()
    assert found(made, "apple") == found(other, "apple") == ["z"]


def test_other_content_of_the_same_size_and_time_is_seen(memory: Memory, index: Path) -> None:
    made = searcher(memory, index)
    knowledge(memory, a="apple")
    assert found(made, "apple") == ["a"]
    file = memory.root / "knowledge" / "a.md"
    before = file.stat()
    file.write_text(KNOWLEDGE.replace("Body.", "grape"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (found(made, "apple"), found(made, "grape")) == ([], ["a"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["apple", "grape", ""]), st.booleans()),
        min_size=1,
        max_size=8,
    )
)
def test_it_agrees_with_a_new_one(
    memory: Memory, index: Path, changes: list[tuple[str, str, bool]]
) -> None:
    """Whichever of two searchers looks after whichever changes."""
    both = searcher(memory, index), searcher(memory, index)
    for slug, word, second in changes:
        file = memory.root / "knowledge" / f"{slug}.md"
        if word:
            knowledge(memory, **{slug: word})
        else:
            file.unlink(missing_ok=True)
        (memory.root / "knowledge").mkdir(exist_ok=True)
        texts = {f.stem: f.read_text() for f in (memory.root / "knowledge").iterdir()}
        for wanted in ("apple", "grape"):
            expected = sorted(slug for slug, text in texts.items() if wanted in text)
            assert found(both[second], wanted) == expected
    for made in both:
        made.close()


def file_in(index: Path) -> Path:
    (file,) = index.glob("*.sqlite3")
    return file


def as_garbage(file: Path) -> None:
    file.write_bytes(b"garbage" * 1_000)


def cut_in_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def removed(file: Path) -> None:
    file.unlink()


def without_tables(file: Path) -> None:
    other = sqlite3.connect(file)
    other.execute("DROP TABLE words_data")
    other.close()


def changed_by(statement: str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        other = sqlite3.connect(file)
        other.execute(statement)
        other.commit()
        other.close()

    return change


@pytest.mark.parametrize(
    "harm",
    [
        as_garbage,
        cut_in_half,
        emptied,
        removed,
        without_tables,
        changed_by("UPDATE record SET signature = 'x y'"),
        changed_by("UPDATE record SET signature = 7"),
        changed_by("UPDATE record SET path = x'ff' WHERE id = 1"),
        changed_by("UPDATE record SET path = 'text' WHERE id = 1"),
        changed_by("DELETE FROM words WHERE rowid = 3"),
    ],
)
@pytest.mark.parametrize("is_open", [True, False])
def test_an_index_gone_bad_is_made_again(
    harm: Callable[[Path], None], is_open: bool, memory: Memory, index: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(database, "SECONDS_TO_WAIT", 0.2)
    knowledge(memory, **{f"r{n}": f"apple {n} " * 20 for n in range(30)})
    made = searcher(memory, index)
    assert len(found(made, "apple")) == 30
    if not is_open:
        made.close()  # what SQLite keeps beside the file goes with the last that has it open
    harm(file_in(index))
    knowledge(memory, more="apple")
    assert len(found(made, "apple")) == 31
    assert len(found(searcher(memory, index), "apple")) == 31
    assert len(found(searcher(memory, index), "7")) == 1


def test_two_changes_that_share_one_stamp_are_both_seen(
    memory: Memory, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that stamps in coarse steps: only reading again tells them apart."""
    stamp = time.time_ns()
    one = {"knowledge/a.md": (1, 100, stamp, stamp)}

    def survey(store: Store, folders: frozenset[str], known: Mapping[str, object]) -> Survey:
        changed = {path: sign for path, sign in one.items() if known.get(path) != sign}
        return Survey(changed, len(one) - len(changed), frozenset())

    monkeypatch.setattr(Store, "survey", survey)
    made = searcher(memory, index)
    for word in ("apple", "grape", "melon"):
        knowledge(memory, a=word)
        assert found(made, word) == ["a"]


def test_it_stands_in_the_cache_folder_of_the_user(
    memory: Memory, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: index)
    knowledge(memory, a="apple")
    kinds = Kinds()
    place = Root(memory.root.resolve(), memory.workspace.resolve())
    made = Searcher(place, kinds, Reader(kinds), SearchSettings())
    assert found(made, "apple") == ["a"]
    made.close()
    assert len(list(index.rglob("*.sqlite3"))) == 1
    assert list(memory.workspace.rglob("*.sqlite3")) == []


def test_other_kinds_of_record_are_another_index(memory: Memory, index: Path) -> None:
    knowledge(memory, a="apple")
    found(searcher(memory, index), "apple")
    kinds = Kinds([kind for kind in BUILTIN_KINDS if kind.name != "workflow"])
    place = Root(memory.root.resolve(), memory.workspace.resolve())
    found(Searcher(place, kinds, Reader(kinds), SearchSettings(index=str(index))), "apple")
    assert len(list(index.glob("*.sqlite3"))) == 2


def test_words_that_are_stemmed_otherwise_are_another_index(
    memory: Memory, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge(memory, a="apple")
    found(searcher(memory, index), "apple")
    monkeypatch.setattr(words, "version", lambda name: "0.1")
    assert found(searcher(memory, index), "apple") == ["a"]
    assert len(list(index.glob("*.sqlite3"))) == 2


def test_no_place_for_it_is_no_failure(memory: Memory, tmp_path: Path) -> None:
    knowledge(memory, a="apple")
    (tmp_path / "file").write_text("")
    assert found(searcher(memory, tmp_path / "file" / "below"), "apple") == ["a"]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no mode bits there")
def test_a_folder_that_others_may_write_is_not_used(memory: Memory, index: Path) -> None:
    knowledge(memory, a="apple")
    index.mkdir()
    index.chmod(0o777)
    assert found(searcher(memory, index), "apple") == ["a"]
    assert list(index.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no mode bits there")
def test_the_folder_is_for_the_user_alone(memory: Memory, index: Path) -> None:
    knowledge(memory, a="apple")
    found(searcher(memory, index), "apple")
    assert index.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files there")
@pytest.mark.parametrize("most", [1, 30_000, 100_000])
def test_a_full_disk_is_no_failure(most: int, memory: Memory, index: Path) -> None:
    knowledge(memory, **{f"r{n}": f"apple {n} " * 50 for n in range(60)})
    answers = ended(start(memory, index, "apple", "7", most=most))
    assert (len(answers[0].split()), answers[1]) == (60, "r7")
    assert len(found(searcher(memory, index), "apple")) == 60


def test_processes_that_begin_at_once_agree(memory: Memory, index: Path) -> None:
    knowledge(memory, **{f"r{n}": f"apple {n}" for n in range(300)})
    processes = [start(memory, index, "apple", "150") for _ in range(5)]
    for process in processes:
        apples, one = ended(process)
        assert (len(apples.split()), one) == (300, "r150")


def test_a_killed_process_leaves_an_index_that_answers(memory: Memory, index: Path) -> None:
    knowledge(memory, **{f"r{n}": f"apple {n} " * 100 for n in range(400)})
    for wait in (0.25, 0.4, 0.55):
        process = start(memory, index, *["apple"] * 3)
        time.sleep(wait)
        process.kill()
        process.communicate()
        knowledge(memory, more=f"apple {wait}")
    assert len(found(searcher(memory, index), "apple")) == 401


def test_searches_while_others_write(memory: Memory, index: Path) -> None:
    """A record that was there all the time is in every answer, one that was written in the next."""
    knowledge(memory, always="apple")
    readers = [start(memory, index, *["apple"] * 40) for _ in range(3)]
    made = searcher(memory, index)
    for number in range(40):
        knowledge(memory, **{f"r{number}": "apple"})
        assert f"r{number}" in found(made, "apple")
    for reader in readers:
        assert all("always" in line.split() for line in ended(reader))
