"""The tools of one actor: what they take, what they return, what they stamp, how they fail."""

import hashlib
import json
import os
import stat
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from jsonschema import Draft202012Validator
from tests.conftest import DECISION, KNOWLEDGE, NOW, SUMMARY, WORKFLOW, Memory

from yoimem import Evidence, Snapshot
from yoimem.fields import Source
from yoimem.lint.errors import ConfigError
from yoimem.tools import MemoryToolError, MemoryTools, as_text
from yoimem.workspace.layout import RootNotFoundError

PATH = "memory/decisions/use-sqlite.md"
STAMPED = "2026-03-01T12:00:00Z"


@pytest.fixture
def make(memory: Memory) -> Callable[..., MemoryTools]:
    """Return what makes tools over a memory of three records, with a clock that stands still."""
    memory.write("memory/summary.md", SUMMARY)
    memory.write(PATH, DECISION)
    memory.write("knowledge/sqlite-guide.md", KNOWLEDGE)

    def made(actor: str = "agent", **options: Any) -> MemoryTools:
        options.setdefault("clock", lambda: NOW)
        return MemoryTools(memory.root, actor=actor, **options)  # type: ignore[arg-type]

    return made


@pytest.fixture
def tools(make: Callable[..., MemoryTools]) -> MemoryTools:
    return make()


def refused(code: str, work: Callable[[], object]) -> str:
    """Hold that `work` fails with `code`, and return its message."""
    with pytest.raises(MemoryToolError) as caught:
        work()
    assert caught.value.code == code, caught.value.message
    assert str(caught.value) == caught.value.message
    return caught.value.message


def bytes_of(memory: Memory, path: str = PATH) -> bytes:
    return (memory.root / path).read_bytes()


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# Reading


def test_a_read_numbers_the_lines_and_hashes_the_whole(tools: MemoryTools, memory: Memory) -> None:
    result = tools.memory_read(PATH)
    lines = DECISION.split("\n")
    assert result.text == "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, 1))
    assert (result.path, result.lines, result.more) == (PATH, 8, False)
    assert result.sha256 == sha(bytes_of(memory))


def test_a_read_of_a_part_has_the_numbers_and_the_hash_of_the_whole(tools: MemoryTools) -> None:
    whole = tools.memory_read(PATH)
    part = tools.memory_read(PATH, offset=4, limit=2)
    assert part.text == "4\tstatus: open\n5\tsources: []"
    assert (part.sha256, part.lines, part.more) == (whole.sha256, 8, True)
    assert "read on" in as_text(part)
    assert tools.memory_read(PATH, offset=7, limit=99).more is False


def test_an_offset_behind_the_end_says_how_long_the_record_is(tools: MemoryTools) -> None:
    message = refused("invalid_argument", lambda: tools.memory_read(PATH, offset=9))
    assert "has 8 lines" in message


def test_a_read_shows_no_more_than_the_configured_lines(
    make: Callable[..., MemoryTools], memory: Memory
) -> None:
    (memory.workspace / "yoimem.toml").write_text("[tools]\nmax-read-lines = 3\n")
    tools = make()
    assert tools.memory_read(PATH).text.count("\n") == 2
    assert tools.memory_read(PATH, limit=5).text.count("\n") == 2
    assert tools.memory_read(PATH, limit=2).text.count("\n") == 1


def test_a_broken_record_can_be_read(tools: MemoryTools, memory: Memory) -> None:
    memory.write(PATH, "").write_bytes(b"---\nstatus: [\n\xff\n")
    result = tools.memory_read(PATH)
    assert "3\t\\xff" in result.text
    assert result.sha256 == sha(b"---\nstatus: [\n\xff\n")


def test_what_is_not_there_is_not_found(tools: MemoryTools) -> None:
    gone = "memory/decisions/gone.md"
    refused("not_found", lambda: tools.memory_read(gone))
    refused("not_found", lambda: tools.memory_edit(gone, "a", "b"))
    refused("not_found", lambda: tools.memory_delete(gone))
    refused("not_found", lambda: tools.memory_write(gone, DECISION, "update", "0" * 64))


# Listing


