"""What a finding hides is in no output of its run, whichever rule and whichever format."""

import json
import random
import string
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import DECISION, KNOWLEDGE, NOW, Memory, plugin_of
from yoimem import (
    Context,
    Edit,
    Finding,
    Fix,
    ProjectRule,
    Record,
    RecordRule,
    Report,
    RuleMeta,
    Severity,
    Snapshot,
    Span,
    lint_text,
)
from yoimem.interfaces.cli.main import main
from yoimem.lint.collector import collect
from yoimem.lint.formatter import Presentation
from yoimem.lint.host import load_plugins
from yoimem.lint.masking import Mask
from yoimem.lint.plugin import Plugins
from yoimem.tools import AnthropicMemoryTool, MemoryToolError, MemoryTools
from yoimem.workspace.audit import AUDIT_PATH

CHOSEN = random.Random(5)
ALNUM = string.ascii_letters + string.digits
PLUGINS = load_plugins()
PATH = "memory/decisions/a.md"


def some(count: int) -> str:
    return "".join(CHOSEN.choices(ALNUM, k=count - 2)) + "7Q"


TOKENS = {
    "github": "ghp_" + some(36),
    "anthropic": "sk-ant-" + "api03-" + some(90),
    "stripe": "sk_live_" + some(24),
    "aws": "AKIA" + "Q7ZX2MNB5KTR4WPD",
    "jwt": "eyJ" + some(30) + ".eyJ" + some(40) + "." + some(43),
}
KEY = [some(64) for _ in range(4)]
PEM = "\n".join(["-----BEGIN PRIVATE KEY-----", *KEY, "-----END PRIVATE KEY-----"])

# Where a credential may stand, and how other rules then quote it.
PLACES = {
    "body": DECISION + "Log in with {}.\n",
    "status": DECISION.replace("open", "{}"),
    "time": DECISION.replace("2026-01-10T09:00:00Z", "{}", 1),
    "key": DECISION.replace("sources: []", "sources: []\n{}: 1"),
    "long key": DECISION.replace("sources: []", "sources: []\n" + "k" * 60 + "_{}: 1"),
    "comment": DECISION.replace("status: open", "status: open now # {}"),
    "cut value": DECISION.replace("status: open", "status: open#1 #{}"),
    "source": DECISION.replace("sources: []", "sources: [{{session_id: {}, range: 1}}]"),
    "syntax": DECISION.replace("status: open", "status: [{}"),
    "twice": DECISION.replace("status: open", "status: open\n{0}: 1\n{0}: 2"),
    "tab": DECISION.replace("status: open", "status:\t{}"),
    "reference": DECISION + "See #nowhere {} #never.\n",
    "zero width": DECISION + "a\u200bb {}\n",
    "no frame": "{}\n",
    "no end": "---\nstatus: {}\n",
    "replaced": DECISION.replace("open", "replaced\nreplaced_by: {}"),
    "wide": DECISION + "検索 {} 検索 #nowhere\n",
}


def rule(check: Callable[[Record], Iterable[Finding]], code: str) -> type[RecordRule]:
    class Made(RecordRule):
        meta = RuleMeta(code=code, name=code.lower(), severity=Severity.ERROR, since="1.0")

        def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
            return check(record)

    return Made


def outputs(report: Report) -> str:
    """Return `report` in every format, and as Python shows it."""
    shown = [f.format(report, Presentation("", False)) for f in PLUGINS.formatters.values()]
    shown += [f.format(report, Presentation("x/", True)) for f in PLUGINS.formatters.values()]
    return "\n".join([*shown, repr(report), *(failure.traceback for failure in report.failures)])


def leaks(secret: str, text: str, length: int = 6) -> list[str]:
    """Return the pieces of `secret` that `text` shows; its first four characters may be."""
    pieces = {secret[at : at + length] for at in range(len(secret) - length + 1)}
    return sorted(piece for piece in pieces if piece in text)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", TOKENS)
def test_no_format_shows_a_credential(kind: str, place: str, memory: Memory) -> None:
    memory.write(PATH, PLACES[place].format(TOKENS[kind]))
    report = memory.lint(plugins=PLUGINS)
    assert "SC001" in [d.code for d in report.diagnostics]
    assert leaks(TOKENS[kind], outputs(report)) == []


