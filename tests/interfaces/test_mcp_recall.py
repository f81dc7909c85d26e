"""Recall and the pipeline over MCP, judged by what the SDK's own client gets from a real process."""

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, types

from tests.conftest import DECISION, KNOWLEDGE, SUMMARY, WORKFLOW, Memory
from tests.interfaces.test_mcp import PATH, TEMPLATE, client, code_of, talk, text_of
from tests.sessions.transcripts import READERS
from yoimem import lint
from yoimem.interfaces.mcp_server.completion import completions
from yoimem.sessions.known import SESSIONS_PATH, remember
from yoimem.sessions.log import open_log
from yoimem.tools import MemoryTools
from yoimem.tools.recall import Recall

SQLITE = KNOWLEDGE.replace("Body.", "One file on disk is enough for us.")


@pytest.fixture(autouse=True)
def _no_other_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)


def filled(memory: Memory) -> Memory:
    memory.write("memory/summary.md", SUMMARY)
    memory.write(PATH, DECISION.replace("Body.", "保存先は SQLite にした。"))
    memory.write("knowledge/use-sqlite.md", SQLITE)
    memory.write("workflow/release.md", WORKFLOW)
    return memory


def test_what_is_kept_is_found_again(memory: Memory) -> None:
    async def scenario(client: Client) -> list[str]:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("memory_search", {"query": "保存"}),
            ("knowledge_search", {"query": "files on disks"}),
            ("knowledge_search", {"slug": "use-sqlite"}),
            ("memory_search", {"query": "nowhere to be found"}),
        ]
        return [text_of(await client.call_tool(name, given)) for name, given in calls]

    japanese, english, named, nothing = talk(filled(memory), scenario, "--session-id", "s1")
    assert PATH in japanese
    assert "保存先は SQLite にした。" in japanese
    assert english.startswith("knowledge/use-sqlite.md:")
    assert "One file on disk is enough for us." in named
    assert nothing == "nothing was found"
    events = Recall(memory.root)._log.history().events
    assert [(e.type, e.session, e.records[0].path) for e in events] == [
        ("invoke", "s1", "knowledge/use-sqlite.md")
    ]


def test_without_a_session_each_server_is_one_of_its_own(memory: Memory) -> None:
    async def scenario(client: Client) -> None:
        for _ in range(2):
            await client.call_tool("knowledge_search", {"slug": "use-sqlite"})
        await client.call_tool("memory_write", {"path": PATH, "content": text, "mode": "create"})

    filled(memory)
    text = (memory.root / PATH).read_text()
    for _ in range(2):
        (memory.root / PATH).unlink()
        talk(memory, scenario)
    sessions = [event.session for event in Recall(memory.root)._log.history().events]
    assert sessions[0] == sessions[1] != sessions[2] == sessions[3]
    lines = (memory.root / "memory/_logs/audit.jsonl").read_text().splitlines()
    written = [json.loads(line)["session"] for line in lines]
    assert list(dict.fromkeys(written)) == list(dict.fromkeys(sessions))
    use = Recall(memory.root).usage().uses["knowledge/use-sqlite.md"]
    assert (use.invokes, use.sessions) == (2, 2)


def test_an_empty_query_is_refused_with_the_way_to_mend_it(memory: Memory) -> None:
    async def scenario(client: Client) -> types.CallToolResult:
        return await client.call_tool("memory_search", {"query": "  "})

    result = talk(filled(memory), scenario)
    assert code_of(result) == "invalid_argument"
    assert "slug" in text_of(result)


def test_slugs_paths_and_sessions_are_completed(memory: Memory) -> None:
    async def complete(client: Client, ref: Any, name: str, begun: str) -> list[str]:
        done = await client.complete(ref, {"name": name, "value": begun})
        return done.completion.values

    async def scenario(client: Client) -> tuple[list[str], ...]:
        prompt = types.PromptReference(name="recall")
        extract = types.PromptReference(name="extract")
        record = types.ResourceTemplateReference(uri=TEMPLATE)
        return (
            await complete(client, prompt, "slug", "#use"),
            await complete(client, prompt, "slug", "/rel"),
            await complete(client, record, "path", "memory/"),
            await complete(client, extract, "session", "s"),
            await complete(client, extract, "session", "s8"),
        )

    for name in ("s7", "s8", "t1"):
        path = session_log(memory, name)
        remember(memory.root, open_log(path, READERS))
    assert talk(filled(memory), scenario) == (
        ["#use-sqlite"],
        ["/release"],
        [PATH, "memory/summary.md"],
        ["s8", "s7"],
        ["s8"],
    )


