r"""The kit by which rules are tested: the examples on a rule's page are its tests.

A page stands beside the module of its rule and has fixed headings: `# CODE name`, `## What`,
`## Why`, `## Bad`, `## Good`, `## Options`. An example is a small memory: each fence
` ```markdown PATH ` holds one file. Under Bad, a fence ` ```text findings ` lists the places
(`path:line:column`) where the rule speaks, and ` ```toml options ` sets its options. Words behind
the path: `escaped` decodes `\t`, `\r`, `\xNN`, `\uNNNN`; `folder` makes a folder of that name;
`operation=` and `actor=` judge the file as that change of the others.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from yoimem.lint.api import lint, lint_text
from yoimem.lint.config import Config
from yoimem.lint.hookspecs import hookimpl
from yoimem.lint.host import LoadedPlugin, Plugins, collect, find_plugins, load_plugins
from yoimem.lint.options import option_names
from yoimem.lint.pages import page_path
from yoimem.lint.report import Diagnostic, Report
from yoimem.lint.rule import Rule
from yoimem.workspace.layout import ROOT_FOLDER

SECTIONS = ("What", "Why", "Bad", "Good", "Options")
_OPTION = re.compile(r"^- `([a-z0-9-]+)` \((.*?)\):", re.MULTILINE)
_ESCAPE = re.compile(r"\\(?:[trn\\]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """A file of an example; with an `operation` it is a change to be judged."""

    path: str
    text: str
    folder: bool = False
    operation: str = ""
    actor: str = "human"


@dataclass(frozen=True, slots=True)
class Example:
    """A small memory, and the places where the rule speaks of it (none for a good one)."""

    title: str
    verdict: Literal["bad", "good"]
    files: tuple[ExampleFile, ...]
    findings: tuple[str, ...]
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a rule."""

    title: str
    text: str
    sections: tuple[str, ...]
    examples: tuple[Example, ...]
    options: Mapping[str, str]


def read_page(rule: type[Rule]) -> Page:
    """Read the page of `rule`.

    Raises:
        AssertionError: there is none, or an example on it cannot be read.
    """
    path = page_path(rule)
    if not path.is_file():
        raise AssertionError(f"{rule.meta.code} has no page: write {path}")
    return parse_page(path.read_text(encoding="utf-8"))


def parse_page(text: str) -> Page:
    """Read the `text` of a rule's page.

    Raises:
        AssertionError: an example on it cannot be read.
    """
    sections = dict(_sections(text))
    title = next(iter(sections))
    options = sections.get("Options", "")
    return Page(
        title=title,
        text=text,
        sections=tuple(sections)[1:],
        examples=(
            *_examples("bad", sections.get("Bad", "")),
            *_examples("good", sections.get("Good", "")),
        ),
        options=dict(_OPTION.findall(options)),
    )


def check_page(rule: type[Rule], folder: Path) -> None:
    """Hold a rule against its page, working in the empty `folder`.

    Raises:
        AssertionError: the page lacks a heading or a bad example, names an option that the rule
            lacks or with another default, or an example is not judged as it says.
    """
    page = read_page(rule)
    meta = rule.meta
    _require(page.title == f"{meta.code} {meta.name}", f"the page begins `# {page.title}`")
    _require(page.sections == SECTIONS, f"the headings are {page.sections}, not {SECTIONS}")
    wanted = {name: _as_written(value) for name, value in option_names(rule.Options).items()}
    _require(
        page.options == wanted, f"the options on the page are {dict(page.options)}, not {wanted}"
    )
    verdicts = [example.verdict for example in page.examples]
    _require("bad" in verdicts, "the page has no bad example")
    _require("good" in verdicts, "the page has no good example")
    _require(
        len({example.files for example in page.examples}) == len(page.examples),
        "two examples on the page are the same",
    )
    for number, example in enumerate(page.examples):
        check_example(rule, example, folder / str(number))


def check_example(rule: type[Rule], example: Example, folder: Path) -> None:
    """Judge one example of `rule` in the new `folder`.

    A bad example is judged by this rule alone, a good one by every rule that is installed.

    Raises:
        AssertionError: the findings are not at the places that the example says.
    """
    name = f"{example.verdict} example `{example.title}` of {rule.meta.code}"
    if example.verdict == "bad":
        _require(bool(example.findings), f"the {name} lists no findings")
    report = judge_example(rule, example, folder)
    _require(not report.failures, f"the {name} fails: {report.failures}")
    found = tuple(_place(d) for d in report.diagnostics)
    shown = "\n".join(f"{_place(d)}: {d.code} {d.message}" for d in report.diagnostics)
    _require(
        found == example.findings,
        f"the {name} should have findings at {example.findings}, and has:\n{shown}",
    )