def test_no_format_shows_a_line_of_a_private_key(memory: Memory) -> None:
    memory.write(PATH, DECISION + PEM.replace(KEY[2], KEY[2] + "\u200b") + "\nSee #nowhere.\n")
    memory.write("memory/decisions/b.md", DECISION + PEM + "\n")
    report = memory.lint(plugins=PLUGINS)
    assert len(report.errors) > 1
    assert [leaks(line, outputs(report)) for line in KEY] == [[], [], [], []]


def test_a_secret_shows_its_first_characters_and_columns_stay(memory: Memory) -> None:
    token = TOKENS["github"]
    memory.write(PATH, DECISION + f"Log in with {token}, see #nowhere.\n")
    report = memory.lint(plugins=PLUGINS)
    assert [d.code for d in report.diagnostics] == ["SC001", "RF006"]
    shown = f"Log in with ghp_{'*' * (len(token) - 4)}, see #nowhere."
    assert {d.source for d in report.diagnostics} == {shown}
    reference = report.diagnostics[1]
    marked = slice(reference.start.column - 1, reference.end.column - 1)
    assert reference.source[marked].endswith("nowhere")


def test_other_text_of_a_record_stays_readable(memory: Memory) -> None:
    memory.write(PATH, DECISION.replace("open", "done") + TOKENS["github"] + "\n")
    first = memory.lint(plugins=PLUGINS).diagnostics[0]
    assert (first.code, first.source) == ("FM106", "status: done")
    assert "`done`" in first.message


@pytest.mark.parametrize("wrong", [lambda text: text, repr, lambda text: text[:30] + "…"])
def test_failures_and_their_tracebacks_are_masked(
    wrong: Callable[[str], str], memory: Memory
) -> None:
    def crash(record: Record) -> Iterable[Finding]:
        raise RuntimeError(wrong(record.body.strip()))

    memory.write(PATH, DECISION + TOKENS["github"] + "\n")
    report = memory.lint(plugins=with_(rule(crash, "ACME001")))
    assert "ghp_…" in report.failures[0].message
    assert "Traceback" in report.failures[0].traceback
    assert leaks(TOKENS["github"], outputs(report)) == []


def with_(*rules: type[Any]) -> Plugins:
    """Return the installed rules on security, and `rules`."""
    secret = next(r.rule for r in PLUGINS.rules if r.meta.code == "SC001")
    return collect([plugin_of(secret, *rules)])


def test_a_project_rule_that_quotes_another_record_is_masked(memory: Memory) -> None:
    class Quote(ProjectRule):
        meta = RuleMeta(
            code="ACME002", name="quote", severity=Severity.ERROR, since="1.0", depends_on=("slugs",)
        )  # fmt: skip

        def check(self, snapshot: Snapshot, ctx: Context[Any]) -> Iterable[Finding]:
            for path in snapshot.facts:
                record = snapshot.record(path)
                assert record is not None
                yield Finding(record.body, path=path, help=record.body, span=record.body_span)

    memory.write(PATH, DECISION + TOKENS["github"] + "\n")
    plugins = with_(Quote)
    report = memory.lint(plugins=plugins)
    assert leaks(TOKENS["github"], outputs(report)) == []
    # The change is to another record: nobody asked about this one, and yet it is spoken of.
    report = lint_text(memory.root, "memory/decisions/b.md", DECISION, plugins=plugins, now=NOW)
    assert leaks(TOKENS["github"], outputs(report)) == []


def test_the_line_of_a_record_that_stands_in_the_way_is_masked(memory: Memory) -> None:
    memory.write("knowledge/old-way.md", KNOWLEDGE)
    memory.write(PATH, DECISION + f"With {TOKENS['github']} as #old-way says.\n")
    report = lint_text(memory.root, "knowledge/old-way.md", None, plugins=PLUGINS, now=NOW)
    (error,) = report.errors
    assert (error.path, error.source[:9]) == (PATH, "With ghp_")
    assert leaks(TOKENS["github"], outputs(report)) == []