def test_a_list_names_records_by_path_with_description_heading_or_first_line(
    tools: MemoryTools, memory: Memory
) -> None:
    request = DECISION.replace("status: open\n", "").replace("Body.", "# Start faster\n\nSoon.")
    memory.write("memory/requests/faster-start.md", request)
    memory.write("memory/decisions/README.md", "not a record")
    memory.write("memory/_staging/x.md", "not a record")
    memory.write("workflow/release.md", WORKFLOW)
    found = [(r.path, r.description, r.status) for r in tools.memory_list().records]
    assert found == [
        ("knowledge/sqlite-guide.md", "What there is to know.", None),
        (PATH, "Body.", "open"),
        ("memory/requests/faster-start.md", "Start faster", None),
        ("memory/summary.md", "Body.", None),
        ("workflow/release.md", "Make a release.", None),
    ]
    assert as_text(tools.memory_list("decision")) == f"{PATH} [open]: Body."
    assert [r.path for r in tools.memory_list("workflow").records] == ["workflow/release.md"]


def test_a_list_of_broken_records_can_be_sent_to_any_host(
    tools: MemoryTools, memory: Memory
) -> None:
    memory.write("memory/decisions/a.md", "").write_bytes(b"\xff\xfe broken")
    memory.write("memory/decisions/b.md", "---\nstatus: [1, 2]\ndescription: 5\n---\n# A \\x")
    os.close(os.open(os.fsencode(memory.root) + b"/memory/decisions/\xff.md", os.O_CREAT))
    text = as_text(tools.memory_list())
    assert len(text.encode().splitlines()) == 6


def test_many_threads_may_list_and_write_at_once(tools: MemoryTools, memory: Memory) -> None:
    for number in range(40):
        memory.write(f"knowledge/part-{number:02d}.md", KNOWLEDGE)
    faults: list[BaseException] = []
    start = threading.Barrier(6)

    def work(number: int) -> None:
        try:
            start.wait()
            for turn in range(6):
                if number:
                    assert len(tools.memory_list().records) >= 43
                else:
                    tools.memory_write(f"knowledge/new-{turn}.md", KNOWLEDGE)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(tools.memory_list().records) == 49


# Writing, and the times


def test_an_agents_create_is_stamped_with_the_real_time(tools: MemoryTools, memory: Memory) -> None:
    path = "memory/decisions/new.md"
    result = tools.memory_write(path, DECISION)
    wanted = DECISION.replace("2026-01-10T09:00:00Z", STAMPED)
    assert bytes_of(memory, path).decode() == wanted
    assert result.sha256 == sha(wanted.encode())
    assert memory.lint().diagnostics == ()


def test_an_agents_update_keeps_the_time_of_creation(tools: MemoryTools, memory: Memory) -> None:
    expect = tools.memory_read(PATH).sha256
    tools.memory_write(PATH, DECISION.replace("Body", "New body"), "update", expect)
    wanted = DECISION.replace("updated_at: 2026-01-10T09:00:00Z", f"updated_at: {STAMPED}")
    assert bytes_of(memory).decode() == wanted.replace("Body", "New body")


def test_missing_times_are_added_with_the_line_ends_of_the_record(
    tools: MemoryTools, memory: Memory
) -> None:
    path = "memory/decisions/new.md"
    tools.memory_write(path, "---\r\nstatus: open\r\nsources: []\r\n---\r\nBody.\r\n")
    times = f"updated_at: {STAMPED}\r\ncreated_at: {STAMPED}\r\n"
    text = bytes_of(memory, path).decode()
    assert text.startswith("---\r\nstatus: open\r\nsources: []\r\n")
    assert sorted(text.split("\r\n")) == sorted(
        f"---\r\nstatus: open\r\nsources: []\r\n{times}---\r\nBody.\r\n".split("\r\n")
    )
    assert text.count("\n") == text.count("\r\n")


@pytest.mark.parametrize(
    "times",
    [
        "created_at: yesterday\nupdated_at: soon\n",
        "created_at:\nupdated_at: # by hand\n",
        "created_at: ''\nupdated_at: \"2020-01-01T00:00:00Z\"\n",
        "created_at: >-\n  2020-01-01T00:00:00Z\nupdated_at: |\n  2020-01-01T00:00:00Z\n\n",
        "updated_at: 2020-01-01\n  T00:00:00Z\ncreated_at: ~\n",
        "",
    ],
)
def test_whatever_time_an_agent_writes_is_replaced(
    tools: MemoryTools, memory: Memory, times: str
) -> None:
    path = "memory/decisions/new.md"
    tools.memory_write(path, f"---\nstatus: open\n{times}sources: []\n---\nBody.\n")
    lines = bytes_of(memory, path).decode().splitlines()
    assert {f"created_at: {STAMPED}", "status: open", "sources: []"} <= set(lines)
    assert [line for line in lines if line.startswith(f"updated_at: {STAMPED}")]
    assert "2020" not in "\n".join(lines)


