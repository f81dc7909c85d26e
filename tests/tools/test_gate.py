"""The gate: what an agent may not write, and what it is told (design, sections 6 and 7)."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import DECISION, KNOWLEDGE, NOW, WORKFLOW, Memory

from yoimem import (
    Context,
    Finding,
    ProjectRule,
    Record,
    RecordRule,
    Report,
    RuleMeta,
    Severity,
    Snapshot,
)
from yoimem.lint.engine import Change, Engine
from yoimem.lint.plugin import Plugins
from yoimem.tools import MemoryToolError, MemoryTools

PATH = "memory/decisions/use-sqlite.md"
NEW = "memory/decisions/new-one.md"
ALL_CODES = 'ignore = ["PL", "SC", "FM", "ID", "RF", "SZ", "BL"]\n'
INVISIBLE = "\u202e"
WithRules = Callable[..., Plugins]


def tree(root: Path) -> dict[str, bytes]:
    """Return every file below `root` with its bytes, but for the lock."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != "_lock"
    }


def refuse(memory: Memory, code: str, work: Callable[[], object]) -> list[str]:
    """Hold that `work` fails with `code` and changes nothing; return the lines of its message."""
    before = tree(memory.root)
    with pytest.raises(MemoryToolError) as caught:
        work()
    assert caught.value.code == code, caught.value.message
    assert tree(memory.root) == before
    return caught.value.message.splitlines()


def tools_of(memory: Memory, actor: str = "agent", **options: Any) -> MemoryTools:
    return MemoryTools(memory.root, actor=actor, clock=lambda: NOW, **options)  # type: ignore[arg-type]


def configure(memory: Memory, text: str) -> None:
    (memory.workspace / "yoimem.toml").write_text(text)


@pytest.fixture
def memory(memory: Memory) -> Memory:
    memory.write(PATH, DECISION)
    return memory


def codes(lines: Iterable[str]) -> list[str]:
    return [line.split(": ")[1].split()[0] for line in lines if line.startswith("- ")]


# One error that says everything


def test_all_violations_come_at_once_a_line_each(memory: Memory) -> None:
    text = (
        "---\nstatus: done\nsources: [{session_id: s, range: [9, 1]}]\nid: x\n"
        "replaced_by: nowhere-known\n---\nSee #not-there.\n"
    )
    head, *lines, last = refuse(
        memory, "invalid_argument", lambda: tools_of(memory).memory_write(NEW, text)
    )
    assert "nothing was written: 5 errors" in head
    assert codes(lines) == ["FM106", "FM102", "FM107", "RF001", "RF006"]
    places = [line.split(": ")[0] for line in lines]
    assert places == [f"- {NEW}:{place}" for place in ("2:9", "3:34", "4:1", "5:14", "7:5")]
    assert all("; the line is `" in line and "; to mend it: " in line for line in lines)
    assert "Mend all of them" in last


def test_the_lines_are_those_of_the_text_that_was_given(memory: Memory) -> None:
    # Both times are missing and are added by the stamp, yet the body is still on line 6.
    text = "---\nstatus: open\nsources: []\nkind:\n---\nSee #not-there.\n"
    lines = refuse(memory, "invalid_argument", lambda: tools_of(memory).memory_write(NEW, text))
    assert lines[1].startswith(f"- {NEW}:6:5: RF006 ")


def test_a_missing_field_is_named_at_the_closing_line_that_was_given(memory: Memory) -> None:
    text = "---\nstatus: open\n---\nBody.\n"
    lines = refuse(memory, "invalid_argument", lambda: tools_of(memory).memory_write(NEW, text))
    assert lines[1].startswith(f"- {NEW}:3:1: FM101 ")


def test_the_error_carries_the_report(memory: Memory) -> None:
    with pytest.raises(MemoryToolError) as caught:
        tools_of(memory).memory_write(NEW, "no record")
    assert caught.value.report is not None
    assert [d.code for d in caught.value.report.errors] == ["FM001"]


