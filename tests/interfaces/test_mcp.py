"""The MCP server, judged by what the SDK's own client gets from a real process."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, get_args

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client, types

from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, Memory
from yoimem.interfaces.cli.main import main
from yoimem.tools import ErrorCode, MemoryToolError, MemoryTools
from yoimem.workspace.writer import Writer

COMMAND = [sys.executable, "-m", "yoimem", "mcp"]
DOCUMENT = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text("utf-8")
PATH = "memory/decisions/use-sqlite.md"
TEMPLATE = "yoimem://record/{+path}"
PIPELINE = ["extract_begin", "extract_submit", "consolidate_begin", "consolidate_finish"]

T = TypeVar("T")
Scenario = Callable[[Client], Awaitable[T]]


@pytest.fixture(autouse=True)
def _no_other_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)


def talk(
    memory: Memory, scenario: Scenario[T], *arguments: str, mode: str = "auto", **environ: str
) -> T:
    """Start a server and let `scenario` use a client of it."""

    async def run() -> T:
        async with client(memory, *arguments, mode=mode, **environ) as connected:
            return await scenario(connected)

    return anyio.run(run)


def client(memory: Memory, *arguments: str, mode: str = "auto", **environ: str) -> Client:
    command, *first = COMMAND
    server = StdioServerParameters(
        command=command, args=[*first, *arguments], env=environ, cwd=memory.workspace
    )
    return Client(stdio_client(server), mode=mode, read_timeout_seconds=20)


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def code_of(result: types.CallToolResult) -> str | None:
    assert result.is_error == bool((result.meta or {}).get("yoimem/code"))
    return (result.meta or {}).get("yoimem/code")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(("actor", "mode"), [("agent", "auto"), ("consolidator", "legacy")])
def test_the_tools_are_those_of_the_definitions(memory: Memory, actor: Any, mode: str) -> None:
    async def scenario(client: Client) -> list[dict[str, Any]]:
        tools = (await client.list_tools()).tools
        return [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]

    listed = talk(memory, scenario, "--actor", actor, mode=mode)
    hints = {tool["name"]: tool.pop("annotations")["readOnlyHint"] for tool in listed}
    definitions = MemoryTools(memory.root, actor=actor).definitions
    assert listed[: len(definitions)] == [definition.for_mcp() for definition in definitions]
    assert [tool["name"] for tool in listed[len(definitions) :]] == PIPELINE
    changing = {"memory_write", "memory_edit", "memory_delete", "workflow_offer", *PIPELINE}
    assert {name for name, is_reader in hints.items() if not is_reader} == changing - {
        "extract_begin"
    }


def test_a_refused_write_is_mended_and_written(memory: Memory) -> None:
    bad = DECISION.replace("open", "done").replace("sources: []\n", "") + "\nSee #nowhere-known.\n"
    with pytest.raises(MemoryToolError) as refused:
        MemoryTools(memory.root).call("memory_write", {"path": PATH, "content": bad})

    async def scenario(client: Client) -> tuple[types.CallToolResult, bool, types.CallToolResult]:
        first = await client.call_tool("memory_write", {"path": PATH, "content": bad})
        written = (memory.root / PATH).exists()
        second = await client.call_tool("memory_write", {"path": PATH, "content": DECISION})
        return first, written, second

    first, written, second = talk(memory, scenario, "--session-id", "s7")
    assert code_of(first) == "invalid_argument"
    assert text_of(first) == refused.value.message
    assert re.findall(r" ([A-Z]{2}\d{3}) ", text_of(first)) == ["FM106", "FM101", "RF006"]
    assert not written
    assert code_of(second) is None
    stored = (memory.root / PATH).read_text()
    assert stored.endswith("status: open\nsources: []\n---\nBody.\n")
    assert text_of(second) == f"wrote {PATH}, sha256 {sha256(stored)}"
    lines = (memory.root / "memory/_logs/audit.jsonl").read_text().splitlines()
    assert [
        (line["stage"], line["actor"], line["session"], line["tool"])
        for line in map(json.loads, lines)
    ] == [("intent", "agent", "s7", "memory_write"), ("done", "agent", "s7", "memory_write")]


def test_a_record_that_changed_meanwhile_is_a_conflict(memory: Memory) -> None:
    memory.write(PATH, DECISION)
    changed = DECISION.replace("Body", "Other body")

    async def scenario(client: Client) -> tuple[str, types.CallToolResult]:
        shown = text_of(await client.call_tool("memory_read", {"path": PATH}))
        memory.write(PATH, changed)
        edit = {"path": PATH, "old_string": "open", "new_string": "resolved"}
        return shown, await client.call_tool("memory_edit", {**edit, "expect": sha256(DECISION)})

    shown, result = talk(memory, scenario)
    assert sha256(DECISION) in shown
    assert code_of(result) == "conflict"
    assert sha256(changed) in text_of(result)
    assert (memory.root / PATH).read_text() == changed


def test_what_no_tool_takes_is_refused_and_not_dropped(memory: Memory) -> None:
    memory.write(PATH, DECISION)
    edit = {"path": PATH, "old_string": "open", "new_string": "resolved"}
    calls: list[tuple[str, dict[str, Any] | None, str]] = [
        ("memory_edit", {**edit, "replaceall": True}, "no argument `replaceall`, did you mean"),
        ("memory_edit", {**edit, "replace_all": "yes"}, "`replace_all` takes true or false"),
        ("memory_edit", {**edit, "expect": None}, "`expect` takes a text, not None"),
        ("memory_edit", None, "`old_string` is missing"),
        ("memory_forget", {}, "there is no tool `memory_forget`; there are: memory_read, "),
        ("call", {"name": "memory_list"}, "there is no tool `call`"),
    ]

    async def scenario(client: Client) -> list[types.CallToolResult]:
        return [await client.call_tool(name, arguments) for name, arguments, _ in calls]

    for result, (_, _, words) in zip(talk(memory, scenario), calls, strict=True):
        assert code_of(result) == "invalid_argument"
        assert words in text_of(result)
    assert (memory.root / PATH).read_text() == DECISION


def test_an_unknown_tool_is_answered_with_all_that_there_are(memory: Memory) -> None:
    async def scenario(client: Client) -> tuple[list[str], str]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        return names, text_of(await client.call_tool("extract_end", {}))

    names, said = talk(memory, scenario)
    assert said == f"there is no tool `extract_end`; there are: {', '.join(names)}"


class TestResources:
    def test_records_are_listed_and_read_as_they_stand(self, memory: Memory) -> None:
        texts = {
            "memory/summary.md": SUMMARY,
            "knowledge/use-sqlite.md": KNOWLEDGE.replace("\n", "\r\n"),
            PATH: "\ufeff" + DECISION.replace("Body.\n", "# 決定\nno line end"),
        }
        for path, text in texts.items():
            memory.write(path, text)

        async def scenario(client: Client) -> tuple[list[types.Resource], list[Any], Any]:
            listed = (await client.list_resources()).resources
            read = [(await client.read_resource(each.uri)).contents[0] for each in listed]
            return listed, read, await client.list_resource_templates()

        listed, read, templates = talk(memory, scenario)
        assert [each.uri for each in listed] == [
            "yoimem://record/memory/summary.md",
            "yoimem://record/knowledge/use-sqlite.md",
            f"yoimem://record/{PATH}",
        ]
        assert [each.description for each in listed] == ["Body.", "What there is to know.", "決定"]
        assert {each.mime_type for each in (*listed, *read)} == {"text/markdown"}
        assert [content.text for content in read] == list(texts.values())
        assert [each.uri_template for each in templates.resource_templates] == [TEMPLATE]

    def test_the_path_is_completed(self, memory: Memory) -> None:
        for number in range(120):
            memory.write(f"memory/requests/r{number:03}.md", DECISION)
        memory.write(PATH, DECISION)
        memory.write("memory/_staging/secret.md", DECISION)
        ours = types.ResourceTemplateReference(uri=TEMPLATE)
        other = types.ResourceTemplateReference(uri="file:///{path}")

        async def scenario(client: Client) -> tuple[list[types.Completion], list[int]]:
            found = [
                (await client.complete(ours, {"name": "path", "value": value})).completion
                for value in ("memory/de", "memory/", "memory/_", "nowhere")
            ]
            refused = []
            for ref, name in ((other, "path"), (ours, "slug")):
                with pytest.raises(MCPError) as error:
                    await client.complete(ref, {"name": name, "value": ""})
                refused.append(error.value.code)
            return found, refused

        (one, many, reserved, none), refused = talk(memory, scenario)
        assert (one.values, one.total, one.has_more) == ([PATH], 1, False)
        assert (len(many.values), many.total, many.has_more) == (100, 121, True)
        assert (reserved.values, none.values) == ([], [])
        assert refused == [types.INVALID_PARAMS, types.INVALID_PARAMS]

    def test_what_is_no_record_is_refused(self, memory: Memory, tmp_path: Path) -> None:
        memory.write("memory/_logs/audit.jsonl", "{}\n")
        memory.write("memory/_staging/a.md", DECISION)
        (tmp_path / "secret.md").write_text("secret")
        (memory.root / "memory" / "decisions").mkdir()
        (memory.root / "memory/decisions/link.md").symlink_to(tmp_path / "secret.md")
        codes = {
            "yoimem://record/memory/_logs/audit.jsonl": "denied",
            "yoimem://record/memory/_staging/a.md": "denied",
            "yoimem://record/memory/decisions/link.md": "denied",
            "yoimem://record/README.md": "denied",
            "yoimem://record/../secret.md": "invalid_argument",
            "yoimem://record/memory/decisions/%2e%2e/%2E%2E/../secret.md": "invalid_argument",
            "yoimem://record/memory%5Cdecisions%5Ca.md": "invalid_argument",
            "yoimem://record//etc/passwd": "invalid_argument",
            "yoimem://record/memory/decisions/a%00.md": "invalid_argument",
            "yoimem://record/": "invalid_argument",
            "yoimem://record/memory/decisions/nowhere.md": "not_found",
            "file:///etc/passwd": "not_found",
        }

        async def scenario(client: Client) -> dict[str, str]:
            found = {}
            for uri in codes:
                with pytest.raises(MCPError) as error:
                    await client.read_resource(uri)
                assert "secret" not in error.value.message.replace("secret.md", "")
                found[uri] = error.value.data["yoimem/code"]
            return found

        assert talk(memory, scenario) == codes

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
    def test_bytes_that_are_no_utf8_are_escaped(self, memory: Memory) -> None:
        memory.write("memory/decisions/caf\udce9.md", DECISION)
        memory.write(PATH, DECISION.replace("Body", "B\udce9dy"))
        edit = {"path": PATH, "old_string": "open", "new_string": "resolved"}

        async def scenario(client: Client) -> tuple[str, list[str], Any, types.CallToolResult]:
            listed = text_of(await client.call_tool("memory_list", {}))
            names = [each.name for each in (await client.list_resources()).resources]
            (content,) = (await client.read_resource(f"yoimem://record/{PATH}")).contents
            return listed, names, content, await client.call_tool("memory_edit", edit)

        listed, names, content, refused = talk(memory, scenario)
        assert "memory/decisions/caf\\udce9.md" in listed
        assert names == ["memory/decisions/caf\\udce9.md", PATH]
        assert content.text == DECISION.replace("Body", "B\\xe9dy")
        assert code_of(refused) == "invalid_argument"
        assert "FM011" in text_of(refused)


def test_two_clients_lose_no_acknowledged_edit(memory: Memory) -> None:
    memory.write(PATH, DECISION)

    async def append(client: Client, line: str) -> int:
        """Add `line` to the record, as often as it takes; return how many conflicts it met."""
        for conflicts in range(50):
            stored = (memory.root / PATH).read_text()
            arguments = {
                "path": PATH,
                "content": f"{stored}{line}\n",
                "mode": "update",
                "expect": sha256(stored),
            }
            result = await client.call_tool("memory_write", arguments)
            if code_of(result) is None:
                return conflicts
            assert code_of(result) == "conflict"
        raise AssertionError("no edit got through")

    async def run() -> None:
        async def work(name: str) -> None:
            for number in range(6):
                await append(clients[name], f"- {name}{number}")

        async with client(memory) as one, client(memory) as two:
            clients = {"one": one, "two": two}
            async with anyio.create_task_group() as group:
                for name in clients:
                    group.start_soon(work, name)

    anyio.run(run)
    lines = (memory.root / PATH).read_text().splitlines()
    added = [line for line in lines if line.startswith("- ")]
    assert sorted(added) == sorted(f"- {name}{n}" for name in ("one", "two") for n in range(6))


def test_the_server_answers_while_a_tool_waits(memory: Memory) -> None:
    async def scenario(client: Client) -> tuple[bool, types.CallToolResult]:
        results = []

        async def write() -> None:
            call = {"path": PATH, "content": DECISION}
            results.append(await client.call_tool("memory_write", call))

        async with anyio.create_task_group() as group:
            with Writer(memory.root).locked():
                group.start_soon(write)
                await anyio.sleep(0.1)
                await client.list_tools(cache_mode="refresh")
                was_waiting = not results
        return was_waiting, results[0]

    was_waiting, result = talk(memory, scenario)
    assert was_waiting
    assert code_of(result) is None


PLUGIN = """\
import atexit, os, subprocess, sys, threading
from yoimem import RecordRule, RuleMeta, Severity, hookimpl