def test_times_are_added_as_the_other_fields_are_indented(
    tools: MemoryTools, memory: Memory
) -> None:
    path = "memory/decisions/new.md"
    tools.memory_write(path, "---\n  status: open\n  sources: []\n---\nBody.\n")
    assert f"  created_at: {STAMPED}\n" in bytes_of(memory, path).decode()


@pytest.mark.parametrize("fields", ["{status: open, sources: []}", "? updated_at\n? created_at"])
def test_where_no_time_can_be_added_the_rules_ask_for_it(tools: MemoryTools, fields: str) -> None:
    message = refused(
        "invalid_argument",
        lambda: tools.memory_write("memory/decisions/new.md", f"---\n{fields}\n---\nBody.\n"),
    )
    assert "created_at" in message
    assert "updated_at" in message
    assert "yaml-syntax" not in message


def test_a_time_that_is_no_text_is_left_to_the_rules(tools: MemoryTools) -> None:
    text = DECISION.replace("updated_at: 2026-01-10T09:00:00Z", "updated_at: [2026]")
    message = refused(
        "invalid_argument", lambda: tools.memory_write("memory/decisions/new.md", text)
    )
    assert "`updated_at` is `[2026]`" in message


def test_a_summary_gets_no_time_of_creation(tools: MemoryTools, memory: Memory) -> None:
    expect = tools.memory_read("memory/summary.md").sha256
    tools.memory_write("memory/summary.md", SUMMARY.replace("Body", "All"), "update", expect)
    assert bytes_of(memory, "memory/summary.md").decode() == (
        f"---\nupdated_at: {STAMPED}\n---\nAll.\n"
    )


def test_a_persons_times_are_left_alone(make: Callable[..., MemoryTools], memory: Memory) -> None:
    path = "memory/decisions/new.md"
    make("human").memory_write(path, DECISION)
    assert bytes_of(memory, path).decode() == DECISION


def test_stamping_can_be_switched_off(make: Callable[..., MemoryTools], memory: Memory) -> None:
    (memory.workspace / "yoimem.toml").write_text("[tools]\nstamp-times = false\n")
    tools = make()
    path = "memory/decisions/new.md"
    tools.memory_write(path, DECISION)
    assert bytes_of(memory, path).decode() == DECISION
    later = DECISION.replace("updated_at: 2026-01-10T09:00:00Z\n", "")
    message = refused(
        "invalid_argument", lambda: tools.memory_write("memory/decisions/other.md", later)
    )
    assert "FM101" in message


def test_the_time_is_written_in_utc(make: Callable[..., MemoryTools], memory: Memory) -> None:
    tokyo = timezone(timedelta(hours=9))
    tools = make(clock=lambda: datetime(2026, 3, 1, 21, 0, 0, 999_999, tzinfo=tokyo))
    tools.memory_edit(PATH, "Body", "Text")
    assert f"updated_at: {STAMPED}\n" in bytes_of(memory).decode()


# Expecting


def test_a_record_that_changed_is_a_conflict_with_the_current_hash(
    tools: MemoryTools, memory: Memory
) -> None:
    seen = tools.memory_read(PATH).sha256
    memory.write(PATH, DECISION.replace("Body", "Somebody else's body"))
    there = bytes_of(memory)
    calls: list[Callable[[], object]] = [
        lambda: tools.memory_write(PATH, DECISION, "update", seen),
        lambda: tools.memory_edit(PATH, "body", "text", expect=seen),
        lambda: tools.memory_delete(PATH, expect=seen),
    ]
    for call in calls:
        message = refused("conflict", call)
        assert sha(there) in message
        assert "read it again" in message
        assert bytes_of(memory) == there


def test_the_hash_of_a_result_is_what_the_next_call_expects(tools: MemoryTools) -> None:
    path = "memory/decisions/new.md"
    written = tools.memory_write(path, DECISION)
    edited = tools.memory_edit(path, "Body", "Text", expect=written.sha256)
    updated = tools.memory_write(path, DECISION, "update", edited.sha256)
    assert tools.memory_read(path).sha256 == updated.sha256
    tools.memory_delete(path, updated.sha256)
    refused("not_found", lambda: tools.memory_read(path))


