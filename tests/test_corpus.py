"""The corpus of real text: every finding on it was judged by hand, and no other may appear."""

from pathlib import Path

import pytest

from tests.conftest import NOW
from yoimem import lint
from yoimem.lint.config import Config
from yoimem.lint.host import load_plugins

CORPUS = Path(__file__).parent / "corpus"
PLUGINS = load_plugins()
WORKSPACES = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())
EXPECTED = (CORPUS / "expected.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_the_corpus_has_the_findings_that_were_judged_right(workspace: str) -> None:
    report = lint(CORPUS / workspace, config=Config(), plugins=PLUGINS, now=NOW)
    found = [f"{workspace}/{d.path}:{d.start.line} {d.code} {d.name}" for d in report.diagnostics]
    assert report.failures == ()
    assert sorted(found) == [line for line in EXPECTED if line.startswith(f"{workspace}/")]


def test_every_expected_finding_belongs_to_a_workspace() -> None:
    assert len(EXPECTED) > 40
    assert {line.partition("/")[0] for line in EXPECTED} <= set(WORKSPACES)