def test_what_a_change_takes_away_is_masked_too(memory: Memory) -> None:
    class Quote(RecordRule):
        meta = RuleMeta(code="ACME003", name="quote", severity=Severity.ERROR, since="1.0")

        def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
            if ctx.before:
                yield Finding(f"gone: {ctx.before.body}")

    memory.write(PATH, DECISION + TOKENS["github"] + "\n")
    report = lint_text(memory.root, PATH, DECISION, operation="update", plugins=with_(Quote))
    assert [d.code for d in report.diagnostics] == ["ACME003"]
    assert leaks(TOKENS["github"], outputs(report)) == []


def test_a_fix_that_would_repeat_a_secret_is_dropped(memory: Memory) -> None:
    def fixable(record: Record) -> Iterable[Finding]:
        yield Finding("quote", fix=Fix("quote it", (Edit(Span(0, 1), f'"{record.body}"'),)))
        yield Finding("cut", fix=Fix(f"cut {record.body}", (Edit(Span(0, 1), "x"),)))

    memory.write(PATH, DECISION + TOKENS["github"] + "\n")
    report = memory.lint(plugins=with_(rule(fixable, "ACME001")))
    fixes = {d.message: d.fix for d in report.diagnostics if d.code == "ACME001"}
    assert fixes["quote"] is None
    assert fixes["cut"] is not None
    assert fixes["cut"].title == "cut Body.\nghp_…\n"
    assert leaks(TOKENS["github"], outputs(report)) == []


def test_a_stretch_outside_the_text_is_a_failure(memory: Memory) -> None:
    memory.write(PATH, DECISION)
    made = rule(lambda record: [Finding("x", hide=(Span(0, 10_000),))], "ACME001")
    (failure,) = memory.lint(plugins=with_(made)).failures
    assert "outside the text" in failure.message


def test_ignoring_the_rule_for_a_file_does_not_unmask_it(memory: Memory) -> None:
    memory.write(PATH, DECISION + f"{TOKENS['github']} #nowhere\n")
    (memory.workspace / "yoimem.toml").write_text('[per-file-ignores]\n"*" = ["SC001"]')
    report = memory.lint(plugins=PLUGINS)
    assert [d.code for d in report.diagnostics] == ["RF006"]
    assert leaks(TOKENS["github"], outputs(report)) == []


@given(
    before=st.text(max_size=20),
    secret=st.text(
        st.characters(exclude_categories=["Z", "C"], exclude_characters="*…"),
        min_size=6,
        max_size=60,
    ),
    after=st.text(max_size=20),
    cut=st.integers(0, 60),
)
def test_a_mask_leaves_no_piece_of_a_secret(before: str, secret: str, after: str, cut: int) -> None:
    mask = Mask([secret])
    for quoted in (secret, secret[cut:], secret[:cut], f"{secret}{secret}"):
        text = before + quoted + after
        assert leaks(secret, mask.text(text)) == []
        assert leaks(secret, mask.source(text)) == []
        assert len(mask.source(text)) == len(text)


@given(text=st.text(), secret=st.text("0123456789", min_size=6))
def test_a_mask_leaves_other_text_alone(text: str, secret: str) -> None:
    if secret[:6] not in text and not leaks(secret, text):
        assert Mask([secret]).text(text) == text


@pytest.mark.parametrize(
    ("secret", "masked"),
    [("s3cret", "a … b"), ("elevenchars", "a … b"), ("twelve-chars", "a twel… b"), ("pw", "a … b")],
)
def test_how_much_of_a_secret_is_shown(secret: str, masked: str) -> None:
    assert Mask([secret]).text(f"a {secret} b") == masked