def noise(where):
    print(f"print {where}, redirected: {sys.stdout is sys.stderr}")
    os.write(1, f"descriptor {where}\\n".encode())
    sys.__stdout__.write(f"stream {where}\\n")
    subprocess.run([sys.executable, "-S", "-c", f"print('child {where}')"])

noise("import")
atexit.register(noise, "end")

class Noisy(RecordRule):
    meta = RuleMeta("NOISE001", "noisy", Severity.ERROR, "1.0")

    def check(self, record, ctx):
        noise("rule")
        thread = threading.Thread(target=noise, args=("thread",))
        thread.start()
        thread.join()
        return []

@hookimpl
def yoimem_register_rules():
    noise("hook")
    return [Noisy]
"""


def install(site: Path, name: str, code: str) -> None:
    """Make a distribution with one plugin in the folder `site`."""
    information = site / f"{name}-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[yoimem]\n{name} = {name}\n")
    (site / f"{name}.py").write_text(code)


def request(number: int, method: str, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode() + b"\n"


HANDSHAKE = request(
    1,
    "initialize",
    protocolVersion="2025-11-25",
    capabilities={},
    clientInfo={"name": "test", "version": "1"},
)


@contextmanager
def process(memory: Memory, *arguments: str, **environ: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server, and see to it that it ends."""
    with subprocess.Popen(
        [*COMMAND, *arguments], cwd=memory.workspace, env={**os.environ, **environ},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as started:  # fmt: skip
        try:
            yield started
        finally:
            started.kill()


def send(server: subprocess.Popen[bytes], message: bytes) -> None:
    assert server.stdin is not None
    server.stdin.write(message)
    server.stdin.flush()


def ask(server: subprocess.Popen[bytes], message: bytes) -> Any:
    assert server.stdout is not None
    send(server, message)
    return json.loads(server.stdout.readline())


def test_what_a_plugin_prints_never_reaches_the_host(memory: Memory, tmp_path: Path) -> None:
    install(tmp_path / "site", "noisy", PLUGIN)
    with process(memory, PYTHONPATH=str(tmp_path / "site")) as server:
        assert server.stdout is not None
        ask(server, HANDSHAKE)
        with Writer(memory.root).locked():  # so that both calls are under way at once
            for number, slug in enumerate(("a", "b"), 2):
                write = {"path": f"memory/decisions/{slug}.md", "content": DECISION}
                send(server, request(number, "tools/call", name="memory_write", arguments=write))
            time.sleep(0.2)
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        out, err = server.communicate(timeout=20)
    assert [answer["result"]["isError"] for answer in answers] == [False, False]
    assert (server.returncode, out) == (0, b"")
    heard = set(err.decode().splitlines())
    for where in ("import", "hook", "rule", "thread", "end"):
        assert f"print {where}, redirected: {where != 'end'}" in heard
        assert {f"{how} {where}" for how in ("descriptor", "stream", "child")} <= heard


def test_a_plugin_that_does_not_load_is_told_and_closes_the_gate(
    memory: Memory, tmp_path: Path
) -> None:
    memory.write(PATH, DECISION)
    install(tmp_path / "site", "broken", "1 / 0\n")
    write = {"name": "memory_write", "arguments": {"path": "memory/summary.md", "content": SUMMARY}}
    read = {"name": "memory_read", "arguments": {"path": PATH}}
    with process(memory, PYTHONPATH=str(tmp_path / "site")) as server:
        ask(server, HANDSHAKE)
        refused = ask(server, request(2, "tools/call", **write))["result"]
        shown = ask(server, request(3, "tools/call", **read))["result"]
        _, err = server.communicate(timeout=20)
    assert refused["_meta"]["yoimem/code"] == "internal"
    assert "broken 1.0" in refused["content"][0]["text"]
    assert not (memory.root / "memory/summary.md").exists()
    assert "status: open" in shown["content"][0]["text"]
    assert err.startswith(b"yoimem: ")
    assert b"ZeroDivisionError" in err
    assert b"Traceback" not in err


@pytest.mark.skipif(os.name == "nt", reason="signals are sent in another way there")
def test_an_interrupt_ends_it_at_once(memory: Memory) -> None:
    with process(memory) as server:
        ask(server, HANDSHAKE)
        server.send_signal(signal.SIGINT)
        assert server.wait(5) == 130
        assert server.stderr is not None
        assert server.stderr.read() == b""


def test_a_closed_input_ends_it_without_a_word(memory: Memory) -> None:
    with process(memory) as server:
        answer = ask(server, b"no JSON\n[]\n\n" + HANDSHAKE)
        assert answer["result"]["serverInfo"]["name"] == "yoimem"
        out, err = server.communicate(timeout=20)
        assert (server.returncode, out, err) == (0, b"", b"")


def test_a_host_that_is_gone_is_no_traceback(memory: Memory) -> None:
    with process(memory) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdout.close()
        server.stdin.write(HANDSHAKE)
        server.stdin.close()
        assert server.wait(20) == 0
        assert server.stderr is not None
        assert server.stderr.read() == b""


def test_without_a_memory_it_says_so_and_writes_no_protocol(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", "--root", str(tmp_path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"yoimem: {tmp_path} holds no `.yoi/`")


def test_nobody_can_be_a_human_over_mcp(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--actor", "human"]) == 2
    assert "'human' is not one of 'agent', 'consolidator'" in capsys.readouterr().err


def test_without_the_extra_it_names_the_extra(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    loaded = [name for name in sys.modules if name.startswith("yoimem.interfaces.mcp_server")]
    for name in loaded:
        monkeypatch.delitem(sys.modules, name)
    assert main(["mcp", "--root", str(memory.workspace)]) == 2
    assert "pip install 'yoimem[mcp]'" in capsys.readouterr().err


def test_nothing_else_loads_the_sdk() -> None:
    code = (
        "import sys, yoimem.tools; from yoimem.interfaces.cli.main import main;"
        "main(['mcp', '--help']); print('mcp' in sys.modules, 'anyio' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=20, check=True)
    assert done.stdout.splitlines()[-1] == b"False False"


class TestTheDocument:
    def test_the_command_to_register_works(self, memory: Memory) -> None:
        memory.write(PATH, DECISION)
        (memory.workspace / ".venv").mkdir()
        (memory.workspace / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
        (snippet,) = re.findall(r"```json\n(.*?)```", DOCUMENT, re.DOTALL)
        registered = json.loads(snippet.replace("/path/to/project", str(memory.workspace)))
        command = registered["mcpServers"]["yoimem"]
        assert Path(command["command"]).is_absolute()

        async def run() -> tuple[set[str], str]:
            server = StdioServerParameters(**command, cwd="/")
            async with Client(stdio_client(server)) as client:
                tools = {tool.name for tool in (await client.list_tools()).tools}
                return tools, text_of(await client.call_tool("memory_list", {}))

        tools, listed = anyio.run(run)
        assert set(re.findall(r"^\| `(\w+)` \| [a-z]", DOCUMENT, re.MULTILINE)) == tools
        assert listed == f"{PATH} [open]: Body."

    def test_a_refusal_looks_as_shown(self, memory: Memory) -> None:
        (shown,) = re.findall(r"```text\n(.*?)\n```", DOCUMENT, re.DOTALL)
        bad = "---\nstatus: done\nsources: []\n---\nBody.\n"
        with pytest.raises(MemoryToolError) as refused:
            MemoryTools(memory.root).call("memory_write", {"path": PATH, "content": bad})
        assert refused.value.message == shown

    def test_it_names_every_code(self) -> None:
        (codes,) = re.findall(r"under `yoimem/code`: (.*?)\.", DOCUMENT, re.DOTALL)
        assert set(re.findall(r"`(\w+)`", codes)) == set(get_args(ErrorCode))

    def test_its_options_are_those_of_the_command(self, capsys: pytest.CaptureFixture[str]) -> None:
        main(["mcp", "--help"])
        offered = set(re.findall(r"^  (--[a-z-]+)", capsys.readouterr().out, re.MULTILINE))
        assert set(re.findall(r"^\| `(--[a-z-]+)", DOCUMENT, re.MULTILINE)) == offered