def test_warnings_ride_with_success(memory: Memory) -> None:
    result = tools_of(memory).memory_write(
        NEW, DECISION.replace("---\nBody", "owner: me\n---\nBody")
    )
    assert [warning.split(": ")[1] for warning in result.warnings] == ["FM108 unknown-key"]
    assert result.warnings[0].startswith(f"{NEW}:6:1: ")
    assert "owner: me" in (memory.root / NEW).read_text()
    edited = tools_of(memory).memory_edit(NEW, "Body", "Text")
    assert [warning.split(": ")[1] for warning in edited.warnings] == ["FM108 unknown-key"]


# What stood before


def test_a_broken_record_can_be_repaired_by_an_edit(memory: Memory) -> None:
    memory.write(PATH, DECISION.replace("open", "done"))
    tools_of(memory).memory_edit(PATH, "done", "resolved")
    assert memory.lint().diagnostics == ()


@pytest.mark.parametrize("broken", ["", "no frontmatter", "---\nstatus: [\n---\n", "---\nopen"])
def test_a_broken_record_can_be_repaired_by_an_update(memory: Memory, broken: str) -> None:
    memory.write(PATH, broken)
    tools = tools_of(memory)
    tools.memory_write(PATH, DECISION, "update", tools.memory_read(PATH).sha256)
    assert memory.lint().diagnostics == ()


def test_a_broken_record_can_be_deleted(memory: Memory) -> None:
    memory.write(PATH, "---\nstatus: [\n---\n")
    tools_of(memory).memory_delete(PATH)
    assert not (memory.root / PATH).exists()


def test_a_record_with_a_wrong_name_can_be_read_and_moved(memory: Memory) -> None:
    memory.write("memory/decisions/Use_MySQL.md", DECISION)
    tools = tools_of(memory)
    assert tools.memory_read("memory/decisions/Use_MySQL.md").lines == 8
    tools.move("memory/decisions/Use_MySQL.md", "memory/decisions/use-mysql.md")
    assert memory.lint().diagnostics == ()


def test_an_edit_that_leaves_an_old_error_is_refused_and_says_so(memory: Memory) -> None:
    memory.write(PATH, DECISION.replace("open", "done"))
    lines = refuse(
        memory,
        "invalid_argument",
        lambda: tools_of(memory).memory_edit(PATH, "Body.", "See #not-there."),
    )
    assert codes(lines) == ["FM106", "RF006"]
    assert "(it was there before this change)" in lines[1]
    assert "(it was there before this change)" not in lines[2]


def test_an_error_in_another_record_does_not_block(memory: Memory) -> None:
    memory.write("memory/decisions/broken.md", DECISION.replace("open", "done"))
    memory.write("memory/decisions/dangling.md", DECISION.replace("Body", "See #not-there"))
    tools_of(memory).memory_edit(PATH, "Body", "Text")
    assert len(memory.lint().errors) == 2


def test_a_name_that_another_record_lacked_may_be_written(memory: Memory) -> None:
    memory.write("memory/decisions/dangling.md", DECISION.replace("Body", "See #later-known"))
    assert len(memory.lint().errors) == 1
    tools_of(memory).memory_write("knowledge/later-known.md", KNOWLEDGE)
    assert memory.lint().errors == ()


