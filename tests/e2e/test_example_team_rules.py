"""The example distribution and its copies, built, installed and used as a team would."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import DECISION
from tests.e2e.environment import REPOSITORY, Environment
from yoimem.testing import workspace

pytestmark = pytest.mark.skipif("os.name == 'nt'", reason="the scripts are for a shell")

INCIDENT = """\
---
created_at: 2026-02-03T09:00:00Z
updated_at: 2026-02-04T09:00:00Z
severity: major
status: closed
decision: use-sqlite
---
Twelve orders were lost.
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example, so that building leaves nothing in the repository."""
    copy = tmp_path_factory.mktemp("example") / "example-team-rules"
    left_out = shutil.ignore_patterns("__pycache__", ".*_cache", "dist")
    shutil.copytree(REPOSITORY / "plugins" / "example-team-rules", copy, ignore=left_out)
    return copy


@pytest.fixture(scope="module")
def environment(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the example's wheel."""
    made = Environment(tmp_path_factory.mktemp("environment") / "venv")
    built = made.run("pip", "wheel", "--no-deps", "-w", "dist", example, cwd=example)
    assert built.returncode == 0, built.stderr
    made.install(*(example / "dist").glob("*.whl"))
    return made


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Path]:
    texts = {
        "memory/decisions/use-sqlite.md": DECISION,
        "memory/incidents/orders-lost.md": INCIDENT,
    }
    return workspace(tmp_path, texts)


def test_its_rules_judge(environment: Environment, team: Path) -> None:
    done = environment.run("yoimem", "check", "--output-format", "concise", cwd=team)
    assert done.stderr == ""
    assert done.stdout == (
        ".yoi/memory/decisions/use-sqlite.md:7:1: error: ACME001 rationale-missing"
        " the decision has no `Rationale` heading\n"
        ".yoi/memory/incidents/orders-lost.md:6:11: warning: ACME002 incident-closed-early"
        " the incident is closed, and the decision `use-sqlite` is still open\n"
    )
    assert done.returncode == 1


def test_its_kind_is_read_and_limited(environment: Environment, team: Path) -> None:
    wrong = INCIDENT.replace("major", "huge") + "x" * 4_000
    workspace(team, {"memory/incidents/orders-lost.md": wrong})
    done = environment.run("yoimem", "check", "--select", "FM,SZ", cwd=team)
    assert "FM102 invalid-field" in done.stdout
    assert "minor, major" in done.stdout
    assert "SZ001 body-too-long" in done.stdout
    assert "ID002" not in done.stdout


def test_its_format_is_printed(environment: Environment, team: Path) -> None:
    done = environment.run("yoimem", "check", "--output-format", "markdown-table", cwd=team)
    assert done.stdout.startswith(
        "| place | rule | severity | message |\n|---|---|---|---|\n"
        "| .yoi/memory/decisions/use-sqlite.md:7 | ACME001 | error"
        " | the decision has no `Rationale` heading |\n"
    )
    assert (done.returncode, done.stderr) == (1, "")


def test_its_rules_are_listed_and_explained(environment: Environment, team: Path) -> None:
    rules = environment.run("yoimem", "rules", cwd=team)
    assert rules.returncode == 0
    (line,) = [line for line in rules.stdout.splitlines() if "ACME001" in line]
    assert "example-team-rules 0.1.0" in line
    page = environment.run("yoimem", "explain", "ACME002", cwd=team)
    assert page.stdout.startswith("# ACME002 incident-closed-early\n")


def test_its_rules_are_configured(environment: Environment, team: Path) -> None:
    (team / "yoimem.toml").write_text(
        'ignore = ["ACME002"]\n[rules.rationale-missing]\nheading = "Why"\n'
    )
    workspace(team, {"memory/decisions/use-sqlite.md": f"{DECISION}\n## Why\n"})
    assert environment.run("yoimem", "check", cwd=team).returncode == 0


def test_its_own_tests_pass(environment: Environment, example: Path) -> None:
    done = environment.run("pytest", "-v", cwd=example)
    assert done.returncode == 0, done.stdout
    pages = [line for line in done.stdout.splitlines() if ".md::" in line]
    assert len(pages) == 7
    assert all("PASSED" in line for line in pages)


def test_a_new_plugin_installs_and_passes_its_tests(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "venv")
    made = environment.run("yoimem", "new-plugin", "payments-rules", cwd=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    told = made.stdout.splitlines()[-1].removeprefix("now run: ")
    done = environment.shell(told, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "17 passed" in done.stdout
    rules = environment.run("yoimem", "rules", cwd=tmp_path)
    assert "PAYMENTS001" in rules.stdout
    assert "payments-rules 0.1.0" in rules.stdout


def test_the_wheel_of_yoimem_holds_the_template(tmp_path: Path) -> None:
    """What `new-plugin` copies must be there without a checkout."""
    environment = Environment(tmp_path / "venv")
    built = environment.run("pip", "wheel", "--no-deps", "-w", tmp_path, REPOSITORY)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from yoimem.__main__ import run"
    environment.install("--target", tmp_path / "site", "--no-deps", wheel)
    done = environment.run(
        "python", "-c", code, tmp_path / "site", "new-plugin", "payments-rules", cwd=tmp_path
    )
    assert done.stdout.startswith("made payments-rules\n"), done.stderr
    copied = {path.name for path in (tmp_path / "payments-rules").rglob("*")}
    assert copied >= {".gitignore", "pyproject.toml", "rationale_missing.md", "test_rules.py"}