def test_an_update_needs_to_know_what_it_replaces(tools: MemoryTools, memory: Memory) -> None:
    message = refused("invalid_argument", lambda: tools.memory_write(PATH, DECISION, "update"))
    assert "needs `expect`" in message
    assert bytes_of(memory).decode() == DECISION


def test_creating_what_is_not_there_any_more_is_a_conflict(tools: MemoryTools) -> None:
    message = refused(
        "conflict",
        lambda: tools.memory_write("memory/decisions/gone.md", DECISION, "create", "0" * 64),
    )
    assert "not there any more" in message


@pytest.mark.parametrize(
    "config", ["", 'ignore = ["ID"]\n', 'severity = {ID004 = "warning"}\n', 'select = ["FM"]\n']
)
def test_a_create_never_replaces_a_record(
    make: Callable[..., MemoryTools], memory: Memory, config: str
) -> None:
    (memory.workspace / "yoimem.toml").write_text(config)
    message = refused(
        "invalid_argument", lambda: make().memory_write(PATH, DECISION.replace("Body", "Other"))
    )
    assert "exists already" in message
    assert "`update`" in message
    assert bytes_of(memory).decode() == DECISION


@pytest.mark.parametrize("config", ["", 'ignore = ["ID"]\n'])
def test_a_move_never_replaces_a_record(
    make: Callable[..., MemoryTools], memory: Memory, config: str
) -> None:
    (memory.workspace / "yoimem.toml").write_text(config)
    other = "memory/decisions/other.md"
    memory.write(other, DECISION.replace("Body", "Other"))
    refused("invalid_argument", lambda: make().move(PATH, other))
    assert bytes_of(memory).decode() == DECISION
    assert b"Other" in bytes_of(memory, other)


def test_a_record_can_be_moved(tools: MemoryTools, memory: Memory) -> None:
    result = tools.move(PATH, "memory/decisions/keep-sqlite.md")
    assert bytes_of(memory, result.path).decode() == DECISION
    assert not (memory.root / PATH).exists()
    assert memory.lint().diagnostics == ()


# Locked records, and what the disk says


@pytest.mark.skipif(os.name == "nt", reason="needs the bits of POSIX")
def test_a_record_without_its_write_bit_is_denied_to_every_tool(
    make: Callable[..., MemoryTools], memory: Memory
) -> None:
    (memory.root / PATH).chmod(0o444)
    for actor in ("agent", "human"):
        tools = make(actor)
        seen = tools.memory_read(PATH).sha256
        calls: list[Callable[[], object]] = [
            lambda t=tools, s=seen: t.memory_write(PATH, DECISION, "update", s),  # type: ignore[misc]
            lambda t=tools: t.memory_write(PATH, DECISION),  # type: ignore[misc]
            lambda t=tools: t.memory_edit(PATH, "Body", "Text"),  # type: ignore[misc]
            lambda t=tools: t.memory_delete(PATH),  # type: ignore[misc]
            lambda t=tools: t.move(PATH, "memory/decisions/other.md"),  # type: ignore[misc]
        ]
        for call in calls:
            assert "no write bit" in refused("denied", call)
    assert bytes_of(memory).decode() == DECISION