def test_sessions_that_cannot_be_read_are_not_completed(memory: Memory) -> None:
    (memory.root / "memory/_logs").mkdir()
    (memory.root / SESSIONS_PATH).symlink_to(session_log(memory))
    asked = types.CompleteRequestParams(
        ref=types.PromptReference(name="extract"),
        argument=types.CompletionArgument(name="session", value=""),
    )
    assert completions(MemoryTools(memory.root), asked).completion.values == []


def test_a_person_picks_a_prompt(memory: Memory) -> None:
    async def scenario(client: Client) -> tuple[list[str], str]:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        got = await client.get_prompt("recall", {"slug": "use-sqlite"})
        with pytest.raises(MCPError, match="no-such-slug"):
            await client.get_prompt("recall", {"slug": "no-such-slug"})
        for given in ({}, {"slug": " "}):
            with pytest.raises(MCPError, match="the argument `slug` is missing"):
                await client.get_prompt("recall", given)
        for name in ("extract", "consolidate"):
            assert f"{name}_begin" in str(await client.get_prompt(name))
        named = str(await client.get_prompt("extract", {"session": "/logs/s7.jsonl"}))
        assert "Call extract_begin with the session `/logs/s7.jsonl`" in named
        (message,) = got.messages
        assert isinstance(message.content, types.TextContent)
        return names, message.content.text

    names, text = talk(filled(memory), scenario)
    assert names == ["recall", "extract", "consolidate"]
    assert "One file on disk is enough for us." in text


def session_log(memory: Memory, name: str = "s7") -> Path:
    path = memory.workspace / f"{name}.jsonl"
    lines = [
        {"type": "message", "role": "user", "text": "Store orders in SQLite, please."},
        {"type": "message", "role": "assistant", "text": "Done.", "input_tokens": 40_000},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_hosts_own_agent_takes_a_session_to_a_record(memory: Memory) -> None:
    request = {"intent": "keep orders", "target": "storage", "summary": "Store orders in SQLite."}
    activity = {"decisions": [], "discussions": [], "attempts": [], "requests": [request]}
    record = """\
---
created_at: 2026-01-10T09:00:00Z
updated_at: 2026-01-10T09:00:00Z
sources:
  - {session_id: s7, range: [0, 1]}
---
Orders are to be stored in SQLite.
"""
    changed: list[str] = []

    async def note(message: Any) -> None:
        changed.append(type(message).__name__)

    async def run() -> list[str]:
        said: list[str] = []
        connected = client(filled(memory))
        connected.message_handler = note
        async with connected as host:

            async def call(name: str, **given: Any) -> types.CallToolResult:
                result = await host.call_tool(name, given)
                said.append(text_of(result))
                return result

            await call("extract_begin", session=str(session_log(memory)))
            await call("extract_submit", activity=json.dumps(activity))
            await call("consolidate_begin")
            tools = {tool.name: tool for tool in (await host.list_tools()).tools}
            assert "reasons" in tools["memory_write"].input_schema["required"]
            path = "memory/requests/store-orders.md"
            invented = record.replace("[0, 1]", "[0, 9]")
            refused = await call("memory_write", path=path, content=invented, reasons=["integrate"])
            assert code_of(refused) == "invalid_argument"
            await call("memory_write", path=path, content=record, reasons=["integrate"])
            await call("consolidate_finish")
            tools = {tool.name: tool for tool in (await host.list_tools()).tools}
            assert "reasons" not in tools["memory_write"].input_schema["properties"]
        return said

    said = anyio.run(run)
    assert "Store orders in SQLite, please." in said[0]
    assert '"session_id": "s7"' in said[2]
    assert "PL002" in said[3]
    assert "memory/requests/store-orders.md" in said[5]
    assert lint(memory.root).errors == ()
    assert list((memory.root / "memory/_staging").glob("*.json")) == []
    assert "s7" in (memory.root / "memory/requests/store-orders.md").read_text()
