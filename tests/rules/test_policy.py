"""What the pages of the PL rules cannot show: every actor and operation, and the edges."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import Schema
from tests.conftest import SUMMARY, Memory
from tests.timing import timed

from yoimem import Context, Evidence, Finding, RecordKind, RecordRule, Snapshot
from yoimem.fields import Source, SourceField, SourceList
from yoimem.lint.config import Config
from yoimem.lint.engine import Change, Engine
from yoimem.lint.host import load_plugins
from yoimem.lint.rule import Actor, Operation
from yoimem.lint.ruleset import build_ruleset
from yoimem.records.kinds import BUILTIN_KINDS, Kinds
from yoimem.records.reader import Reader
from yoimem.workspace.store import Store
from yoimem_rules.policy import (
    RULES,
    DecisionDeleted,
    KnowledgeWithoutCandidate,
    ProtectedRecord,
    SuppressionWritten,
    UnprovenSource,
    WorkflowWrite,
)
from yoimem_rules.policy.outside_code import outside_code

NOW = datetime(2026, 3, 1, tzinfo=UTC)
READER = Reader(Kinds())
A, B = "memory/decisions/a.md", "memory/decisions/b.md"
KNOWN, OTHER = "knowledge/known-thing.md", "knowledge/other-thing.md"
S1, S2, S3 = Source("s1", 0, 12), Source("s2", 3, 9), Source("s3", 4, 4)
TIMES = "created_at: 2026-01-10T09:00:00Z\nupdated_at: 2026-01-10T09:00:00Z\n"


def list_of(*sources: Source) -> str:
    items = (f"{{session_id: {s}, range: [{a}, {b}]}}" for s, a, b in sources)
    return f"[{', '.join(items)}]"


def decision(
    *sources: Source, body: str = "Body.\n", status: str = "open", replaced_by: str = ""
) -> str:
    target = f"replaced_by: {replaced_by}\n" if replaced_by else ""
    return f"---\n{TIMES}status: {status}\n{target}sources: {list_of(*sources)}\n---\n{body}"


def request(*sources: Source) -> str:
    return f"---\n{TIMES}sources: {list_of(*sources)}\n---\nBody.\n"


def knowledge(*sources: Source) -> str:
    flags = "kind: guide\ndescription: d\nmodel_invokation: false\nuser_invocable: true\n"
    return f"---\n{TIMES}{flags}last_sources: {list_of(*sources)}\n---\nBody.\n"


def run(start: Mapping[str, str], **given: object) -> Evidence:
    """Make the evidence of a run that began with `start`."""
    snapshot = Snapshot.of_texts(start, READER)
    lengths = {path: len(READER.read_text(path, text).body) for path, text in start.items()}
    given = {"lengths": lengths, **given}
    return Evidence(snapshot, snapshot, **given)  # type: ignore[arg-type]


def judge(
    rule: type[RecordRule],
    path: str,
    text: str | None,
    *,
    before: str | None = None,
    evidence: Evidence | None = None,
    actor: Actor = "consolidator",
    options: object = None,
    reader: Reader = READER,
) -> list[Finding]:
    """Return what `rule` says of writing `text` to `path`, of deleting what was there for None."""
    stood = None if before is None else reader.read_text(path, before)
    record = stood if text is None else reader.read_text(path, text)
    assert record is not None
    operation: Operation = "delete" if text is None else "update" if stood else "create"
    assert operation in rule.meta.operations
    context = Context(
        options or rule.Options(),
        NOW,
        actor=actor,
        operation=operation,
        before=stood,
        evidence=evidence,
    )
    return list(rule().check(record, context))


@pytest.mark.parametrize("operation", WorkflowWrite.meta.operations)
@pytest.mark.parametrize(("actor", "count"), [("human", 0), ("agent", 1), ("consolidator", 1)])
def test_people_alone_write_workflows(operation: Operation, actor: Actor, count: int) -> None:
    record = READER.read_text("workflow/release.md", "---\ndescription: d\n---\n")
    context = Context(WorkflowWrite.Options(), NOW, actor=actor, operation=operation)
    assert len(list(WorkflowWrite().check(record, context))) == count


REFUSED: list[tuple[type[RecordRule], str, str | None, str | None]] = [
    (UnprovenSource, A, decision(), None),
    (KnowledgeWithoutCandidate, KNOWN, knowledge(), None),
    (ProtectedRecord, A, None, decision()),
    (DecisionDeleted, A, None, decision(status="replaced", replaced_by="b")),
]


@pytest.mark.parametrize(("rule", "path", "text", "before"), REFUSED)
def test_without_a_run_the_consolidator_can_prove_nothing_and_others_need_not(
    rule: type[RecordRule], path: str, text: str | None, before: str | None
) -> None:
    (finding,) = judge(rule, path, text, before=before)
    assert finding.help
    assert not judge(rule, path, text, before=before, actor="agent")
    assert not judge(rule, path, text, before=before, actor="human")


def test_no_rule_on_policy_judges_what_is_there() -> None:
    assert not [rule for rule in RULES if "check" in rule.meta.operations]


# PL002


@pytest.mark.parametrize(
    "odd",
    [Source("s1", 0, 11), Source("s1", 1, 12), Source("s1", 2, 3), Source("S1", 0, 12),
     Source("s1", 0, 13), Source("'s1 '", 0, 12)],
)  # fmt: skip
def test_a_source_is_proven_to_the_entry_or_not_at_all(odd: Source) -> None:
    evidence = run({}, staged=frozenset({S1}))
    assert not judge(UnprovenSource, A, decision(S1), evidence=evidence)
    (finding,) = judge(UnprovenSource, A, decision(S1, odd), evidence=evidence)
    assert finding.field == ("sources", 1)


def test_the_help_names_what_is_staged_of_that_session() -> None:
    evidence = run({}, staged=frozenset({S1, S2}))
    (finding,) = judge(UnprovenSource, A, decision(Source("s1", 0, 10)), evidence=evidence)
    assert "{session_id: s1, range: [0, 12]}" in str(finding.help)
    assert "s2" not in str(finding.help)


def test_a_source_is_proven_by_any_record_that_held_it_when_the_run_began() -> None:
    evidence = run({OTHER: knowledge(S1)})
    assert not judge(UnprovenSource, A, decision(S1), evidence=evidence)
    assert not judge(UnprovenSource, KNOWN, knowledge(S1), evidence=evidence)
    later = Evidence(evidence.start, Snapshot.of_texts({B: decision(S2)}, READER))
    assert len(judge(UnprovenSource, A, decision(S2), evidence=later)) == 1


def test_a_source_that_the_record_held_needs_no_proof() -> None:
    assert not judge(UnprovenSource, A, decision(S1, body="New.\n"), before=decision(S1))
    (finding,) = judge(UnprovenSource, A, decision(S1, S2), before=decision(S1))
    assert finding.field == ("sources", 1)
    assert "no run" in str(finding.help)


def test_the_source_of_the_summary_is_judged_as_well() -> None:
    path, line = "memory/summary.md", "last_rewritten_from_range: {session_id: s1, range: [0, 9]}\n"
    text = SUMMARY.replace("---\nBody", f"{line}---\nBody")
    (finding,) = judge(UnprovenSource, path, text, before=SUMMARY, evidence=run({}))
    assert finding.field == ("last_rewritten_from_range",)
    staged = run({}, staged=frozenset({Source("s1", 0, 9)}))
    assert not judge(UnprovenSource, path, text, before=SUMMARY, evidence=staged)
    assert not judge(UnprovenSource, path, SUMMARY, before=text, evidence=run({}))


def test_the_sources_of_a_plugins_kind_are_judged_whatever_they_are_called() -> None:
    class IncidentSchema(Schema):
        seen_in = SourceList(required=True)
        closed_in = SourceField()

    @dataclass(frozen=True)
    class Incident:
        seen_in: tuple[Source, ...]
        closed_in: Source | None = None

    kind = RecordKind(
        name="incident",
        schema=IncidentSchema,
        data=Incident,
        places=("memory/incidents/<slug>.md",),
    )
    reader = Reader(Kinds((*BUILTIN_KINDS, kind)))
    text = f"---\nseen_in: {list_of(S1, S2)}\nclosed_in: {list_of(S3)[1:-1]}\n---\n"
    found = judge(
        UnprovenSource,
        "memory/incidents/a.md",
        text,
        evidence=run({}, staged=frozenset({S1})),
        reader=reader,
    )
    assert [finding.field for finding in found] == [("seen_in", 1), ("closed_in",)]


@pytest.mark.parametrize("text", [decision(), request(), decision().replace("sources: []\n", "")])
def test_a_new_decision_or_request_needs_a_source(text: str) -> None:
    path = A if "status" in text else "memory/requests/a.md"
    assert len(judge(UnprovenSource, path, text, evidence=run({}))) == 1


def test_a_dropped_source_must_stand_in_another_record() -> None:
    before, after = decision(S1, S2), decision(S1)
    alone = run({A: before})
    (finding,) = judge(UnprovenSource, A, after, before=before, evidence=alone)
    assert "range: [3, 9]" in finding.message
    assert len(judge(UnprovenSource, A, after, before=before)) == 1
    kept = run({A: before, OTHER: knowledge(S2)})
    assert not judge(UnprovenSource, A, after, before=before, evidence=kept)


def test_knowledge_holds_the_sources_of_its_latest_change_alone() -> None:
    evidence = run({KNOWN: knowledge(S1)}, staged=frozenset({S2}))
    assert not judge(UnprovenSource, KNOWN, knowledge(S2), before=knowledge(S1), evidence=evidence)


MANY = tuple(Source(f"m{n}", n, n) for n in range(13))


@pytest.mark.parametrize(
    ("before", "after", "fine"),
    [
        (MANY, MANY[3:], True),
        (MANY, (*MANY[3:], S1), True),
        (MANY, MANY[2:], True),
        (MANY, MANY[:2] + MANY[3:], True),
        (MANY, MANY[4:], False),
        (MANY, MANY[:10], False),
        (MANY, (*MANY[4:], S1), False),
        (MANY[:10], MANY[1:10], False),
        (MANY[:11], MANY[1:11], True),
        ((*MANY[:2], *[S1] * 10), (S1,), False),
        ((*MANY[:2], S1, S1), (*MANY[:2], S1), True),
    ],
)  # fmt: skip
def test_the_last_ten_of_a_long_list_stay(
    before: tuple[Source, ...], after: tuple[Source, ...], fine: bool
) -> None:
    evidence = run({A: decision(*before)}, staged=frozenset({S1}))
    found = judge(UnprovenSource, A, decision(*after), before=decision(*before), evidence=evidence)
    assert (not found) is fine


def test_a_team_that_trims_to_fewer_says_so_and_zero_trims_nothing() -> None:
    before = decision(S1, S2, S3)
    evidence = run({A: before})
    for trimmed_to, fine in ((2, True), (3, False), (0, False)):
        options = UnprovenSource.Options(trimmed_to)
        found = judge(
            UnprovenSource, A, decision(S2, S3), before=before, evidence=evidence, options=options
        )
        assert (not found) is fine


@pytest.mark.parametrize(
    "broken",
    [
        decision(S1).replace("[0, 12]", "[12, 0]"),
        decision(S1).replace("status: open", "<<<<<<< ours\nstatus: open"),
        "no frontmatter",
    ],
)
def test_sources_that_nobody_can_read_are_not_written_over(broken: str) -> None:
    evidence = run({A: broken}, staged=frozenset({S2}))
    (finding,) = judge(UnprovenSource, A, decision(S2), before=broken, evidence=evidence)
    assert "cannot be read" in finding.message


def test_a_record_that_lacked_sources_may_be_given_one() -> None:
    before = decision(S1).replace(f"sources: {list_of(S1)}\n", "")
    evidence = run({A: before}, staged=frozenset({S2}))
    assert not judge(UnprovenSource, A, decision(S2), before=before, evidence=evidence)


# PL003


def test_new_knowledge_comes_from_a_candidate_or_from_knowledge() -> None:
    start = {A: decision(S1), B: decision(S2), OTHER: knowledge(S3)}
    evidence = run(start, candidates=frozenset({A, "memory/decisions/gone.md"}))

    def is_fine(*sources: Source) -> bool:
        found = judge(KnowledgeWithoutCandidate, KNOWN, knowledge(*sources), evidence=evidence)
        return not found

    assert is_fine(S1)
    assert is_fine(S3)
    assert is_fine(S2, S1)
    assert not is_fine(S2)
    assert not is_fine()
    assert not is_fine(Source("s1", 0, 11))


def test_in_a_cold_start_any_staged_source_will_do_and_no_other() -> None:
    warm = run({B: decision(S2)}, staged=frozenset({S1}))
    cold = run({B: decision(S2)}, staged=frozenset({S1}), cold_start=True)
    assert len(judge(KnowledgeWithoutCandidate, KNOWN, knowledge(S1), evidence=warm)) == 1
    assert not judge(KnowledgeWithoutCandidate, KNOWN, knowledge(S1), evidence=cold)
    assert len(judge(KnowledgeWithoutCandidate, KNOWN, knowledge(S2), evidence=cold)) == 1


# PL004


@pytest.mark.parametrize(
    ("frequencies", "protect", "fine"),
    [
        ({A: 1.0}, 1.0, False),
        ({A: 0.999}, 1.0, True),
        ({}, 1.0, True),
        ({A: 3.0}, 4.0, True),
        ({B: 9.0}, 1.0, True),
        (None, 1.0, False),
    ],
)
def test_what_is_in_frequent_use_is_not_deleted(
    frequencies: Mapping[str, float] | None, protect: float, fine: bool
) -> None:
    evidence = run({A: decision()}, frequencies=frequencies, protect=protect)
    found = judge(ProtectedRecord, A, None, before=decision(), evidence=evidence)
    assert (not found) is fine


@pytest.mark.parametrize("frequencies", [None, {A: 9.0}])
def test_what_the_run_made_it_may_take_back(frequencies: Mapping[str, float] | None) -> None:
    evidence = run({}, frequencies=frequencies)
    assert not judge(ProtectedRecord, A, None, before=decision(), evidence=evidence)


@pytest.mark.parametrize(("length", "fine"), [(50, True), (49, False), (0, False), (200, True)])
@pytest.mark.parametrize("now", [100, 60])
def test_cuts_add_up_over_the_run(now: int, length: int, fine: bool) -> None:
    evidence = run({A: decision(body="x" * 100)}, frequencies={A: 1.0})
    found = judge(
        ProtectedRecord,
        A,
        decision(body="x" * length),
        before=decision(body="x" * now),
        evidence=evidence,
    )
    assert (not found) is fine


def test_an_odd_length_is_halved_upwards_and_counted_in_characters() -> None:
    evidence = run({A: decision(body="語" * 5)}, frequencies={A: 1.0})
    before = decision(body="語" * 5)
    two = judge(ProtectedRecord, A, decision(body="字" * 2), before=before, evidence=evidence)
    assert "keep at least half, 3 characters" in str(two[0].help)
    assert not judge(ProtectedRecord, A, decision(body="字" * 3), before=before, evidence=evidence)


def test_a_length_that_the_run_does_not_know_is_that_of_before() -> None:
    evidence = run({A: decision(body="x" * 9)}, frequencies={A: 1.0}, lengths={})
    before = decision(body="x" * 9)
    assert len(judge(ProtectedRecord, A, decision(body=""), before=before, evidence=evidence)) == 1


# PL005


REPLACED = decision(status="replaced", replaced_by="b")


@pytest.mark.parametrize(
    ("start", "before", "fine"),
    [
        ({A: REPLACED}, REPLACED, True),
        ({A: decision()}, REPLACED, False),
        ({}, REPLACED, False),
        ({A: decision()}, decision(), True),
        ({A: decision(), B: decision(status="replaced", replaced_by="a")}, decision(), False),
        ({A: decision(), "workflow/a.md": "---\nrequires: [a]\n---\n"}, decision(), True),
        ({A: decision(status="resolved", replaced_by="a")}, decision(), True),
        ({A: decision()}, "no frontmatter", True),
    ],
)
def test_a_decision_is_deleted_only_when_its_replacement_could_be_seen(
    start: dict[str, str], before: str, fine: bool
) -> None:
    found = judge(DecisionDeleted, A, None, before=before, evidence=run(start))
    assert (not found) is fine


# PL006


NOTE = "<!-- yoimem: ignore[BL001] it is long -->"


@pytest.mark.parametrize("actor", ["agent", "consolidator"])
@pytest.mark.parametrize(
    "body",
    [
        NOTE,
        "Text. <!--yoimem:ignore[BL001]x-->",
        "<!--\nyoimem:\n  IGNORE [BL001] x\n-->",
        "> - <!-- yoimem: ignore[BL001] x -->",
        "<!-- a note; yoimem: ignore[BL001] x -->",
        "<!-- yoimem: ignore[BL001] never closed",
        f"# Heading {NOTE}",
        f"[{NOTE}](x)",
        f"![{NOTE}](x)",
        f'[a]: /x "{NOTE}"',
        f'[a](/x "{NOTE}")',
        f"\\{NOTE}",
        f"\\`{NOTE}\\`",
        f"`{NOTE}",
        f'<a title="`">{NOTE}<a title="`">',
        f"``` {NOTE}\ncode\n```",
        f"```\ncode\n```\n{NOTE}",
        f"- item\n\n    {NOTE}",
        f"text\n    {NOTE}",
        "> " * 40 + NOTE,
        "> " * 3_000 + NOTE,
        "<!-- x -->\n" * 300 + NOTE,
        f"<div>`{NOTE}`</div>",
        f"~~~\n```\n~~~\n{NOTE}\n~~~\n```\n~~~",
        f"`` ` `` {NOTE} `` ` ``",
        f"![`x`](x) {NOTE} ![`x`](x)",
    ],
)
def test_nobody_but_a_person_suppresses_a_rule(actor: Actor, body: str) -> None:
    for line_end in ("\n", "\r\n", "\r"):
        text = decision(S1, body=body).replace("\n", line_end)
        assert len(judge(SuppressionWritten, A, text, actor=actor)) == 1
        assert not judge(SuppressionWritten, A, text, actor="human")
        assert not judge(SuppressionWritten, A, text, before=text, actor=actor)


@pytest.mark.parametrize(
    "body",
    [
        f"`{NOTE}`",
        f"``a ` {NOTE}``",
        f"```\n{NOTE}\n```",
        f"~~~ text\n{NOTE}\n~~~",
        f"> ```\n> {NOTE}\n> ```",
        f"- a\n\n  ```\n  {NOTE}\n  ```",
        f"    {NOTE}",
        f"# Of `{NOTE}`",
        f"[`{NOTE}`](x)",
        f"- `a`\n- *`{NOTE}`* and `b`",
        "We write yoimem: ignore in comments.",
        "<!-- yoimem keeps this -->",
        f"```\n{NOTE}",
    ],
)
def test_code_may_speak_of_suppressions(body: str) -> None:
    assert not judge(SuppressionWritten, A, decision(S1, body=body), actor="agent")


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        (NOTE, f"Text.\n\n{NOTE}", 0),
        (NOTE, NOTE.replace(" it ", "\n  it "), 0),
        (NOTE, "", 0),
        (NOTE, NOTE + "\n" + NOTE, 1),
        (NOTE, NOTE.replace("BL001", "BL004"), 1),
        (NOTE, NOTE.replace("long", "short"), 1),
        (f"`{NOTE}`", NOTE, 1),
        (NOTE, f"`{NOTE}`", 0),
    ],
)
def test_a_suppression_may_move_or_go_and_no_more(before: str, after: str, count: int) -> None:
    found = judge(
        SuppressionWritten,
        A,
        decision(body=after),
        before=decision(body=before),
        actor="agent",
    )
    assert len(found) == count


def with_lines(*lines: str) -> str:
    return decision().replace("status: open\n", "".join(f"{line}\n" for line in lines))


OURS = "# yoimem: ignore[FM108] ours"


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        ("status: open", f"status: open {OURS}", 1),
        ("status: open", f"status: open\n{OURS}", 1),
        ("status: open", f'status: open\nowner: "x {OURS}"', 1),
        ("status: open", "status: open  #yoimem:ignore[FM108]", 1),
        (f"owner: a {OURS}", f"owner: b {OURS}", 0),
        (f"owner: a {OURS}\nstatus: open", f"status: open\nowner: a {OURS}", 0),
        (f"owner: a {OURS}\nteam: b", f"owner: a\nteam: b {OURS}", 1),
        (f"owner: a {OURS}", "owner: a", 0),
        (f"owner: a {OURS}", f"owner: a {OURS} too", 1),
        ("status: open", "status: open # yoimem is fine", 0),
    ],
)
def test_a_suppression_in_frontmatter_stays_at_its_field(
    before: str, after: str, count: int
) -> None:
    found = judge(
        SuppressionWritten, A, with_lines(after), before=with_lines(before), actor="agent"
    )
    assert len(found) == count


def test_a_text_without_frontmatter_holds_suppressions_too() -> None:
    assert len(judge(SuppressionWritten, A, f"---\n{NOTE}", actor="agent")) == 1


PARTS = st.lists(
    st.sampled_from(
        ["`", "``", "```\n", "~~~\n", "\n", "\n\n", "    ", "> ", "- ", "\\", "<a b='", "'>", "[", "](",
         ")", "!", "<!--", "-->", "x", " ", "# ", '"', "[a]: /x "]
    ),
    max_size=12,
).map("".join)  # fmt: skip


@given(before=PARTS, after=PARTS)
@settings(max_examples=300, deadline=None)
def test_what_commonmark_takes_for_a_comment_is_never_taken_for_code(
    before: str, after: str
) -> None:
    """Whatever stands around it: a comment that is HTML to the parser is found."""
    body = f"{before}{NOTE}{after}"
    if any(NOTE in html for html in html_of(body)):
        assert NOTE in outside_code(body)


def html_of(body: str) -> Iterator[str]:
    from markdown_it import MarkdownIt

    for block in MarkdownIt("commonmark").parse(body):
        for token in (block, *(block.children or ())):
            if token.type in {"html_block", "html_inline"}:
                yield token.content


@pytest.mark.parametrize("text", ["<!--" * 250_000, "# yoimem " * 6_000, "`yoimem" * 100_000])
def test_a_hostile_text_takes_little_time(text: str) -> None:
    record = decision(S1, body=f"yoimem {text}")
    _, seconds = timed(lambda: judge(SuppressionWritten, A, record, actor="agent"))
    assert seconds < 3


# Whole runs, change by change


class Run:
    """A run of the consolidator over a memory on disk: what passes the rules is written."""

    def __init__(
        self,
        memory: Memory,
        files: Mapping[str, str],
        config: Config | None = None,
        **given: object,
    ) -> None:
        for path, text in files.items():
            memory.write(path, text)
        plugins = load_plugins()
        rules = build_ruleset(plugins, config or Config(), "consolidator")
        self._memory = memory
        self._engine = Engine(Store(memory.root), plugins.kinds, rules, lambda: NOW)
        self._evidence = run(files, **given)

    def change(self, path: str, text: str | None) -> list[str]:
        """Make a change unless it is refused; return the codes that it is refused for."""
        file = self._memory.root / path
        operation: Operation = "delete" if text is None else "update" if file.exists() else "create"
        report = self._engine.judge(
            Change(path, text, operation), actor="consolidator", evidence=self._evidence
        )
        assert not report.failures
        if not report.errors and text is None:
            file.unlink()
        elif not report.errors:
            self._memory.write(path, str(text))
        return [diagnostic.code for diagnostic in report.errors]


def test_a_merge_carries_the_sources_over_and_drops_the_other(memory: Memory) -> None:
    begun = Run(memory, {A: decision(S1), B: decision(S2)}, frequencies={})
    assert begun.change(A, decision(S1, S2)) == []
    assert begun.change(B, None) == []


def test_a_split_parts_the_sources(memory: Memory) -> None:
    begun = Run(memory, {A: decision(S1, S2)}, frequencies={})
    assert begun.change(A, decision(S1)) == ["PL002"]
    assert begun.change(B, decision(S2)) == []
    assert begun.change(A, decision(S1)) == []


def test_knowledge_is_split_and_merged(memory: Memory) -> None:
    begun = Run(memory, {KNOWN: knowledge(S1)}, frequencies={}, staged=frozenset({S2}))
    assert begun.change(OTHER, knowledge(S2)) == ["PL003"]
    assert begun.change(OTHER, knowledge(S1, S2)) == []
    assert begun.change(KNOWN, None) == []


def test_a_record_in_frequent_use_is_not_whittled_down(memory: Memory) -> None:
    begun = Run(memory, {A: decision(S1, body="x" * 1_000)}, frequencies={A: 2.0})
    assert begun.change(A, decision(S1, body="x" * 800)) == []
    assert begun.change(A, decision(S1, body="x" * 500)) == []
    assert begun.change(A, decision(S1, body="x" * 499)) == ["PL004"]
    assert begun.change(A, None) == ["PL004"]


def test_a_decision_that_the_run_replaced_stays(memory: Memory) -> None:
    begun = Run(memory, {A: decision(S1), B: decision(S2)}, frequencies={})
    assert begun.change(A, decision(S1, status="replaced", replaced_by="b")) == []
    assert begun.change(A, None) == ["PL005"]
    assert begun.change(B, None) == ["RF001", "PL005"]


def test_no_configuration_switches_these_rules_off(memory: Memory) -> None:
    config = Config(select=("FM",), ignore=("PL",), per_file_ignores={"*": ("PL",)})
    begun = Run(memory, {}, config)
    assert sorted(begun.change(A, decision(S1, body=NOTE))) == ["PL002", "PL006"]
    assert begun.change(A, decision(S1)) == ["PL002"]
