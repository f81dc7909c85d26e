"""`yoimem offers` as a person meets it: the page's examples, and what a hostile folder does."""

import json
import re
from itertools import pairwise
from pathlib import Path

import click
import pytest

from tests.conftest import WORKFLOW, Memory
from tests.pipeline.test_offers import at_terminal
from tests.test_docs import shell
from yoimem.interfaces.cli.main import main
from yoimem.interfaces.cli.offers import command
from yoimem.tools import MemoryTools
from yoimem.tools.errors import MemoryToolError
from yoimem.tools.offers import OFFERS_PATH, offers, rejections
from yoimem.workspace.layout import Root

PAGE = (Path(__file__).parents[2] / "docs" / "offers.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARIES = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d{2}-\d{2}T\S+Z")
Output = pytest.CaptureFixture[str]


@pytest.fixture
def root(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(memory.workspace)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    return memory.root.resolve()


def same(text: str) -> str:
    return VARIES.sub("…", text)


# The page


def test_the_examples_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    assert main(["init", "."]) == 0
    blocks = BLOCK.findall(PAGE)
    for _, path, text in blocks:
        if path:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text)
    (commands,) = [text for language, _, text in blocks if language == "sh"]
    assert commands == "python offer.py\nyoimem offers\n"
    listed, shown, accepted, rejected = [text for kind, _, text in blocks if kind == "text"]

    assert shell("python offer.py", tmp_path).returncode == 0
    place = Root((tmp_path / ".yoi").resolve(), tmp_path.resolve())
    release, deploy = offers(place.path).open
    capsys.readouterr()
    assert main(["offers"]) == 0
    assert same(capsys.readouterr().out) == same(listed)
    assert main(["offers", "show", deploy.id]) == 0
    assert same(capsys.readouterr().out) == same(shown)
    code, printed = at_terminal(place, "deploy", "accept", deploy.id)
    assert (code, printed.endswith(accepted)) == (0, True), printed
    assert same(shown) in same(printed)
    code, printed = at_terminal(place, "release", "reject", release.id, "--why", "No.")
    assert (code, printed.endswith(rejected)) == (0, True), printed
    assert [(r.offer, r.why) for r in rejections(place.path)] == [(release, "No.")]
    assert "model_invokation: true\n" in (tmp_path / ".yoi/workflow/deploy.md").read_text()
    assert main(["check"]) == 0


def test_the_tables_are_complete() -> None:
    assert isinstance(command, click.Group)
    rows = re.findall(r"^\| `([^`]+)`", PAGE, re.MULTILINE)
    names = {row.split()[2] for row in rows if row.startswith("yoimem offers ")}
    assert names == set(command.commands)
    params = [p for c in (command, *command.commands.values()) for p in c.params]
    options = {option for p in params for option in p.opts if option.startswith("--")}
    assert {row.split()[0] for row in rows if row.startswith("--")} == options


# What a model, or its shell, may have put there


def test_a_person_tells_a_model_why_through_the_command(root: Path) -> None:
    tools = MemoryTools(root)
    made = tools.workflow_offer("release", "Please.", WORKFLOW)
    place = Root(root, root.parent)
    assert at_terminal(place, "release", "reject", made.id, "--why", "Too short. \x1b")[0] == 0
    with pytest.raises(MemoryToolError, match=r"rejected this very offer .*Too short"):
        tools.workflow_offer("release", "Please!", WORKFLOW)


@pytest.mark.parametrize("why", ["word " * 300, "語" * 1000, "line\n" * 300])
def test_a_list_has_a_line_for_each_offer(root: Path, capsys: Output, why: str) -> None:
    made = MemoryTools(root).workflow_offer("release", why, WORKFLOW)
    assert main(["offers"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith("…")
    assert len(line) < 200
    assert main(["offers", "show", made.id]) == 0
    assert why.rstrip() in capsys.readouterr().out


def test_a_forged_offer_shows_no_escape_in_any_field(root: Path, capsys: Output) -> None:
    made = MemoryTools(root).workflow_offer("release", "Please.", WORKFLOW)
    kept = root / OFFERS_PATH / f"{made.id}.json"
    evil = "\x1b]0;x\x07\u202e\u200b\r"
    fields = json.loads(kept.read_text())
    for name in ("created_at", "content", "why", "actor", "session", "run"):
        fields[name] = f"{fields[name]}{evil}"
    kept.write_text(json.dumps(fields))
    (root / OFFERS_PATH / f"{evil}.json").write_text("no offer")
    assert main(["offers"]) == 0
    assert main(["offers", "show", made.id]) == 0
    printed = "".join(capsys.readouterr())
    assert r"\x1b]0;x\x07\u202e\u200b" in printed
    assert not set("\x1b\x07\u202e\u200b\r") & set(printed)


def test_a_link_is_no_folder_of_offers(root: Path, tmp_path: Path, capsys: Output) -> None:
    (root / OFFERS_PATH).symlink_to(tmp_path)
    for arguments in ([], ["show", "0"], ["accept", "0"], ["reject", "0"]):
        assert main(["offers", *arguments]) == 2
        told = capsys.readouterr().err
        assert "_offers is a link, and links are not followed" in told
        assert "Traceback" not in told


def test_ten_thousand_files_are_listed_in_order(root: Path, capsys: Output) -> None:
    made = MemoryTools(root).workflow_offer("release", "Please.", WORKFLOW)
    kept = root / OFFERS_PATH / f"{made.id}.json"
    text = kept.read_text()
    for number in range(10_000):
        name = f"{number:05}"
        (kept.parent / f"{name}.json").write_text(text.replace(made.id, name))
    assert main(["offers", "--output-format", "json"]) == 0
    ids = [offer["id"] for offer in json.loads(capsys.readouterr().out)["offers"]]
    assert len(ids) == 10_001
    assert all(one < other for one, other in pairwise(ids))
    with pytest.raises(MemoryToolError, match="10,001 offers wait"):
        MemoryTools(root).workflow_offer("deploy", "Please.", WORKFLOW)


@pytest.mark.parametrize("what", ["accept", "reject"])
def test_a_shell_is_told_that_it_cannot_answer(root: Path, capfd: Output, what: str) -> None:
    made = MemoryTools(root).workflow_offer("release", "Please.", WORKFLOW)
    done = shell(f"echo release | yoimem offers {what} {made.id}", root.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"only a person at a terminal can {what} an offer" in done.stderr
    assert [offer.id for offer in offers(root).open] == [made.id]