def judge_example(rule: type[Rule], example: Example, folder: Path) -> Report:
    """Return the report on `example`, which is written into the new `folder`."""
    select = (rule.meta.code,) if example.verdict == "bad" else None
    options = {rule.meta.name: example.options} if example.options else {}
    config = Config(select=select, rules=options)
    root = folder / ROOT_FOLDER
    (root / "memory").mkdir(parents=True)
    for file in example.files:
        if not file.operation:
            write_file(root, file.path, file.text, folder=file.folder)
    change = next((file for file in example.files if file.operation), None)
    plugins = plugins_with(rule)
    if change is None:
        return lint(root, config=config, plugins=plugins)
    return lint_text(
        root,
        change.path,
        None if change.operation == "delete" else change.text,
        actor=change.actor,  # type: ignore[arg-type]
        operation=change.operation,  # type: ignore[arg-type]
        config=config,
        plugins=plugins,
    )


def write_file(root: Path, path: str, text: str, *, folder: bool = False) -> Path:
    """Write `text` to the root-relative `path` as it is; a lone surrogate stands for a byte."""
    target = root / path
    if folder:
        target.mkdir(parents=True)
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode("utf-8", "surrogateescape"))
    return target


def plugins_with(rule: type[Rule]) -> Plugins:
    """Return the installed plugins, and `rule` with them if none of them hands it in."""
    installed = _installed()
    if any(registered.rule is rule for registered in installed.rules):
        return installed
    found = [LoadedPlugin(plugin.label, plugin.entry_point.load()) for plugin in find_plugins()]
    return collect([*found, LoadedPlugin("the rule under test", _Single(rule))])


class _Single:
    """A plugin that hands in one rule."""

    def __init__(self, rule: type[Rule]) -> None:
        self._rule = rule

    @hookimpl
    def yoimem_register_rules(self) -> list[type[Rule]]:
        return [self._rule]


@cache
def _installed() -> Plugins:
    return load_plugins()


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def _place(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.path}:{diagnostic.start.line}:{diagnostic.start.column}"


def _as_written(value: object) -> str:
    """Write an option's default as a page does."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{item}"' for item in value) + "]"
    return f"{value}"


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the title and each second-level section: its heading and its text."""
    tokens = MarkdownIt("commonmark").parse(text)
    lines = text.splitlines(keepends=True)
    heads = [
        (tokens[index + 1].content, (token.map or [0, 0])[0], (token.map or [0, 0])[1])
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag in {"h1", "h2"}
    ]
    _require(bool(heads), "the page has no heading")
    for (title, _, start), following in zip(heads, [*heads[1:], ("", len(lines), 0)], strict=True):
        yield title, "".join(lines[start : following[1]])


def _examples(verdict: Literal["bad", "good"], section: str) -> Iterator[Example]:
    title = ""
    fences: list[Token] = []
    tokens = MarkdownIt("commonmark").parse(section)
    for index, token in enumerate(tokens):
        if token.type == "fence":
            fences.append(token)
        elif token.type == "heading_open" and token.tag == "h3":
            yield from _example(title, verdict, fences)
            title, fences = tokens[index + 1].content, []
    yield from _example(title, verdict, fences)


def _example(title: str, verdict: Literal["bad", "good"], fences: list[Token]) -> Iterator[Example]:
    files = tuple(_file(f) for f in fences if f.info.split()[:1] == ["markdown"])
    if not files:
        return
    findings = [f.content for f in fences if f.info.split() == ["text", "findings"]]
    options = [f.content for f in fences if f.info.split() == ["toml", "options"]]
    yield Example(
        title,
        verdict,
        files,
        tuple("".join(findings).split()),
        tomllib.loads("".join(options)),
    )


def _file(fence: Token) -> ExampleFile:
    _, path, *words = fence.info.split()
    given = {name: value for name, _, value in (word.partition("=") for word in words)}
    unknown = given.keys() - {"escaped", "folder", "operation", "actor"}
    _require(not unknown, f"a fence of the page has the unknown words {sorted(unknown)}")
    text = fence.content
    if "escaped" in given:
        text = _ESCAPE.sub(
            lambda match: match.group().encode("ascii").decode("unicode_escape"), text
        )
        text = text.replace("\\\n", "")
    return ExampleFile(
        path,
        text,
        "folder" in given,
        given.get("operation", "check" if "actor" in given else ""),
        given.get("actor", "human"),
    )