def test_a_change_that_breaks_another_record_is_refused(memory: Memory) -> None:
    replaced = DECISION.replace("status: open", f"status: replaced\nreplaced_by: {NEW[17:-3]}")
    memory.write("workflow/two-kinds.md", WORKFLOW.replace("---\n1", "requires: [release]\n---\n1"))
    memory.write("workflow/release.md", WORKFLOW)
    memory.write(NEW, DECISION)
    memory.write(PATH, replaced)
    lines = refuse(
        memory,
        "invalid_argument",
        lambda: tools_of(memory).memory_write("knowledge/release.md", KNOWLEDGE),
    )
    assert codes(lines) == ["RF001"]
    assert lines[1].startswith("- workflow/two-kinds.md:3:12: ")
    back = DECISION.replace("status: open", "status: replaced\nreplaced_by: use-sqlite")
    tools = tools_of(memory)
    seen = tools.memory_read(NEW).sha256
    lines = refuse(
        memory, "invalid_argument", lambda: tools.memory_write(NEW, back, "update", seen)
    )
    assert codes(lines) == ["RF003"]


# Deleting


def test_a_delete_that_others_refer_to_names_them_with_their_lines(memory: Memory) -> None:
    memory.write("knowledge/sqlite-guide.md", KNOWLEDGE)
    memory.write(PATH, DECISION.replace("Body.", "First.\n\nThen see #sqlite-guide."))
    memory.write(
        "workflow/release.md", WORKFLOW.replace("---\n1", "requires: [sqlite-guide]\n---\n1")
    )
    tools = tools_of(memory)
    lines = refuse(
        memory, "invalid_argument", lambda: tools.memory_delete("knowledge/sqlite-guide.md")
    )
    assert [line.split(": ")[0] for line in lines[1:-1]] == [
        f"- {PATH}:9:10",
        "- workflow/release.md:3:12",
    ]
    assert codes(lines) == ["RF006", "RF001"]
    tools.memory_edit(PATH, " see #sqlite-guide", " not")
    memory.write("workflow/release.md", WORKFLOW)
    tools.memory_delete("knowledge/sqlite-guide.md")
    assert memory.lint().diagnostics == ()


def test_a_decision_that_replaced_another_cannot_be_deleted(memory: Memory) -> None:
    replaced = DECISION.replace("status: open", "status: replaced\nreplaced_by: use-sqlite")
    memory.write("memory/decisions/use-mysql.md", replaced)
    lines = refuse(memory, "invalid_argument", lambda: tools_of(memory).memory_delete(PATH))
    assert lines[1].startswith("- memory/decisions/use-mysql.md:5:14: RF001 ")
    tools_of(memory).memory_delete("memory/decisions/use-mysql.md")
    tools_of(memory).memory_delete(PATH)


def test_a_reference_that_dangled_before_does_not_keep_a_record(memory: Memory) -> None:
    memory.write("memory/decisions/dangling.md", DECISION.replace("Body", "See #not-there"))
    tools_of(memory).memory_delete(PATH)
    assert not (memory.root / PATH).exists()


def test_a_record_that_others_name_cannot_be_moved(memory: Memory) -> None:
    memory.write("knowledge/sqlite-guide.md", KNOWLEDGE)
    memory.write(PATH, DECISION.replace("Body", "See #sqlite-guide"))
    tools = tools_of(memory)
    lines = refuse(
        memory,
        "invalid_argument",
        lambda: tools.move("knowledge/sqlite-guide.md", "knowledge/guide-to-sqlite.md"),
    )
    assert codes(lines) == ["RF006"]


# Workflows


@pytest.mark.parametrize("actor", ["agent", "consolidator"])
@pytest.mark.parametrize(
    "config", ["", ALL_CODES, 'select = ["FM"]\n', "warnings-as-errors = false"]
)
@pytest.mark.parametrize("place", ["workflow", "memory/workflow"])
def test_only_a_person_changes_a_workflow(
    memory: Memory, actor: str, config: str, place: str
) -> None:
    there, new = f"{place}/there.md", f"{place}/new.md"
    memory.write(there, WORKFLOW)
    configure(memory, config)
    tools = tools_of(memory, actor)
    seen = tools.memory_read(there).sha256
    reasons = ("integrate",)
    calls: list[Callable[[], object]] = [
        lambda: tools.memory_write(new, WORKFLOW, reasons=reasons),
        lambda: tools.memory_write(there, WORKFLOW + "2.\n", "update", seen, reasons),
        lambda: tools.memory_edit(there, "Tag", "Push", reasons=reasons),
        lambda: tools.memory_delete(there, reasons=reasons),
        lambda: tools.move(there, new),
        lambda: tools.move(there, "knowledge/there.md"),
        lambda: tools.move(PATH, new),
    ]
    for call in calls:
        refused = refuse(memory, "invalid_argument", call)
        assert "PL001" in codes(refused)
        assert "offer what you propose to a person with the tool `workflow_offer`" in str(refused)


