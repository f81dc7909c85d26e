"""The tutorial is done step by step; the reference holds every hook and every attribute."""

import importlib.util
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import yoimem
from tests.e2e.environment import REPOSITORY, Environment
from yoimem.lint import hookspecs
from yoimem.workspace.snapshot import Edge, Facts

TUTORIAL = (REPOSITORY / "docs" / "plugins.md").read_text("utf-8")
REFERENCE = (REPOSITORY / "docs" / "reference.md").read_text("utf-8")
CLASSES = (
    *(thing for name in yoimem.__all__ if inspect.isclass(thing := getattr(yoimem, name))),
    Facts,
    Edge,
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the words behind it, its text."""

    language: str
    words: tuple[str, ...]
    text: str


def blocks(document: str) -> Iterator[Block]:
    for match in re.finditer(r"^(`{3,})([^`\n]+)\n(.*?)^\1$", document, re.MULTILINE | re.DOTALL):
        language, *words = match[2].split()
        yield Block(language, tuple(words), match[3])


@pytest.mark.skipif("os.name == 'nt'", reason="the tutorial is for a shell")
def test_every_step_of_the_tutorial(tmp_path: Path) -> None:
    """Paste the files, run the commands, and hold what they print against what is shown."""
    environment = Environment(tmp_path / "venv")
    folder = tmp_path / "acme-rules"
    (folder / "src" / "acme_rules").mkdir(parents=True)
    printed, done = "", set[str]()
    for block in blocks(TUTORIAL):
        match block:
            case Block("sh", ("setup",) | ("publish",)):
                done.update(block.words)
            case Block("sh", words):
                ran = environment.shell(block.text, folder)
                printed = ran.stdout + ran.stderr
                wanted = 1 if words == ("exit=1",) else 0
                assert ran.returncode == wanted, f"{block.text}\n{printed}"
                done.add("sh")
            case Block("text", ()):
                at = 0
                for line in block.text.splitlines():
                    at = printed.find(line, at)
                    assert at >= 0, f"not printed, or not in this order: {line}\n{printed}"
                done.add("text")
            case Block(_, (path,)):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(block.text)
                done.add("file")
            case _:
                pytest.fail(f"the tutorial has a block of which nothing is known: {block}")
    assert done == {"setup", "publish", "sh", "text", "file"}


def test_the_setup_of_the_tutorial_is_what_the_test_made() -> None:
    (setup,) = [block.text for block in blocks(TUTORIAL) if block.words == ("setup",)]
    assert "mkdir acme-rules && cd acme-rules\n" in setup
    assert "mkdir -p src/acme_rules\n" in setup


def test_the_text_before_each_file_names_it() -> None:
    """The words behind a fence are not shown to a reader."""
    found = re.findall(
        r"^(.*\n.*\n)\n`{3,}(?:python|toml|markdown) (\S+)$", outer(TUTORIAL), re.MULTILINE
    )
    files = [b.words[0] for b in blocks(TUTORIAL) if b.language not in {"sh", "text"}]
    assert [path for _, path in found] == files
    assert [path for before, path in found if f"`{path}`" not in before] == []


def outer(document: str) -> str:
    """Return a document without the texts of its blocks, which hold blocks of their own."""
    return re.sub(
        r"^(`{3,})([^`\n]+)\n.*?^\1$", r"\1\2\n\1", document, flags=re.MULTILINE | re.DOTALL
    )


def test_the_first_rule_has_at_most_20_lines() -> None:
    first = next(block for block in blocks(TUTORIAL) if block.language == "python")
    assert "RecordRule" in first.text
    assert len(first.text.splitlines()) <= 20


def section(name: str) -> str:
    """Return what the reference says of a class or function."""
    found = re.search(
        rf"^### `{name}`\n(.*?)(?=^##? |^### |\Z)", REFERENCE, re.DOTALL | re.MULTILINE
    )
    assert found, f"the reference has no section on {name}"
    return found[1]


def test_the_reference_has_every_hook_with_its_signature() -> None:
    hooks = {n: f for n, f in vars(hookspecs).items() if n.startswith("yoimem_")}
    assert len(hooks) >= 3
    for name, hook in hooks.items():
        assert f"{name}() -> Sequence[" in section(name)
        assert inspect.cleandoc(hook.__doc__ or "nothing") in section(name)


@pytest.mark.parametrize("documented", CLASSES, ids=lambda thing: thing.__name__)
def test_the_reference_has_every_public_attribute(documented: type) -> None:
    text = section(documented.__name__)
    assert inspect.cleandoc(documented.__doc__ or "nothing").splitlines()[0] in text
    for name in public_attributes(documented):
        assert f"| `{name}` |" in text or f"`{documented.__name__}.{name}`" in text, name


def test_the_reference_has_the_attributes_that_a_snapshot_is_made_with() -> None:
    made = vars(yoimem.Snapshot.of_texts({}))
    for name in made:
        assert name.startswith("_") or f"| `{name}` |" in section("Snapshot")


def test_nothing_public_is_undocumented() -> None:
    spec = importlib.util.spec_from_file_location("reference", REPOSITORY / "docs/reference.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert isinstance(module, ModuleType)
    assert module.undocumented() == []
    assert set(CLASSES) <= set(module.CLASSES)


def public_attributes(documented: type) -> set[str]:
    names = {*vars(documented), *getattr(documented, "__dataclass_fields__", ())}
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("document", ["plugins.md", "reference.md"])
def test_links_lead_somewhere(document: str) -> None:
    text = (REPOSITORY / "docs" / document).read_text("utf-8")
    headings = {
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", text):
        assert (REPOSITORY / "docs" / target).exists(), target
        assert target or anchor in headings, anchor
