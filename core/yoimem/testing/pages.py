"""Reading the page of a rule: its sections, examples and options."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from markdown_it import MarkdownIt
from markdown_it.token import Token

from yoimem.lint.pages import page_path
from yoimem.lint.rule import Actor, Operation, Rule
from yoimem.testing.requirement import require

SECTIONS = ("What", "Why", "Bad", "Good", "Options")
_NO_OPTIONS = "None."
_OPTION = re.compile(r"- `([a-z0-9-]+)` \((.*?)\): ?(?=\S)")
_ESCAPE = re.compile(r"\\(?:[trn\\]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
_FINDINGS = ["text", "findings"]
_OPTIONS = ["toml", "options"]
_EVIDENCE = ["toml", "evidence"]

Verdict = Literal["bad", "good"]


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """A file of an example; with an `operation` it is a change to be judged.

    `path` is relative to the root, `text` the whole file. `folder` makes a folder of that name
    instead of a file. `actor` is who makes the change. `start` gives the record as it stood when
    the run of the consolidator began, where it has changed since.
    """

    path: str
    text: str
    folder: bool = False
    operation: Operation | None = None
    actor: Actor = "human"
    start: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """A small memory, and the places where the rule speaks of it (none for a good one).

    `title` is its `###` heading, `verdict` the section it stands in, `files` what it holds.
    `findings` are places as `path:line:column`. `options` are the rule's, as a configuration writes
    them. `line` is where the example begins on the page. `evidence` says what a run of the
    consolidator has to show, None where there is no run.
    """

    title: str
    verdict: Verdict
    files: tuple[ExampleFile, ...]
    findings: tuple[str, ...]
    options: Mapping[str, Any]
    line: int = 1
    evidence: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """The page of a rule.

    `title` is its first heading, `text` the whole page, `sections` the names of its headings, in
    order, `examples` those under Bad and Good. `options` maps the name of each option to its
    default, both as written.
    """

    title: str
    text: str
    sections: tuple[str, ...]
    examples: tuple[Example, ...]
    options: Mapping[str, str]


def read_page(rule: type[Rule]) -> Page:
    """Read the page of `rule`.

    Raises:
        AssertionError: there is none, or something on it cannot be read.
    """
    path = page_path(rule)
    require(path.is_file(), f"{rule.meta.code} has no page: write {path}")
    return parse_page(path.read_text(encoding="utf-8"))


def parse_page(text: str) -> Page:
    """Read the `text` of a rule's page.

    Raises:
        AssertionError: something on it cannot be read.
    """
    title, *parts = _parts(text)
    sections = {part.heading: part for part in parts}
    require(len(sections) == len(parts), "a heading stands twice on the page")
    examples = (
        example
        for verdict, heading in (("bad", "Bad"), ("good", "Good"))
        if heading in sections
        for example in _examples(cast("Verdict", verdict), sections[heading])
    )
    options = _options(sections["Options"].text) if "Options" in sections else {}
    return Page(title.heading, text, tuple(sections), tuple(examples), options)


@dataclass(frozen=True, slots=True)
class _Part:
    """A heading and the text below it, which begins below `line` lines of the page."""

    heading: str
    text: str
    line: int


def _parts(text: str) -> list[_Part]:
    """Return the title and each second-level section."""
    tokens = MarkdownIt("commonmark").parse(text)
    lines = text.splitlines(keepends=True)
    heads = [
        (tokens[index + 1].content, token.map or [0, 0])
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag in {"h1", "h2"}
    ]
    require(bool(heads), "the page has no heading; it begins with `# CODE name`")
    ends = [at[0] for _, at in heads[1:]] + [len(lines)]
    return [
        _Part(heading, "".join(lines[at[1] : end]), at[1])
        for (heading, at), end in zip(heads, ends, strict=True)
    ]


def _options(section: str) -> dict[str, str]:
    """Read the section on options: `None.`, or a bullet for each."""
    if section.strip() == _NO_OPTIONS:
        return {}
    bullets = [line for line in section.splitlines() if line.startswith("- ")]
    found = [_OPTION.match(bullet) for bullet in bullets]
    odd = next((b for b, match in zip(bullets, found, strict=True) if not match), None)
    require(odd is None, f"under Options, write ``- `name` (default): what it does.``, not {odd!r}")
    require(bool(bullets), f"under Options, write `{_NO_OPTIONS}` or one bullet an option")
    options = {match.group(1): match.group(2) for match in found if match}
    require(len(options) == len(bullets), "under Options, an option stands twice")
    return options


def _examples(verdict: Verdict, section: _Part) -> Iterator[Example]:
    """Yield the examples of a section: one, or one below each `###` heading."""
    title, line = "", section.line
    fences: list[Token] = []
    tokens = MarkdownIt("commonmark").parse(section.text)
    for index, token in enumerate(tokens):
        if token.type == "fence":
            fences.append(token)
        elif token.type == "heading_open" and token.tag == "h3":
            yield from _example(title, verdict, fences, line)
            title, fences = tokens[index + 1].content, []
            line = section.line + (token.map or [0])[0] + 1
    yield from _example(title, verdict, fences, line)


def _example(title: str, verdict: Verdict, fences: list[Token], line: int) -> Iterator[Example]:
    if not fences:
        return
    infos = [fence.info.split() for fence in fences]
    for info in infos:
        known = info[:1] == ["markdown"] or info in (_FINDINGS, _OPTIONS, _EVIDENCE)
        require(
            known,
            f"the fence `{' '.join(info)}` is no part of an example: there are `markdown PATH`,"
            " `text findings`, `toml options` and `toml evidence`",
        )
    files = tuple(_file(f) for f, info in zip(fences, infos, strict=True) if info[0] == "markdown")
    name = f"the {verdict} example `{title}`"
    require(bool(files), f"{name} has no file: write one in a fence `markdown PATH`")
    changes = [file.path for file in files if file.operation]
    require(len(changes) <= 1, f"{name} makes several changes: {', '.join(changes)}")
    places = tuple(_text_of(fences, _FINDINGS).split())
    require(verdict == "bad" or not places, f"{name} lists findings, and a good one has none")
    evidence = _toml(fences, _EVIDENCE, name) if _EVIDENCE in infos else None
    run = evidence is not None or any(file.start for file in files)
    require(bool(changes) or not run, f"{name} speaks of a run, and no file has an `operation=`")
    options = _toml(fences, _OPTIONS, name)
    yield Example(title, verdict, files, places, options, line, evidence)


def _toml(fences: list[Token], info: list[str], name: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(_text_of(fences, info))
    except tomllib.TOMLDecodeError as error:
        raise AssertionError(f"the {info[1]} of {name} are no TOML: {error}") from error


def _text_of(fences: list[Token], info: list[str]) -> str:
    return "".join(fence.content for fence in fences if fence.info.split() == info)


def _file(fence: Token) -> ExampleFile:
    info = fence.info.split()
    require(len(info) > 1, "a fence `markdown` of the page lacks the path of its file")
    _, path, *words = info
    given = {name: value for name, _, value in (word.partition("=") for word in words)}
    unknown = given.keys() - {"escaped", "folder", "operation", "actor", "start"}
    require(not unknown, f"a fence of the page has the unknown words {sorted(unknown)}")
    operation = given.get("operation", "check" if "actor" in given else None)
    actor = given.get("actor", "human")
    for what, word, known in (
        ("operation", operation, (None, *get_args(Operation))),
        ("actor", actor, get_args(Actor)),
    ):
        require(word in known, f"a fence of the page has the unknown {what} `{word}`")
    text = _unescaped(fence.content) if "escaped" in given else fence.content
    return ExampleFile(
        path,
        text,
        "folder" in given,
        cast("Operation | None", operation),
        cast("Actor", actor),
        "start" in given,
    )


def _unescaped(text: str) -> str:
    text = _ESCAPE.sub(lambda match: match.group().encode("ascii").decode("unicode_escape"), text)
    return text.replace("\\\n", "")