@pytest.mark.skipif(os.name == "nt", reason="needs the bits of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_mode_bits_are_kept(tools: MemoryTools, memory: Memory, mode: int) -> None:
    (memory.root / PATH).chmod(mode)
    tools.memory_edit(PATH, "Body", "Text")
    assert stat.S_IMODE((memory.root / PATH).stat().st_mode) == mode


@pytest.mark.skipif(os.name == "nt", reason="needs the bits of POSIX")
def test_a_new_record_has_the_bits_that_the_process_gives(
    tools: MemoryTools, memory: Memory
) -> None:
    before = os.umask(0o027)
    try:
        tools.memory_write("memory/decisions/new.md", DECISION)
    finally:
        os.umask(before)
    assert stat.S_IMODE((memory.root / "memory/decisions/new.md").stat().st_mode) == 0o640


def test_another_writer_is_waited_for_no_longer_than_configured(
    make: Callable[..., MemoryTools], memory: Memory
) -> None:
    (memory.workspace / "yoimem.toml").write_text("[tools]\nlock-timeout = 0.1\n")
    tools = make()
    lock = FileLock(memory.root / "memory" / "_lock")
    with lock:
        taken = datetime.now(UTC)
        message = refused("busy", lambda: tools.memory_edit(PATH, "Body", "Text"))
        assert datetime.now(UTC) - taken < timedelta(seconds=5)
    assert "try again" in message
    assert tools.memory_edit(PATH, "Body", "Text").count == 1


@pytest.mark.parametrize(
    "setting",
    ["lock-timeout = -1", "lock-timeout = inf", "lock-timeout = nan", "max-read-lines = 0"],
)
def test_a_setting_that_has_no_bound_is_refused(
    make: Callable[..., MemoryTools], memory: Memory, setting: str
) -> None:
    (memory.workspace / "yoimem.toml").write_text(f"[tools]\n{setting}\n")
    with pytest.raises(ConfigError, match=setting.split(maxsplit=1)[0]):
        make()


def test_the_configuration_is_read_once(make: Callable[..., MemoryTools], memory: Memory) -> None:
    tools = make()
    (memory.workspace / "yoimem.toml").write_text('ignore = ["FM", "RF", "ID"]\n')
    message = refused(
        "invalid_argument",
        lambda: tools.memory_write("memory/decisions/new.md", "---\nstatus: odd\n---\n"),
    )
    assert "FM106" in message


def test_without_a_memory_there_are_no_tools(tmp_path: Path) -> None:
    with pytest.raises(RootNotFoundError, match="yoimem init"):
        MemoryTools(tmp_path)


# Definitions and calls


@pytest.mark.parametrize("actor", ["agent", "consolidator", "human"])
def test_every_host_gets_one_valid_schema(make: Callable[..., MemoryTools], actor: str) -> None:
    definitions = make(actor).definitions
    assert [d.name for d in definitions] == [
        *(f"memory_{name}" for name in ("read", "write", "edit", "delete", "list", "search")),
        "knowledge_search",
        "memory_sources",
        "workflow_offer",
    ]
    for definition in definitions:
        schema = definition.input_schema()
        Draft202012Validator.check_schema(schema)
        assert json.loads(json.dumps(schema)) == schema
        assert schema["additionalProperties"] is False
        openai = definition.for_openai()
        assert openai["type"] == "function"
        forms = [
            (openai["function"], "parameters"),
            (definition.for_anthropic(), "input_schema"),
            (definition.for_mcp(), "inputSchema"),
        ]
        for form, key in forms:
            assert form == {
                "name": definition.name,
                "description": definition.description,
                key: schema,
            }


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("memory_read", {"path": PATH}),
    ("memory_read", {"path": PATH, "offset": 0}),
    ("memory_read", {"path": PATH, "offset": True}),
    ("memory_read", {"path": PATH, "limit": "3"}),
    ("memory_read", {"path": PATH, "limit": 1.5}),
    ("memory_read", {"pth": PATH}),
    ("memory_read", {}),
    ("memory_read", {"path": None}),
    ("memory_read", {"path": [PATH]}),
    ("memory_write", {"path": PATH, "content": DECISION, "mode": "append"}),
    ("memory_write", {"path": PATH, "content": 5}),
    ("memory_edit", {"path": PATH, "old_string": "Body", "new_string": "B", "replace_all": "no"}),
    ("memory_edit", {"path": PATH, "old_string": "Body", "new_string": "B", "reasons": ["noisy"]}),
    ("memory_list", {"record_kind": "note"}),
    ("memory_list", {"record_kind": "decision"}),
    ("memory_delete", {"path": PATH, "force": True}),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_call_takes_what_its_schema_takes(
    tools: MemoryTools, memory: Memory, name: str, arguments: dict[str, Any]
) -> None:
    definition = next(d for d in tools.definitions if d.name == name)
    fits = Draft202012Validator(definition.input_schema()).is_valid(arguments)
    if fits:
        tools.call(name, arguments)
        return
    refused("invalid_argument", lambda: tools.call(name, arguments))
    assert bytes_of(memory).decode() == DECISION


def test_a_call_names_every_fault_of_its_arguments(tools: MemoryTools) -> None:
    message = refused(
        "invalid_argument", lambda: tools.call("memory_read", {"pth": PATH, "offset": 0})
    )
    assert "did you mean `path`" in message
    assert "`path` is missing" in message
    assert "`offset` must be 1 or more" in message


def test_an_unknown_tool_is_told_which_there_are(tools: MemoryTools) -> None:
    message = refused("invalid_argument", lambda: tools.call("memory_erase", {"path": PATH}))
    assert "memory_delete" in message
    refused("invalid_argument", lambda: tools.call("move", {"path": PATH, "target": PATH}))


@pytest.mark.parametrize("argument", ["content", "path"])
def test_half_a_character_is_refused(tools: MemoryTools, argument: str) -> None:
    arguments = {"path": "memory/decisions/new.md", "content": DECISION}
    arguments[argument] += "\ud800"
    message = refused("invalid_argument", lambda: tools.call("memory_write", arguments))
    message.encode()


# The consolidator's reasons, and the audit


def changes(memory: Memory) -> list[dict[str, Any]]:
    text = (memory.root / "memory/_logs/audit.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_a_consolidator_gives_reasons_and_they_are_kept(
    make: Callable[..., MemoryTools], memory: Memory
) -> None:
    start = Snapshot.of_texts({PATH: DECISION})
    staged = frozenset({Source("s-1", 0, 3)})
    evidence = Evidence(start, start, staged=staged, frequencies={})
    tools = make("consolidator", session_id="s-1", run_id="r-1", evidence=evidence)
    content = DECISION.replace("sources: []", "sources: [{session_id: s-1, range: [0, 3]}]")
    new = {"path": "memory/decisions/new.md", "content": content}
    edit = {"path": PATH, "old_string": "Body", "new_string": "Text"}
    for name, arguments in [
        ("memory_write", new), ("memory_edit", edit), ("memory_delete", {"path": PATH}),
    ]:  # fmt: skip
        for reasons in ({}, {"reasons": []}, {"reasons": ["because"]}, {"reasons": "noisy"}):
            message = refused(
                "invalid_argument",
                lambda n=name, a=arguments, r=reasons: tools.call(n, {**a, **r}),  # type: ignore[misc]
            )
            assert "reasons" in message
    assert not (memory.root / "memory/_logs").exists()
    tools.call("memory_write", {**new, "reasons": ["integrate"]})
    tools.call("memory_edit", {**edit, "reasons": ["outdated", "noisy"]})
    tools.call("memory_delete", {"path": PATH, "reasons": ["superseded"]})
    done = [line for line in changes(memory) if line["stage"] == "done"]
    assert [line["reasons"] for line in done] == [
        ["integrate"], ["outdated", "noisy"], ["superseded"],
    ]  # fmt: skip
    assert {(line["actor"], line["session"], line["run"]) for line in done} == {
        ("consolidator", "s-1", "r-1")
    }


def test_the_audit_tells_each_change_by_hashes_and_holds_no_content(
    make: Callable[..., MemoryTools], memory: Memory
) -> None:
    config = memory.workspace / "yoimem.toml"
    config.write_text('ignore = ["BL"]\n')
    tools = make(session_id="s-1")
    path = "memory/decisions/new.md"
    created = tools.memory_write(path, DECISION.replace("Body.", "A secret of the body."))
    edited = tools.memory_edit(path, "secret", "riddle")
    moved = tools.move(path, "memory/decisions/moved.md")
    tools.memory_delete(moved.path)
    found = changes(memory)
    assert [line["stage"] for line in found] == ["intent", "done"] * 4
    assert [
        (line["tool"], line["path"], line["moved_to"], line["before"], line["after"])
        for line in found[::2]
    ] == [
        ("memory_write", path, None, None, created.sha256),
        ("memory_edit", path, None, created.sha256, edited.sha256),
        ("move", path, moved.path, edited.sha256, edited.sha256),
        ("memory_delete", moved.path, None, edited.sha256, None),
    ]
    assert {line["config"] for line in found} == {sha(config.read_bytes())}
    text = (memory.root / "memory/_logs/audit.jsonl").read_text()
    assert "secret" not in text
    assert "riddle" not in text


def test_what_is_refused_leaves_no_trace_in_the_audit(tools: MemoryTools, memory: Memory) -> None:
    refused("invalid_argument", lambda: tools.memory_write("memory/decisions/new.md", "no record"))
    refused("invalid_argument", lambda: tools.memory_edit(PATH, "status: open", "status: odd"))
    assert not (memory.root / "memory/_logs").exists()
