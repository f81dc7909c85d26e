"""Where the root is found, and which of its files are judged."""

from pathlib import Path

import pytest

from yoimem.workspace.layout import (
    ROOT_VARIABLE,
    Root,
    RootNotFoundError,
    find_root,
    is_linted,
    is_reserved,
    root_at,
)

FOLDERS = frozenset({"memory", "knowledge", "workflow"})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A workspace with a root and a folder of sources."""
    workspace = tmp_path.resolve() / "project"
    (workspace / ".yoi" / "memory" / "decisions").mkdir(parents=True)
    (workspace / "src" / "deep").mkdir(parents=True)
    return workspace


def found(start: Path, given: Path | None = None, variable: Path | str | None = None) -> Root:
    environ = {} if variable is None else {ROOT_VARIABLE: str(variable)}
    return find_root(start, given=given, environ=environ)


@pytest.mark.parametrize(
    "start",
    [".", "src/deep", ".yoi", ".yoi/memory", ".yoi/memory/decisions", "src/missing/folder"],
)
def test_the_root_is_found_from_anywhere_in_its_workspace(project: Path, start: str) -> None:
    assert found(project / start) == Root(project / ".yoi", project)


def test_the_nearest_root_wins(project: Path) -> None:
    (project / "src" / ".yoi").mkdir()
    assert found(project / "src" / "deep") == Root(project / "src" / ".yoi", project / "src")


def test_a_file_named_like_a_root_is_none(project: Path) -> None:
    (project / "src" / ".yoi").write_text("")
    assert found(project / "src" / "deep") == Root(project / ".yoi", project)


def test_a_relative_start_is_taken_from_the_working_folder(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "src")
    assert found(Path()) == Root(project / ".yoi", project)


def test_without_a_root_the_message_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(RootNotFoundError, match="`yoimem init` makes one"):
        found(tmp_path)


def test_an_older_layout_above_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "src").mkdir()
    with pytest.raises(RootNotFoundError):
        found(tmp_path / "src")


@pytest.mark.parametrize("folder", ["memory", "knowledge"])
def test_an_older_layout_is_a_root_when_it_is_named(tmp_path: Path, folder: str) -> None:
    named = tmp_path.resolve()
    (named / folder).mkdir()
    assert found(Path("/"), named) == Root(named, named)


@pytest.mark.parametrize("name", ["", ".yoi"], ids=["the workspace", "the root"])
def test_either_folder_names_a_root(project: Path, name: str) -> None:
    assert found(Path("/"), project / name) == Root(project / ".yoi", project)
    assert found(Path("/"), variable=project / name) == Root(project / ".yoi", project)


@pytest.mark.parametrize("folder", ["memory", "memory/decisions", "knowledge/memory"])
def test_a_folder_inside_of_a_root_is_no_root(project: Path, folder: str) -> None:
    (project / ".yoi" / folder / "memory").mkdir(parents=True)
    assert root_at(project / ".yoi" / folder) is None


def test_a_root_of_today_wins_over_the_older_layout(project: Path) -> None:
    (project / "memory").mkdir()
    assert root_at(project) == Root(project / ".yoi", project)


def test_what_is_given_wins_over_the_variable_and_that_over_the_nearest(
    project: Path, tmp_path: Path
) -> None:
    for name in ("given", "variable"):
        (tmp_path / name / ".yoi").mkdir(parents=True)
    given, variable = tmp_path / "given", tmp_path / "variable"
    assert found(project, given, variable).workspace == given.resolve()
    assert found(project, variable=variable).workspace == variable.resolve()
    assert found(project, variable="").workspace == project


@pytest.mark.parametrize("by_variable", [False, True], ids=["given", "variable"])
def test_a_name_without_a_memory_is_an_error_even_inside_of_a_workspace(
    project: Path, by_variable: bool
) -> None:
    named = project / "src"
    with pytest.raises(RootNotFoundError, match=r"src holds no `\.yoi/`"):
        found(project, variable=named) if by_variable else found(project, named)


def test_a_link_to_a_root_is_the_root_it_leads_to(project: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(project)
    assert root_at(link) == Root(project / ".yoi", project)


def test_a_root_that_is_a_link_keeps_its_workspace(project: Path, tmp_path: Path) -> None:
    other = tmp_path.resolve() / "other"
    other.mkdir()
    (other / ".yoi").symlink_to(project / ".yoi")
    assert root_at(other) == Root(project / ".yoi", other)
    assert root_at(other / ".yoi") == Root(project / ".yoi", other)


@pytest.mark.parametrize(
    ("path", "reserved"),
    [
        ("memory/_staging/a.md", True),
        ("memory/_lock", True),
        ("memory/_logs", True),
        ("memory/decisions/_a.md", False),
        ("knowledge/_a/b.md", False),
        ("_memory/a.md", False),
        ("memory", False),
    ],
)
def test_what_is_reserved(path: str, reserved: bool) -> None:
    assert is_reserved(path) == reserved


@pytest.mark.parametrize(
    ("path", "linted"),
    [
        ("memory/summary.md", True),
        ("memory/decisions/a.md", True),
        ("memory/decisions/deep/er/a.md", True),
        ("knowledge/a.MD", True),
        ("workflow/A b.md", True),
        ("knowledge/readme.md", True),
        ("knowledge/README.md", False),
        ("memory/decisions/README.md", False),
        ("knowledge/a.txt", False),
        ("knowledge/amd", False),
        ("knowledge/.a.md", False),
        ("knowledge/.git/a.md", False),
        ("memory/_staging/a.md", False),
        ("other/a.md", False),
        ("a.md", False),
        ("knowledge", False),
        ("knowledge/folder.md/a.md", False),
    ],
)
def test_what_is_judged(path: str, linted: bool) -> None:
    assert is_linted(path, FOLDERS) == linted