def test_a_person_changes_a_workflow(memory: Memory) -> None:
    tools = tools_of(memory, "human")
    tools.memory_write("workflow/release.md", WORKFLOW)
    tools.memory_edit("workflow/release.md", "Tag", "Push")
    tools.move("workflow/release.md", "workflow/publish.md")
    tools.memory_delete("workflow/publish.md")
    assert not (memory.root / "workflow/publish.md").exists()


# What failed


class Crashing(RecordRule):
    """Crashes at every record."""

    meta = RuleMeta(code="ACME001", name="crashing", severity=Severity.WARNING, since="1.0")

    def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
        raise RuntimeError("lost my way")


class CrashingInProject(ProjectRule):
    """Leaves the process, when asked about a change."""

    meta = RuleMeta(
        code="ACME002",
        name="leaving",
        severity=Severity.WARNING,
        since="1.0",
        depends_on=("slugs",),
    )

    def check(self, snapshot: Snapshot, ctx: Context[Any]) -> Iterable[Finding]:
        raise SystemExit(0)


class Misplaced(RecordRule):
    """Points outside of the text."""

    meta = RuleMeta(code="ACME003", name="misplaced", severity=Severity.WARNING, since="1.0")

    def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
        return [Finding("there", span=record.body_span._replace(end=10**9))]


@pytest.mark.parametrize("rule", [Crashing, CrashingInProject, Misplaced])
def test_a_rule_that_fails_closes_the_gate(
    memory: Memory, with_rules: WithRules, rule: type[RecordRule]
) -> None:
    tools = tools_of(memory, plugins=with_rules(rule))
    calls: list[Callable[[], object]] = [
        lambda: tools.memory_write(NEW, DECISION),
        lambda: tools.memory_edit(PATH, "Body", "Text"),
        lambda: tools.move(PATH, NEW),
    ]
    for call in calls:
        lines = refuse(memory, "internal", call)
        assert rule.meta.code in lines[1]


def test_a_plugin_that_did_not_load_closes_the_gate(memory: Memory, with_rules: WithRules) -> None:
    from dataclasses import replace

    from yoimem.lint.report import Failure

    loaded = with_rules()
    broken = replace(loaded, failures=(Failure("plugin acme", "no module named acme"),))
    tools = tools_of(memory, plugins=broken)
    for call in (lambda: tools.memory_write(NEW, DECISION), lambda: tools.memory_delete(PATH)):
        assert "plugin acme: no module named acme" in refuse(memory, "internal", call)[1]
    assert tools.memory_read(PATH).lines == 8


# Configuration


@pytest.mark.parametrize(
    "config",
    [
        ALL_CODES,
        'select = ["FM"]\n',
        'severity = {SC002 = "warning"}\n',
        'per-file-ignores = {"*" = ["SC"]}\n',
        'exclude = ["memory/decisions/*"]\n',
    ],
)
@pytest.mark.parametrize("actor", ["agent", "consolidator"])
def test_no_configuration_lets_an_agent_past_the_rules_on_security(
    memory: Memory, actor: str, config: str
) -> None:
    configure(memory, config)
    text = DECISION.replace("Body", f"Body {INVISIBLE}")
    lines = refuse(
        memory,
        "invalid_argument",
        lambda: tools_of(memory, actor).memory_write(NEW, text, reasons=["integrate"]),
    )
    assert codes(lines) == (["SC002"] if actor == "agent" else ["PL002", "SC002"])


