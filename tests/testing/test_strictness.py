"""The tester is strict: a page that shows less than it should, or something else, fails."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import DECISION
from yoimem import Context, Finding, Record, RecordRule, RuleMeta, Severity, Span
from yoimem.lint.rule import Rule
from yoimem.testing import check_example, check_form, check_page, parse_page

PATH = "memory/decisions/a.md"
SHORT = f"```markdown {PATH}\n{DECISION}```\n"
LONG = f"```markdown {PATH}\n{DECISION}Long, long.\n```\n"
CREATED = SHORT.replace(".md\n", ".md operation=create\n")
PLACES = f"```text findings\n{PATH}:7:1\n```\n"
PAGE = f"""\
# ACME001 too-long

## What

A body is short.

## Why

So it is.

## Bad

{LONG}
{PLACES}
## Good

{SHORT}
## Options

- `most` (10): the longest body.
- `words` (["a", "b"]): words.
- `strict` (true): whether.
"""


class TooLong(RecordRule):
    meta = RuleMeta("ACME001", "too-long", Severity.ERROR, "1.0", record_kinds=("decision",))

    @dataclass(frozen=True)
    class Options:
        most: int = 10
        words: tuple[str, ...] = ("a", "b")
        strict: bool = True

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        if len(record.body) > ctx.options.most:
            yield Finding("too long", record.body_span)


class Outside(RecordRule):
    meta = TooLong.meta
    Options = TooLong.Options

    def check(self, record: Record, ctx: Context[object]) -> Iterable[Finding]:
        end = len(record.text)
        yield Finding("beyond the end", Span(end, end + 1))


class Crashes(RecordRule):
    meta = TooLong.meta
    Options = TooLong.Options

    def check(self, record: Record, ctx: Context[object]) -> Iterable[Finding]:
        raise RuntimeError("not today")


def judge(text: str, folder: Path, rule: type[Rule] = TooLong) -> None:
    page = parse_page(text)
    check_form(rule, page)
    for number, example in enumerate(page.examples):
        check_example(rule, example, folder / str(number))


def test_a_good_page_passes(tmp_path: Path) -> None:
    judge(PAGE, tmp_path)


def changed(old: str, new: str) -> str:
    assert old in PAGE
    return PAGE.replace(old, new, 1)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("no heading", "the page has no heading"),
        (changed("# ACME001 too-long", "# ACME001 too long"), "and not `# ACME001 too-long`"),
        (changed("## Why", "## Because"), "What, Because, Bad, Good, Options, and not What, Why"),
        (changed("## Why", "## What"), "a heading stands twice"),
        (changed(LONG + "\n" + PLACES, ""), "the page has no bad example"),
        (changed(SHORT, ""), "the page has no good example"),
        (changed(PLACES, ""), "the bad example of ACME001 lists no findings"),
        (changed(SHORT, f"{SHORT}\n### B\n\n{SHORT}"), "good example `B` of ACME001 is there"),
        (changed(SHORT, f"{SHORT}\n{PLACES}"), "lists findings, and a good one has none"),
        (changed(SHORT, f"{SHORT}\n### B\n\n```toml options\n```\n"), "example `B` has no file"),
        (changed("text findings", "text finding"), "`text finding` is no part of an example"),
        (changed(f"markdown {PATH}", "markdown"), "lacks the path of its file"),
        (changed(PATH, f"{PATH} escape"), "unknown words ['escape']"),
        (changed(PATH, f"{PATH} operation=make"), "unknown operation `make`"),
        (changed(PATH, f"{PATH} actor=nobody"), "unknown actor `nobody`"),
        (
            changed(SHORT, (SHORT + LONG).replace(".md\n", ".md operation=update\n")),
            "makes several changes",
        ),
        (changed(SHORT, f"{SHORT}\n```toml options\nmost: 1\n```\n"), "are no TOML"),
        (changed(SHORT, f"{SHORT}\n```toml evidence\n```\n"), "no file has an `operation=`"),
        (changed(f"{PATH}\n{DECISION}```\n\n## O", f"{PATH} start\n{DECISION}```\n\n## O"), "of a run"),
        (changed(SHORT, CREATED + "```toml evidence\nx: 1\n```\n"), "the evidence of the good"),
        (changed(SHORT, CREATED + "```toml evidence\nuse = 1\n```\n"), "{'use': ['Unknown field.']}"),
        (changed(SHORT, CREATED + "```toml evidence\nstaged = [1]\n```\n"), "it is a number"),
        (changed("- `most` (10): the longest body.\n", ""), "the page has not"),
        (changed("- `most`", "- `least` (1): what?\n- `most`"), "and the rule has not"),
        (changed("(10)", "(11)"), "the default of `most` is 10, and the page says 11"),
        (changed("(true)", "(True)"), "the default of `strict` is true"),
        (changed("- `most` (10):", "- `most`:"), "under Options, write"),
        (changed("- `most`", "- `most` (10): again.\n- `most`"), "an option stands twice"),
        (PAGE[: PAGE.index("- `most`")], "write `None.` or one bullet"),
    ],
)  # fmt: skip
def test_a_page_of_another_form_fails(page: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=re.escape(words)):
        judge(page, tmp_path)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (changed(":7:1", ":6:1"), f"should have\n  {PATH}:6:1\nand it has\n  {PATH}:7:1 ACME001"),
        (changed("Long, long.\n", "Me.\n"), "and it has no findings"),
        (changed(SHORT, SHORT.replace("open", "done")), f"{PATH}:4:9 FM106"),
        (
            changed(SHORT, f"{SHORT}```toml options\nmosst = 1\n```\n"),
            "the options of the good example of ACME001 cannot be used",
        ),
        (
            changed(SHORT, f'{SHORT}```toml options\nmost = "1"\n```\n'),
            "the option `most` takes a whole number",
        ),
    ],
)
def test_an_example_that_is_judged_otherwise_fails(page: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=re.escape(words)):
        judge(page, tmp_path)


def test_the_same_file_under_other_options_is_another_example(tmp_path: Path) -> None:
    judge(changed(SHORT, f"{SHORT}\n### B\n\n```toml options\nmost = 9\n```\n\n{SHORT}"), tmp_path)


@pytest.mark.parametrize(
    ("rule", "words"), [(Outside, "outside the text"), (Crashes, "RuntimeError: not today")]
)
def test_a_rule_that_fails_fails_its_page(rule: type[Rule], words: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=f"could not be judged:(.|\n)*{words}"):
        judge(PAGE, tmp_path, rule)


def test_a_rule_without_a_page_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"ACME001 has no page: write .*test_strictness\.md"):
        check_page(TooLong, tmp_path)


def test_an_example_knows_its_line() -> None:
    lines = PAGE.splitlines()
    bad, good = parse_page(PAGE).examples
    assert (lines[bad.line - 1], lines[good.line - 1]) == ("## Bad", "## Good")
    titled = parse_page(changed(SHORT, f"### One\n\n{SHORT}"))
    assert changed(SHORT, "### One").splitlines()[titled.examples[1].line - 1] == "### One"
