"""A hostile agent of a host that consolidates: the SDK's own client against a real server."""

import pytest
from mcp import Client

from tests.conftest import Memory
from tests.interfaces.test_mcp import talk, text_of
from tests.pipeline.test_hostile import ATTACKS, MOST, TREE, USE
from tests.pipeline.tree import records, spend, stage, staged_ids, use, write
from yoimem import lint
from yoimem.workspace.layout import Root


@pytest.fixture
def tree(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Root:
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)
    (memory.workspace / "yoimem.toml").write_text(f"[consolidate]\nmax-iterations = {MOST}\n")
    root = Root(memory.root.resolve(), memory.workspace.resolve())
    write(root, TREE)
    stage(root, "s1")
    use(root, "knowledge/release.md")
    spend(root)
    return root


def test_every_attack_is_refused_and_two_hundred_calls_are_bounded(
    memory: Memory, tree: Root
) -> None:
    before, staged = records(tree), staged_ids(tree)
    # Whatever a client sends is an object of JSON: what is malformed never reaches a tool.
    attacks = [attack for attack in ATTACKS if isinstance(attack.call[1], dict)]

    async def scenario(client: Client) -> tuple[list[str], list[bool], str]:
        await client.call_tool("consolidate_begin", {})
        refused = []
        for attack in attacks:
            name, arguments = attack.call
            assert isinstance(arguments, dict)
            result = await client.call_tool(name, arguments)
            assert result.is_error, attack
            refused.append(text_of(result))
        reads = [await client.call_tool("memory_read", {"path": USE}) for _ in range(200)]
        finished = await client.call_tool("consolidate_finish", {})
        return refused, [read.is_error for read in reads], text_of(finished)

    refused, are_errors, finished = talk(memory, scenario)
    for attack, answer in zip(attacks, refused, strict=True):
        assert attack.word in answer, (attack, answer)
    answered = MOST - len(attacks)
    assert are_errors == [False] * answered + [True] * (200 - answered)
    assert "max-iterations" in finished
    assert records(tree) == before
    assert staged_ids(tree) == staged
    assert lint(tree).errors == ()