def test_a_person_may_switch_the_rules_on_security_off(memory: Memory) -> None:
    text = DECISION.replace("Body", f"Body {INVISIBLE}")
    refuse(memory, "invalid_argument", lambda: tools_of(memory, "human").memory_write(NEW, text))
    configure(memory, 'ignore = ["SC"]\n')
    tools_of(memory, "human").memory_write(NEW, text)


@pytest.mark.parametrize(
    "config",
    ['exclude = ["memory/*"]\n', 'per-file-ignores = {"memory/decisions/*" = ["FM", "RF"]}\n'],
)
@pytest.mark.parametrize("actor", ["agent", "human"])
def test_what_spares_old_records_does_not_spare_what_is_written(
    memory: Memory, actor: str, config: str
) -> None:
    configure(memory, config)
    text = DECISION.replace("open", "done")
    lines = refuse(
        memory, "invalid_argument", lambda: tools_of(memory, actor).memory_write(NEW, text)
    )
    assert codes(lines) == ["FM106"]


def test_a_severity_that_the_team_lowered_holds_for_an_agent(memory: Memory) -> None:
    configure(memory, 'severity = {FM106 = "warning"}\n')
    text = DECISION.replace("open", "done")
    result = tools_of(memory).memory_write(NEW, text)
    assert "FM106" in result.warnings[0]


def test_a_severity_that_the_team_raised_holds_for_an_agent(memory: Memory) -> None:
    configure(memory, 'severity = {FM108 = "error"}\n')
    text = DECISION.replace("status", "owner: me\nstatus")
    lines = refuse(memory, "invalid_argument", lambda: tools_of(memory).memory_write(NEW, text))
    assert codes(lines) == ["FM108"]


def test_rules_that_the_team_ignores_do_not_bind_an_agent(memory: Memory) -> None:
    configure(memory, 'ignore = ["RF006"]\n')
    tools_of(memory).memory_edit(PATH, "Body", "See #not-there")


# What an agent may hand in


def test_a_refusal_can_be_sent_to_any_host(memory: Memory) -> None:
    (memory.root / PATH).write_bytes(DECISION.encode() + b"\xff\n")
    for text in ("\ud800", "\udc80", "\u2028\x0b", "\x1b[31m"):
        lines = refuse(
            memory,
            "invalid_argument",
            lambda t=text: tools_of(memory).memory_edit(PATH, "Body", f"Body {t}"),  # type: ignore[misc]
        )
        "\n".join(lines).encode()


def test_an_enormous_record_is_refused_and_not_parsed(memory: Memory) -> None:
    text = DECISION + "x" * (1 << 21)
    lines = refuse(memory, "invalid_argument", lambda: tools_of(memory).memory_write(NEW, text))
    assert codes(lines) == ["FM014"]


def test_what_is_too_large_to_be_read_is_never_lost(memory: Memory) -> None:
    configure(memory, 'ignore = ["FM014", "SZ"]\n')
    text = DECISION + "x" * (1 << 21)
    tools_of(memory).memory_write(NEW, text)
    assert (memory.root / NEW).read_text() == text


def test_a_consolidator_changes_nothing_without_a_reason(memory: Memory) -> None:
    memory.write(NEW, DECISION)
    tools = tools_of(memory, "consolidator")
    for reasons in ([], ["bored"]):
        refuse(
            memory,
            "invalid_argument",
            lambda r=reasons: tools.memory_edit(NEW, "Body", "Text", reasons=r),  # type: ignore[misc]
        )
    tools.memory_edit(NEW, "Body", "Text", reasons=["integrate"])
    refuse(
        memory,
        "invalid_argument",
        lambda: tools.memory_write("memory/decisions/newer.md", DECISION),
    )
    refuse(memory, "invalid_argument", lambda: tools.memory_delete(NEW))


