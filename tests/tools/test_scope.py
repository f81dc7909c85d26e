"""What generic tools may touch: the memory and its rules by no spelling, all else as before."""

import asyncio
import inspect
import os
import unicodedata
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import DECISION, KNOWLEDGE, WORKFLOW, Memory

from yoimem.interfaces.cli.main import main
from yoimem.lint.trust import trust_file
from yoimem.records.kinds import BUILTIN_KINDS, REQUEST, Kinds, RecordKind
from yoimem.tools import MemoryToolError, Scope, guard
from yoimem.tools.guarded import PATH_ARGUMENTS
from yoimem.workspace.layout import RootNotFoundError, root_at

RECORD = ".yoi/memory/decisions/use-sqlite.md"
PLUGIN = """\
from yoimem import hookimpl
from yoimem.records.kinds import REQUEST, RecordKind


@hookimpl
def yoimem_register_record_kinds():
    return [RecordKind("incident", REQUEST.schema, REQUEST.data, ("incidents/<slug>.md",))]
"""


@pytest.fixture
def stored(memory: Memory) -> Memory:
    memory.write("memory/decisions/use-sqlite.md", DECISION)
    memory.write("knowledge/guide.md", KNOWLEDGE)
    memory.write("workflow/release.md", WORKFLOW)
    (memory.workspace / "src").mkdir()
    (memory.workspace / "src" / "app.py").write_text("print()\n")
    return memory


@pytest.fixture
def scope(stored: Memory) -> Scope:
    return Scope.without_memory(stored.root)


def denied(scope: Scope, path: str | os.PathLike[str]) -> bool:
    """Tell that `path` may be neither read nor written."""
    answers = {scope.allows(path, write=write) for write in (True, False)}
    assert len(answers) == 1
    return answers == {False}


MEMORY_PATHS = [
    RECORD,
    ".yoi/memory",
    ".yoi/memory/",
    ".yoi/memory/summary.md",
    ".yoi/memory/new/folder/new.md",
    ".yoi/memory/_logs/audit.jsonl",
    ".yoi/memory/_lock",
    ".yoi/memory/workflow/release.md",
    ".yoi/knowledge/guide.md",
    ".yoi/knowledge/new.md",
    "./.yoi/./memory/summary.md",
    ".yoi//memory//summary.md",
    "src/../.yoi/memory/summary.md",
    "no/such/folder/../../../.yoi/memory/summary.md",
    ".yoi/workflow/../knowledge/guide.md",
    ".yoi-backup/../.yoi/knowledge/guide.md",
    ".YOI/memory/summary.md",
    ".yoi/MEMORY/summary.md",
    ".Yoi/Knowledge/Guide.MD",
    ".yoi/\N{KELVIN SIGN}nowledge/guide.md",
    ".yoi/memory\\summary.md",
    ".yoi\\memory\\summary.md",
    "src\\..\\.yoi\\memory\\summary.md",
    ".yoi\\..\\.yoi/memory/summary.md",
    ".yoi/memory./summary.md",
    ".yoi /memory/summary.md",
    ".yoi/memory::$INDEX_ALLOCATION/summary.md",
    ".y\N{ZERO WIDTH JOINER}oi/memory/summary.md",
]