class TestTools:
    """What the agent's tools say holds no credential, and neither does the audit log."""

    @pytest.mark.parametrize("kind", TOKENS)
    @pytest.mark.parametrize("place", sorted(PLACES.keys() - {"time"}))  # times are stamped
    def test_a_refused_write(self, kind: str, place: str, memory: Memory) -> None:
        tools = MemoryTools(memory.root, plugins=PLUGINS)
        content = PLACES[place].format(TOKENS[kind])
        with pytest.raises(MemoryToolError) as caught:
            tools.memory_write(PATH, content)
        assert "SC001" in caught.value.message
        assert caught.value.report is not None
        told = f"{caught.value}{caught.value!r}{outputs(caught.value.report)}"
        assert leaks(TOKENS[kind], told) == []
        assert not (memory.root / PATH).exists()

    def test_a_refused_edit_and_one_that_takes_it_out(self, memory: Memory) -> None:
        token = TOKENS["github"]
        tools = MemoryTools(memory.root, plugins=PLUGINS)
        memory.write(PATH, DECISION + f"{token} here\n{token} there\n")
        with pytest.raises(MemoryToolError) as caught:
            tools.memory_edit(PATH, "there", "everywhere")
        assert "it was there before this change" in caught.value.message
        assert leaks(token, caught.value.message) == []
        with pytest.raises(MemoryToolError) as caught:
            tools.memory_edit(PATH, token, "`$TOKEN`")
        assert leaks(token, caught.value.message) == []
        tools.memory_edit(PATH, token, "`$TOKEN`", replace_all=True)
        assert leaks(token, (memory.root / AUDIT_PATH).read_text()) == []

    def test_a_refused_delete(self, memory: Memory) -> None:
        memory.write("knowledge/old-way.md", KNOWLEDGE)
        memory.write(PATH, DECISION + f"With {TOKENS['github']} as #old-way says.\n")
        tools = MemoryTools(memory.root, plugins=PLUGINS)
        with pytest.raises(MemoryToolError) as caught:
            tools.memory_delete("knowledge/old-way.md")
        assert "With ghp_***" in caught.value.message
        assert leaks(TOKENS["github"], caught.value.message) == []

    @pytest.mark.parametrize("argument", ["path", "content", "mode", "expect"])
    def test_an_argument_of_the_wrong_type(self, argument: str, memory: Memory) -> None:
        tools = MemoryTools(memory.root, plugins=PLUGINS)
        given = {"path": PATH, "content": DECISION, argument: [TOKENS["github"]]}
        with pytest.raises(MemoryToolError) as caught:
            tools.call("memory_write", given)
        assert leaks(TOKENS["github"], caught.value.message) == []


class TestCommand:
    """What the command prints from the records themselves."""

    @pytest.fixture(autouse=True)
    def _in_the_workspace(self, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(memory.workspace)

    def test_a_diff_is_masked(self, memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
        rest = DECISION.removeprefix("---\n")
        memory.write(PATH, f"--- \nowner: {TOKENS['stripe']}\n{rest}")
        main(["check", "--diff"])
        out = capsys.readouterr().out
        assert "\n+---\n owner: sk_l***" in out
        assert leaks(TOKENS["stripe"], out) == []

    def test_json_is_masked(self, memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
        memory.write(PATH, DECISION.replace("open", TOKENS["github"]))
        assert main(["check", "--output-format", "json"]) == 1
        out = capsys.readouterr().out
        messages = {d["code"]: d["message"] for d in json.loads(out)["diagnostics"]}
        assert messages.keys() == {"FM106", "SC001"}
        assert "`ghp_…`" in messages["FM106"]
        assert leaks(TOKENS["github"], out) == []


def test_the_adapter_for_anthropic_repeats_no_credential(memory: Memory) -> None:
    memory.write(PATH, DECISION + f"{TOKENS['github']} {TOKENS['github']}\n")
    adapter = AnthropicMemoryTool(MemoryTools(memory.root, plugins=PLUGINS))
    replace = {"command": "str_replace", "path": f"/memories/{PATH}", "new_str": "x"}
    for old in (TOKENS["github"], TOKENS["stripe"]):
        reply = adapter.handle({**replace, "old_str": old})
        assert reply.is_error
        assert f"`{old[:4]}…`" in reply.text
        assert leaks(old, reply.text) == []


def test_the_pages_hold_no_credential_that_a_scanner_would_find() -> None:
    from yoimem_rules.security.credentials import find_credentials

    here = Path(__file__).parents[2]
    written = [*here.glob("plugins/yoimem_rules/security/*"), *here.glob("tests/**/test_*.py")]
    texts = [path.read_text("utf-8") for path in written if path.is_file()]
    assert [c for text in texts for c in find_credentials(text) if "token" in c.name] == []