def test_a_folder_that_cannot_be_read_closes_the_gate(memory: Memory) -> None:
    (memory.workspace / "elsewhere").mkdir()
    (memory.root / "knowledge").symlink_to("../elsewhere")
    lines = refuse(
        memory, "internal", lambda: tools_of(memory, "agent").memory_write(NEW, DECISION)
    )
    assert "folder knowledge" in "\n".join(lines)


def test_a_person_who_saves_while_a_change_is_judged_loses_nothing(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = memory.write(NEW, DECISION)
    tools = tools_of(memory, "agent")
    judge = Engine.judge

    def judge_slowly(engine: Engine, *changes: Change, **given: Any) -> Report:
        report = judge(engine, *changes, **given)
        path.write_text(DECISION + "A person's line.\n")
        return report

    monkeypatch.setattr(Engine, "judge", judge_slowly)
    changes: list[Callable[[], object]] = [
        lambda: tools.memory_edit(NEW, "Body", "Text"),
        lambda: tools.memory_delete(NEW),
        lambda: tools.move(NEW, "memory/decisions/moved.md"),
        lambda: tools.memory_write(NEW, DECISION),
    ]
    names = sorted(entry.name for entry in path.parent.iterdir())
    for number, change in enumerate(changes):
        path.write_text(DECISION)
        if number == len(changes) - 1:
            path.unlink()
        with pytest.raises(MemoryToolError) as caught:
            change()
        assert caught.value.code == "conflict"
        assert path.read_text() == DECISION + "A person's line.\n"
        assert sorted(entry.name for entry in path.parent.iterdir()) == names


@pytest.mark.parametrize("slug", ["2fa-setup", "123", "cafe"])
def test_a_record_that_looks_like_a_number_is_not_deleted_while_it_is_named(
    memory: Memory, slug: str
) -> None:
    memory.write(f"knowledge/{slug}.md", KNOWLEDGE)
    memory.write(NEW, DECISION + f"See #{slug}.\n")
    tools = tools_of(memory, "agent")
    lines = refuse(memory, "invalid_argument", lambda: tools.memory_delete(f"knowledge/{slug}.md"))
    assert codes(lines) == ["RF006"]


@pytest.mark.parametrize("path", ["memory/x\u0000.md", "../../victim/x.md", "/etc/x.md", 5, None])
def test_a_strange_line_in_the_audit_log_stops_nobody(memory: Memory, path: object) -> None:
    tools = tools_of(memory, "agent")
    tools.memory_write(NEW, DECISION)
    log = memory.root / "memory" / "_logs" / "audit.jsonl"
    line = json.loads(log.read_text().splitlines()[0])
    with log.open("a") as file:
        file.write(json.dumps({**line, "stage": "intent", "path": path}) + "\n")
    victim = memory.workspace.parent / "victim"
    victim.mkdir(exist_ok=True)
    (victim / ".yoimem-0").write_text("mine")
    assert tools.memory_edit(NEW, "Body", "Text").count == 1
    assert (victim / ".yoimem-0").read_text() == "mine"


@pytest.mark.parametrize(
    "call",
    [
        lambda tools: tools.memory_write(NEW, DECISION, mode="bogus"),
        lambda tools: tools.memory_write(NEW, None),
        lambda tools: tools.memory_read(None),
        lambda tools: tools.memory_read(NEW, offset=-5),
        lambda tools: tools.memory_read(NEW, limit=0),
        lambda tools: tools.call("memory_read", {1: 2}),
        lambda tools: tools.call("memory_read", []),
        lambda tools: tools.memory_list("nothing"),
    ],
)
def test_a_direct_call_obeys_the_definition_too(memory: Memory, call: Any) -> None:
    memory.write(NEW, DECISION)
    refuse(memory, "invalid_argument", lambda: call(tools_of(memory, "human")))