class TestTheMemory:
    @pytest.mark.parametrize("path", MEMORY_PATHS)
    def test_no_spelling_leads_there(self, stored: Memory, scope: Scope, path: str) -> None:
        assert denied(scope, path)
        assert denied(scope, f"{stored.workspace}/{path}")
        assert denied(scope, f"{stored.workspace}/src/../{path}")
        assert denied(scope, Path(stored.workspace) / path)

    @pytest.mark.parametrize(
        "path",
        [
            "src/app.py",
            "src/new/deep/file.py",
            "README.md",
            "memory/notes.md",
            "knowledge/notes.md",
            ".yoi-backup/memory/summary.md",
            ".yoi2/memory/x.md",
            ".yoi/memory2/x.md",
            ".yoi/notes.txt",
            "my.yoi/memory/x.md",
            "src/.yoi/memory/x.md",
            "pyproject.toml",
            "src/yoimem.toml",
            ".claude/commands/x.md",
            "src/.mcp.json",
            "...",
            "~/notes.md",
            "~nobody-of-this-name/notes.md",
            "日本語/メモ.md",
            "a" * 300,
            "a/" * 3000 + "b",
            "/usr/share/notes.md",
            "/no/such/place",
        ],
    )
    def test_everything_else_is_allowed(self, scope: Scope, path: str) -> None:
        assert scope.fault(path, write=True) == ""
        assert scope.fault(path, write=False) == ""

    @pytest.mark.parametrize("path", ["", "a\0b", "\0", ".yoi/notes\ud800"])
    def test_what_is_no_path_is_refused(self, scope: Scope, path: str) -> None:
        assert denied(scope, path)
        assert "is no path" in scope.fault(path, write=True)

    def test_relative_paths_start_at_the_workspace(
        self, stored: Memory, scope: Scope, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(stored.workspace / "src")
        assert denied(scope, RECORD)
        assert not denied(scope, f"../{RECORD}")

    def test_a_home_folder_is_followed(
        self, stored: Memory, scope: Scope, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(stored.workspace))
        monkeypatch.setenv("USERPROFILE", str(stored.workspace))
        assert denied(scope, f"~/{RECORD}")
        assert denied(scope, "~\\.yoi\\memory\\summary.md")
        assert not denied(scope, "~/src/app.py")

    @pytest.mark.parametrize("form", ["NFC", "NFD"])
    def test_unicode_forms_are_one(self, tmp_path: Path, form: Any) -> None:
        workspace = tmp_path / unicodedata.normalize("NFC", "プロジェクト é")
        (workspace / ".yoi" / "memory").mkdir(parents=True)
        scope = Scope.without_memory(workspace)
        spelled = unicodedata.normalize(form, str(workspace))
        assert denied(scope, f"{spelled}/.yoi/memory/summary.md")

    def test_what_holds_the_memory_is_not_written(self, stored: Memory, scope: Scope) -> None:
        for path in (".", ".yoi", "src/..", str(stored.workspace), str(stored.workspace.parent)):
            assert "it holds" in scope.fault(path, write=True)
            assert scope.fault(path, write=False) == ""

    def test_bytes_are_a_path_too(self, scope: Scope) -> None:
        assert not scope.allows(os.fsencode(RECORD), write=True)  # type: ignore[arg-type]

    def test_the_older_layout(self, tmp_path: Path) -> None:
        (tmp_path / "memory").mkdir()
        scope = Scope.without_memory(tmp_path)
        assert denied(scope, "memory/summary.md")
        assert denied(scope, "knowledge/new.md")
        assert scope.allows("pyproject.toml", write=True)
        assert not scope.allows("yoimem.toml", write=True)
        assert scope.allows("src/app.py", write=True)

    @pytest.mark.parametrize("path", [".yoi", ".yoi/x.txt", ".YOI/yoimem.toml", ".yoi/memory/x"])
    def test_the_older_layout_is_not_hidden_by_a_newer_one(self, tmp_path: Path, path: str) -> None:
        (tmp_path / "memory").mkdir()
        scope = Scope.without_memory(tmp_path)
        assert ".yoi" in scope.fault(path, write=True)
        assert "would hide the memory" in scope.fault(path, write=True)
        assert scope.allows(path, write=False)

    def test_the_folders_of_the_plugins_of_the_workspace(
        self,
        stored: Memory,
        tmp_path_factory: pytest.TempPathFactory,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        for variable in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME"):
            monkeypatch.setenv(variable, str(tmp_path_factory.mktemp("home")))
        (stored.workspace / "kinds.py").write_text(PLUGIN)
        (stored.workspace / "pyproject.toml").write_text(
            "[tool.yoimem]\nlocal-plugins = ['kinds.py']\n"
        )
        assert main(["trust", str(stored.workspace)]) == 0
        scope = Scope.without_memory(stored.workspace)
        assert denied(scope, ".yoi/incidents/fire.md")
        assert not denied(scope, ".yoi/notes.txt")

    @pytest.mark.parametrize("table", ["local-plugins = ['kinds.py']", "selct = []"])
    def test_while_a_plugin_fails_nothing_is_opened(self, stored: Memory, table: str) -> None:
        (stored.workspace / "kinds.py").write_text(PLUGIN + "# nobody trusts it\n")
        (stored.workspace / "pyproject.toml").write_text(f"[tool.yoimem]\n{table}\n")
        scope = Scope.without_memory(stored.workspace)
        assert denied(scope, ".yoi/incidents/fire.md")
        assert "`yoimem check` says" in scope.fault(".yoi/incidents/fire.md", write=True)
        assert "memory_edit" in scope.fault(RECORD, write=True)
        assert not denied(scope, "src/app.py")
        readable = Scope.without_memory(stored.workspace, read=True)
        assert readable.allows(".yoi/incidents/fire.md", write=False)
        assert not readable.allows(".yoi/incidents/fire.md", write=True)

    def test_the_folders_of_a_plugin(self, stored: Memory) -> None:
        incident = RecordKind("incident", REQUEST.schema, REQUEST.data, ("incidents/<slug>.md",))
        scope = Scope.without_memory(stored.root, kinds=Kinds([*BUILTIN_KINDS, incident]))
        assert denied(scope, ".yoi/incidents/fire.md")
        assert not denied(Scope.without_memory(stored.root), ".yoi/incidents/fire.md")

    def test_no_memory_has_no_scope(self, tmp_path: Path) -> None:
        with pytest.raises(RootNotFoundError):
            Scope.without_memory(tmp_path)

    def test_a_root_in_every_form(self, stored: Memory) -> None:
        found = root_at(stored.workspace)
        assert found is not None
        scopes = {
            Scope.without_memory(root)
            for root in (stored.workspace, stored.root, str(stored.root), found)
        }
        assert len(scopes) == 1


class TestLinks:
    def test_a_link_to_a_folder_of_the_memory(self, stored: Memory, scope: Scope) -> None:
        (stored.workspace / "link").symlink_to(stored.root / "memory")
        assert denied(scope, "link")
        assert denied(scope, "link/decisions/use-sqlite.md")
        assert denied(scope, "link/decisions/new/leaf.md")

    def test_a_link_to_what_holds_the_memory(self, stored: Memory, scope: Scope) -> None:
        (stored.workspace / "src" / "up").symlink_to("..")
        (stored.workspace / "other").symlink_to(".yoi")
        assert denied(scope, f"src/up/{RECORD}")
        assert denied(scope, "other/knowledge/new.md")
        assert "it holds" in scope.fault("other", write=True)
        assert scope.allows("src/up/src/app.py", write=True)

    def test_a_link_to_a_record(self, stored: Memory, scope: Scope) -> None:
        (stored.workspace / "notes.md").symlink_to(RECORD)
        (stored.workspace / "dangling.md").symlink_to(".yoi/memory/decisions/new.md")
        assert denied(scope, "notes.md")
        assert denied(scope, "dangling.md")

    def test_dots_behind_a_link_in_both_readings(self, stored: Memory, scope: Scope) -> None:
        deep = stored.root / "memory" / "decisions"
        (stored.workspace / "link").symlink_to(deep)
        assert denied(scope, "link/../summary.md")  # as the system walks
        (stored.workspace / "away").symlink_to(stored.workspace.parent)
        assert denied(scope, f"away/../{RECORD}")  # as a tool that cuts `..` out
        assert denied(scope, "away/../link/new.md")  # and then meets a link

    def test_a_memory_that_is_a_link_itself(self, tmp_path: Path) -> None:
        elsewhere = tmp_path / "elsewhere"
        (elsewhere / "memory").mkdir(parents=True)
        workspace = tmp_path / "workspace"
        workspace.mkdir()
        (workspace / ".yoi").symlink_to(elsewhere)
        scope = Scope.without_memory(workspace)
        assert denied(scope, ".yoi/memory/summary.md")
        assert denied(scope, elsewhere / "memory" / "summary.md")
        assert not scope.allows(".yoi", write=True)

    def test_a_folder_of_records_that_is_a_link(self, stored: Memory, tmp_path: Path) -> None:
        elsewhere = tmp_path / "shared"
        elsewhere.mkdir()
        (stored.root / "knowledge" / "guide.md").unlink()
        (stored.root / "knowledge").rmdir()
        (stored.root / "knowledge").symlink_to(elsewhere)
        scope = Scope.without_memory(stored.root)
        assert denied(scope, ".yoi/knowledge/guide.md")
        assert denied(scope, elsewhere / "guide.md")

    def test_a_link_that_leads_out_of_the_memory(self, stored: Memory, scope: Scope) -> None:
        (stored.root / "memory" / "out.md").symlink_to(stored.workspace / "src" / "app.py")
        (stored.root / "knowledge" / "out").symlink_to(stored.workspace / "src")
        assert denied(scope, ".yoi/memory/out.md")
        assert denied(scope, ".yoi/knowledge/out/app.py")
        assert scope.allows("src/app.py", write=True)

    def test_a_place_that_is_a_link_to_nothing_yet(self, stored: Memory, scope: Scope) -> None:
        (stored.workspace / ".mcp.json").symlink_to("src/servers.json")
        assert not scope.allows(".mcp.json", write=True)
        assert not scope.allows("src/servers.json", write=True)

    def test_a_hard_link_to_a_record(self, stored: Memory, scope: Scope) -> None:
        other = stored.workspace / "src" / "other.py"
        os.link(stored.workspace / "src" / "app.py", other)
        os.link(stored.workspace / RECORD, stored.workspace / "notes.md")
        os.link(stored.root / "workflow" / "release.md", stored.workspace / "steps.md")
        assert denied(scope, "notes.md")
        assert "memory/decisions/use-sqlite.md" in scope.fault("notes.md", write=True)
        assert not scope.allows("steps.md", write=True)
        assert scope.allows("steps.md", write=False)
        assert scope.allows("src/other.py", write=True)

    def test_links_that_lead_in_a_circle(self, stored: Memory, scope: Scope) -> None:
        (stored.workspace / "a").symlink_to("b")
        (stored.workspace / "b").symlink_to("a")
        assert scope.allows("a/x", write=True)

    @pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="needs /proc")
    def test_a_link_of_the_system(
        self, stored: Memory, scope: Scope, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(stored.workspace)
        assert denied(scope, f"/proc/self/cwd/{RECORD}")
        assert denied(scope, f"/proc/self/root{stored.workspace}/{RECORD}")


class TestReading:
    def test_workflows_are_read_and_not_written(self, scope: Scope) -> None:
        for path in (".yoi/workflow/release.md", ".yoi/workflow", ".yoi/Workflow/new.md"):
            assert scope.allows(path, write=False)
            assert not scope.allows(path, write=True)

    @pytest.mark.parametrize("path", MEMORY_PATHS)
    def test_with_read_the_memory_is_only_not_written(self, stored: Memory, path: str) -> None:
        scope = Scope.without_memory(stored.root, read=True)
        assert scope.allows(path, write=False)
        assert not scope.allows(path, write=True)


class TestTheRules:
    @pytest.mark.parametrize(
        "path",
        [
            "yoimem.toml",
            "YoiMem.toml",
            ".yoi/yoimem.toml",
            ".yoi/pyproject.toml",
            ".claude/settings.json",
            ".Claude/Settings.JSON",
            ".claude/settings.local.json",
            ".claude",
            ".mcp.json",
        ],
    )
    @pytest.mark.parametrize("there", [True, False])
    def test_what_protects_them_is_read_and_not_written(
        self, stored: Memory, scope: Scope, path: str, there: bool
    ) -> None:
        if there and path == path.lower() and path != ".claude":
            (stored.workspace / path).parent.mkdir(exist_ok=True)
            (stored.workspace / path).write_text("")
        assert scope.allows(path, write=False)
        assert not scope.allows(path, write=True)

    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("[tool.yoimem]\n", True),
            ("[tool.yoimem.severity]\nunknown-key = 'error'\n", True),
            ("tool = {yoimem = {}}\n", True),
            ("[project]\ndependencies = ['yoimem']\n", False),
            ("[tool.ruff]\n", False),
            ("tool = 1\n", False),
            ("[tool]\nyoimem = 1\n", True),
            ("", False),
            ("[tool.yoimem\n", True),
            ("[tool.ruff\n", False),
        ],
    )
    def test_a_pyproject_counts_while_it_holds_the_table(
        self, stored: Memory, scope: Scope, text: str, kept: bool
    ) -> None:
        (stored.workspace / "pyproject.toml").write_text(text)
        assert scope.allows("pyproject.toml", write=True) is not kept
        assert scope.allows("pyproject.toml", write=False)

    def test_a_pyproject_that_cannot_be_read_may_hold_it(
        self, stored: Memory, scope: Scope
    ) -> None:
        (stored.workspace / "pyproject.toml").symlink_to("nowhere.toml")
        assert not scope.allows("pyproject.toml", write=True)

    @pytest.mark.parametrize(
        ("names", "path", "kept"),
        [
            ("['rules/team.py']", "rules/team.py", True),
            ("['rules/team.py']", "rules/other.py", False),
            ("['./rules/../team']", "team/inner/rule.py", True),
            ("['rules/team.py']", "Rules\\Team.py", True),
            ("['', '.']", "src/app.py", False),
            ("'rules/team.py'", "src/app.py", False),
            ("[1]", "src/app.py", False),
        ],
    )
    def test_the_files_of_local_plugins_count(
        self, stored: Memory, scope: Scope, names: str, path: str, kept: bool
    ) -> None:
        table = f"[tool.yoimem]\nlocal-plugins = {names}\n"
        (stored.workspace / "pyproject.toml").write_text(table)
        assert scope.allows(path, write=True) is not kept
        assert scope.allows(path, write=False)
        assert not scope.allows("pyproject.toml", write=True)

    def test_a_link_to_the_configuration(self, stored: Memory, scope: Scope) -> None:
        (stored.workspace / "yoimem.toml").write_text("")
        (stored.workspace / "soft.toml").symlink_to("yoimem.toml")
        os.link(stored.workspace / "yoimem.toml", stored.workspace / "hard.toml")
        assert not scope.allows("soft.toml", write=True)
        assert not scope.allows("hard.toml", write=True)


