"""The documents: what they show is run, what is generated is up to date."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).parent.parent
README = (REPOSITORY / "README.md").read_text("utf-8")
GUIDE = (REPOSITORY / "docs" / "guide.md").read_text("utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    scripts = Path(sys.executable).parent
    environ = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-c", command], cwd=cwd, env=environ, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", REPOSITORY / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_rule_pages_are_up_to_date() -> None:
    generate = generator()
    assert generate.outdated(generate.pages()) == []


def test_the_main_job_finds_and_explains_an_error_and_a_warning() -> None:
    (command,) = re.findall(r"<!-- the main job -->\n```sh\n(.*?)\n```", README)
    _, _, job = command.partition("'.[fast]' && ")
    done = shell(job.replace(".venv/bin/", ""), REPOSITORY)
    shown = blocks(README, "text")[0]
    for line in shown.splitlines():
        assert line.removesuffix("…") in done.stdout
    assert "1 error, 1 warning" in done.stdout
    assert "# FM106 invalid-status" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_the_first_minute_works_when_pasted(tmp_path: Path) -> None:
    begin, spoil, mend = [b for b in blocks(README, "sh") if ".venv" not in b]
    first = shell(begin, tmp_path)
    assert first.returncode == 0
    assert first.stdout.endswith("checked 3 records: no findings\n")
    second = shell(spoil, tmp_path)
    assert second.returncode == 1
    for line in blocks(README, "text")[1].splitlines():
        assert line.removesuffix("…") in second.stdout
    third = shell(mend, tmp_path)
    assert third.returncode == 0
    assert third.stdout.endswith("checked 3 records: no findings\n")


@pytest.mark.skipif(os.name == "nt", reason="the examples are for a shell")
def test_the_commands_of_the_guide_run(tmp_path: Path) -> None:
    shell("yoimem init . && cp .yoi/knowledge/how-to-write-records.md draft.md", tmp_path)
    shell("mkdir -p path/to/workspace && yoimem init path/to/workspace", tmp_path)
    (commands, *_) = blocks(GUIDE, "sh")
    for command in commands.splitlines():
        done = shell(command.partition("#")[0].strip(), tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), (command, done.stdout)


def test_the_api_example_of_the_guide_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shell("yoimem init", tmp_path)
    monkeypatch.chdir(tmp_path)
    (code,) = [block for block in blocks(GUIDE, "python") if "lint_text(" in block]
    exec(compile(code, "guide.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "0 0 0"
    assert lines[1].startswith("knowledge/use-sqlite.md 1 FM001 ")


def test_the_rule_of_the_guide_works(tmp_path: Path) -> None:
    from yoimem import lint_text
    from yoimem.lint.collector import collect
    from yoimem.lint.plugin import LoadedPlugin

    (code,) = [block for block in blocks(GUIDE, "python") if "RationaleMissing" in block]
    module = ModuleType("acme_rules")
    exec(compile(code, "guide.md", "exec"), module.__dict__)
    plugins = collect([LoadedPlugin("acme 1.0", module)])
    (tmp_path / ".yoi").mkdir()
    path = "memory/decisions/a.md"
    without = lint_text(tmp_path, path, "---\n---\nBecause.\n", plugins=plugins)
    with_it = lint_text(tmp_path, path, "---\n---\n## Rationale\n\nBecause.\n", plugins=plugins)
    assert [d.code for d in without.diagnostics] == ["ACME001"]
    assert with_it.diagnostics == ()


@pytest.mark.parametrize(
    "document",
    sorted(
        str(p.relative_to(REPOSITORY))
        for p in [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md")]
    ),
)
def test_links_lead_somewhere(document: str) -> None:
    path = REPOSITORY / document
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), target
