"""`yoimem search`, as a person and a script meet it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.conftest import KNOWLEDGE, Memory
from yoimem.interfaces.cli.search import command
from yoimem.recall.usage import UsageLog


@pytest.fixture(autouse=True)
def _here(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(memory.workspace)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    memory.write("knowledge/use-sqlite.md", KNOWLEDGE.replace("Body.", "one\nSQLite\x1b[31m\nend"))
    memory.write("knowledge/other.md", KNOWLEDGE.replace("Body.", "sqlite too"))


def search(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def test_text_is_easy_to_read_and_safe_to_show() -> None:
    done = search("sqlite", "--limit", "1")
    assert done.stdout == (
        ".yoi/knowledge/use-sqlite.md:11  What there is to know.\n    one\n    SQLite\\x1b[31m\n    end\n"
    )
    assert "--limit all" in done.stderr
    assert done.return_value == 0


def test_matches_are_coloured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yoimem.interfaces.cli.search.wants_colour", lambda: True)
    done = search("sqlite", "--slug", "other")
    assert "\x1b[31m\x1b[1msqlite\x1b[0m too" in done.stdout


def test_nothing_found_is_1_and_said() -> None:
    done = search("xyzzy")
    assert (done.return_value, done.stdout, done.stderr) == (1, "", "yoimem: nothing was found\n")
    done = search("--slug", "use-sqlit")
    assert done.return_value == 1
    assert done.stderr.startswith("yoimem: nothing was found: ")
    assert "did you mean `use-sqlite`?" in done.stderr


def test_a_look_up_by_slug_counts_as_read_and_a_search_does_not(memory: Memory) -> None:
    search("sqlite", "--session-id", "s1")
    search("too", "--slug", "other", "--session-id", "s1")
    assert UsageLog(memory.root).history().events == ()
    assert search("--slug", "other", "--session-id", "s1").return_value == 0
    (event,) = UsageLog(memory.root).history().events
    assert (event.type, event.session, event.actor) == ("invoke", "s1", "human")
    assert [record.path for record in event.records] == ["knowledge/other.md"]


def test_json_is_a_list() -> None:
    done = search("sqlite", "--output-format", "json", "--explain")
    first, second = json.loads(done.stdout)
    assert (first["slug"], second["slug"]) == ("use-sqlite", "other")
    assert first["score"] > second["score"]
    assert set(first) == {
        "path", "slug", "record_kind", "kind", "status", "description", "model_invokation", "excerpt",
        "line", "score", "explanation",
    }  # fmt: skip
    assert sum(part["score"] for part in first["explanation"]) == pytest.approx(
        first["score"], rel=1e-4
    )
    assert json.loads(search("xyzzy", "--output-format", "json").stdout) == []


def test_the_explanation_in_text() -> None:
    lines = search("sqlite", "--explain").stdout.splitlines()
    assert any('for "sqlite" (slug 1, ' in line for line in lines)


def test_settings_are_the_defaults(memory: Memory) -> None:
    settings = "[search]\nlimit = 1\ncontext-lines = 0\norder = 'file'\nindex = 'cache'\n"
    (memory.workspace / "yoimem.toml").write_text(settings)
    done = search("too")
    assert done.stdout == ".yoi/knowledge/other.md:10  What there is to know.\n    sqlite too\n"
    assert not (memory.workspace / "cache").exists()  # a search that reads every file needs none
    search("too", "--order", "relevance")
    assert [file.suffix for file in (memory.workspace / "cache").iterdir()] == [".sqlite3"]


def test_the_root_that_is_given(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "o" / ".yoi" / "knowledge").mkdir(parents=True)
    (tmp_path / "o" / ".yoi" / "knowledge" / "far.md").write_text(KNOWLEDGE)
    assert search("body", "--root", "o").stdout.startswith("o/.yoi/knowledge/far.md:10 ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "nothing to look for"),
        (["[a", "--regex"], "is no regular expression"),
        (["a", "--since", "soon"], "takes a date"),
        (["a", "--record-kind", "knowlege"], "did you mean `knowledge`?"),
        (["a", "--record-kind", "bogus"], "; there are summary, decision, request, "),
        (["a", "--status", "opn"], "did you mean `open`?"),
        (["a", "--status", ""], "; there are open, resolved, replaced"),
        (["a", "--limit", "none"], "'none' is neither a whole number from 1 nor `all`"),
        (["a", "--limit", "0"], "'0' is neither"),
        (["a", "--limit", "9" * 5000], "is neither"),
        (["a", "--literal", "--regex"], "give one of the two"),
        (["a", "--explain", "--literal"], "goes with `--order relevance`"),
        (["a", "--explain", "--regex"], "without `--literal` and `--regex`"),
        (["a", "--explain", "--order", "file"], "goes with `--order relevance`"),
    ],
)
def test_misuse_is_told(arguments: list[str], words: str) -> None:
    done = search(*arguments)
    assert "UsageError" in repr(done.exception) or "BadParameter" in repr(done.exception)
    assert words in str(done.exception)