class TestTheHostsSettings:
    @pytest.fixture(autouse=True)
    def _in_a_home_of_its_own(
        self, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        home = str(tmp_path_factory.mktemp("home"))
        for name in ("HOME", "USERPROFILE"):
            monkeypatch.setenv(name, home)
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", f"{home}/other")

    @pytest.mark.parametrize(
        "path",
        [
            "~/.claude/settings.json",
            "~/.claude/settings.local.json",
            "~/.claude.json",
            "~/.claude",
            "~/other/settings.json",
            "~/other/.claude.json",
            "../.claude/settings.json",
            "../../.claude/settings.local.json",
            "../.mcp.json",
            "/.mcp.json",
        ],
    )
    def test_no_folder_above_and_none_of_the_user(self, stored: Memory, path: str) -> None:
        scope = Scope.without_memory(stored.root)
        assert scope.fault(path, write=True)
        assert scope.allows(path, write=False)

    @pytest.mark.parametrize("path", ["~/.claude/commands/x.md", "~/notes.json", "../x.json"])
    def test_all_else_there_is_open(self, stored: Memory, path: str) -> None:
        assert Scope.without_memory(stored.root).allows(path, write=True)

    def test_settings_that_a_host_can_be_started_with(self, stored: Memory) -> None:
        folder = stored.workspace / ".claude"
        folder.mkdir()
        (folder / "settings.team.json").write_text("{}")
        scope = Scope.without_memory(stored.root)
        assert not scope.allows(".claude/settings.team.json", write=True)
        assert scope.allows(".claude/other.json", write=True)

    def test_a_project_that_is_named(self, stored: Memory) -> None:
        path = "src/.claude/settings.json"
        assert Scope.without_memory(stored.root).allows(path, write=True)
        scope = Scope.without_memory(stored.root, project=stored.workspace / "src")
        assert "guards the memory" in scope.fault(path, write=True)

    def test_the_list_of_trusted_plugins(self, stored: Memory) -> None:
        scope = Scope.without_memory(stored.root)
        for path in (trust_file(), trust_file().parent):
            assert not scope.allows(path, write=True)
        assert "which rules hold" in scope.fault(trust_file(), write=True)


class TestWhatIsSaid:
    @pytest.mark.parametrize(
        ("path", "write", "said"),
        [
            (RECORD, True, "memory_edit"),
            (RECORD, True, "the path memory/decisions/use-sqlite.md"),
            (RECORD, False, "use memory_read with the path memory/decisions/use-sqlite.md"),
            (".yoi/memory", True, "memory_list"),
            (".yoi/memory/_logs/audit.jsonl", True, "yoimem's own"),
            (".yoi/workflow/release.md", True, "people write"),
            (".yoi/memory/workflow/release.md", True, "people write"),
            ("yoimem.toml", True, "decides which rules hold"),
            (".mcp.json", True, "decides what guards the memory"),
        ],
    )
    def test_it_names_the_reason_and_what_to_do(
        self, scope: Scope, path: str, write: bool, said: str
    ) -> None:
        text = scope.fault(path, write=write)
        assert text.startswith(f"{path!r} is refused: ")
        assert said in text


def write_text(path: str, text: str = "") -> str:
    Path(path).write_text(text)
    return f"wrote {path}"


def write_file(file_path: str, text: str, *, encoding: str = "utf-8") -> str:
    Path(file_path).write_text(text, encoding)
    return "wrote"


async def write_later(path: str, text: str) -> str:
    return write_text(path, text)


def write_many(text: str, path: list[str] | None = None, **options: Any) -> str:
    for one in [*(path or []), *options.values()]:
        write_text(one, text)
    return "wrote"


class Writer:
    def write(self, path: str, text: str) -> str:
        return write_text(path, text)

    def __call__(self, notebook_path: str, text: str) -> str:
        return write_text(notebook_path, text)


class TestGuard:
    @pytest.fixture(autouse=True)
    def _in_the_workspace(self, stored: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(stored.workspace)

    @pytest.mark.parametrize(
        "call",
        [
            lambda guarded, path: guarded(write_text)(path, "x"),
            lambda guarded, path: guarded(write_text)(text="x", path=path),
            lambda guarded, path: guarded(write_text)(Path(path), "x"),
            lambda guarded, path: guarded(write_file)(path, "x"),
            lambda guarded, path: guarded(write_file)(text="x", file_path=path),
            lambda guarded, path: guarded(Writer().write)(path, "x"),
            lambda guarded, path: guarded(Writer())(path, "x"),
            lambda guarded, path: guarded(partial(write_text, text="x"))(path),
            lambda guarded, path: guarded(write_many)("x", ["src/new.py", path]),
            lambda guarded, path: guarded(write_many)("x", path=(path,)),
            lambda guarded, path: guarded(write_many)("x", file_path=path),
            lambda guarded, path: asyncio.run(guarded(write_later)(path, "x")),
        ],
    )
    @pytest.mark.parametrize("path", [RECORD, ".yoi/knowledge/new.md", "src/../yoimem.toml"])
    def test_nothing_is_written_to_the_memory(
        self, stored: Memory, scope: Scope, call: Callable[..., Any], path: str
    ) -> None:
        before = {p: p.read_bytes() for p in stored.workspace.rglob("*") if p.is_file()}
        with pytest.raises(MemoryToolError) as caught:
            call(partial(guard, scope=scope), path)
        assert caught.value.code == "denied"
        after = {p: p.read_bytes() for p in stored.workspace.rglob("*") if p.is_file()}
        assert after == before

    def test_elsewhere_the_tool_does_its_work(self, stored: Memory, scope: Scope) -> None:
        assert guard(write_text, scope)("src/app.py", "new") == "wrote src/app.py"
        assert (stored.workspace / "src/app.py").read_text() == "new"
        done = asyncio.run(guard(write_later, scope)(path="src/later.py", text="new"))
        assert done == "wrote src/later.py"
        assert guard(write_many, scope)("x") == "wrote"

    def test_a_guarded_tool_looks_as_before(self, scope: Scope) -> None:
        assert inspect.signature(guard(write_file, scope)) == inspect.signature(write_file)
        assert guard(write_file, scope).__name__ == "write_file"
        assert inspect.iscoroutinefunction(guard(write_later, scope))
        assert not inspect.iscoroutinefunction(guard(write_text, scope))

    def test_a_tool_that_reads(self, scope: Scope) -> None:
        def read(path: str) -> str:
            return Path(path).read_text()

        reads = guard(read, scope, write=False)
        assert reads(".yoi/workflow/release.md") == WORKFLOW
        with pytest.raises(MemoryToolError):
            reads(RECORD)
        with pytest.raises(MemoryToolError):
            guard(read, scope)(".yoi/workflow/release.md")

    @pytest.mark.parametrize("name", PATH_ARGUMENTS)
    def test_every_common_name_of_a_path_counts(self, scope: Scope, name: str) -> None:
        def tool(**arguments: str) -> None:
            raise AssertionError(arguments)

        parameters = [
            inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY)
            for each in dict.fromkeys(("path", name))
        ]
        tool.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        call = {"path": "src/app.py", name: RECORD}
        with pytest.raises(MemoryToolError):
            guard(tool, scope)(**call)

    def test_the_names_of_the_paths_can_be_given(self, stored: Memory, scope: Scope) -> None:
        def copy(source: str, target: str = RECORD) -> None:
            write_text(target, Path(source).read_text())

        guarded = guard(copy, scope, paths=("target",))
        guarded("src/app.py", "src/copy.py")
        assert (stored.workspace / "src/copy.py").read_text() == "print()\n"
        with pytest.raises(MemoryToolError):
            guarded("src/app.py")

    def test_a_tool_without_such_an_argument_is_a_mistake(self, scope: Scope) -> None:
        def tool(filename: str, **rest: str) -> None:
            write_text(filename, "")

        with pytest.raises(TypeError, match="path, file_path, notebook_path"):
            guard(tool, scope)

    def test_a_relative_path_is_also_one_from_the_working_folder(
        self, stored: Memory, scope: Scope, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(stored.workspace / "src")
        with pytest.raises(MemoryToolError):
            guard(write_text, scope)(f"../{RECORD}", "x")
        with pytest.raises(MemoryToolError):
            guard(write_text, scope)(RECORD, "x")
        assert guard(write_text, scope)("app.py", "x") == "wrote app.py"

    @pytest.mark.parametrize("path", [3, {"path": "src/app.py"}, ["src/app.py", 1], ""])
    def test_what_is_no_path_is_denied(self, scope: Scope, path: Any) -> None:
        with pytest.raises(MemoryToolError) as caught:
            guard(write_text, scope)(path, "x")
        assert caught.value.code == "denied"

    def test_the_tool_gets_what_was_looked_at(self, scope: Scope) -> None:
        class Changing:
            asked = 0

            def __fspath__(self) -> str:
                self.asked += 1
                return "src/app.py" if self.asked == 1 else RECORD

        class Text(str):
            def __str__(self) -> str:
                return RECORD

        def tool(path: Any, **options: Any) -> Any:
            return path, options

        guarded = guard(tool, scope)
        got, _ = guarded(Changing())
        assert (type(got), got) == (str, "src/app.py")
        got, _ = guarded(Text("src/app.py"))
        assert (type(got), got) == (str, "src/app.py")
        (got,), options = guarded([Changing()], dest=Changing(), other=1)
        assert (got, options) == ("src/app.py", {"dest": "src/app.py", "other": 1})
        got, _ = guarded(Path("src/app.py"))
        assert got == Path("src/app.py")
        got, _ = guarded(b"src/app.py")
        assert got == "src/app.py"

    def test_a_name_that_is_there_twice_is_looked_at_twice(self, scope: Scope) -> None:
        def tool(path: str, /, **options: str) -> str:
            return path + options["path"]

        with pytest.raises(MemoryToolError):
            guard(tool, scope)("src/app.py", path=RECORD)

    def test_a_wrong_call_fails_as_it_would_without(self, scope: Scope) -> None:
        with pytest.raises(TypeError):
            guard(write_text, scope)("src/app.py", colour="red")  # type: ignore[call-arg]
