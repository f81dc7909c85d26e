"""The model that a setting names, and what is said when it cannot be had."""

import sys

import pytest

from tests.pipeline.provider import MODEL, ScriptedProvider, failure, text, tools
from yoimem.pipeline.provider import ModelError, model_named, run_agent

SETTING = "extract.model"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "no model is set: `extract.model` takes one"),
        ("gpt-5-mini", "`extract.model` is `gpt-5-mini`, and a model is named provider:model"),
        ("test", "named provider:model, like openai:gpt-5-mini"),
        ("openai:", "named provider:model"),
        ("nowhere:gpt", "the model `nowhere:gpt` cannot be used"),
        ("openai:gpt-5-mini", "needs a key: set the environment variable OPENAI_API_KEY"),
        ("anthropic:claude-haiku-4-5", "set the environment variable ANTHROPIC_API_KEY"),
    ],
)
def test_a_model_that_cannot_be_had(name: str, words: str) -> None:
    with pytest.raises(ModelError) as caught:
        model_named(name, SETTING)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("OPENAI_BASE_URL", "http://[::1", "Invalid port"),
        ("OPENAI_BASE_URL", "garbage", "missing an 'http://'"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1", "All connection attempts failed"),
        ("OPENAI_API_KEY", "schlüssel", "can't encode character"),
        ("OPENAI_API_KEY", "secret\nkey", "Illegal header value b'Bearer …'"),
    ],
)
def test_an_environment_that_cannot_be_used(
    name: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pydantic_ai import Agent

    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    with ScriptedProvider() as provider:
        for each, its in {**provider.environ, name: value}.items():
            monkeypatch.setenv(each, its)
        with pytest.raises(ModelError) as caught:
            run_agent(Agent(model_named(MODEL, SETTING)), "hello")
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_provider_whose_package_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "k")
    monkeypatch.setitem(sys.modules, "groq", None)
    with pytest.raises(ModelError, match=r"pip install 'pydantic-ai-slim\[groq\]'"):
        model_named("groq:llama", SETTING)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    monkeypatch.setitem(sys.modules, "pydantic_ai.models", None)
    with pytest.raises(ModelError, match=r"pip install 'yoimem\[llm\]'"):
        model_named("openai:gpt-5-mini", SETTING)


def test_the_library_is_not_imported_before_it_is_used() -> None:
    import subprocess

    code = "import sys, yoimem.pipeline, yoimem.pipeline.extract_agent; print([m for m in "
    code += "('pydantic_ai', 'openai', 'sqlite3', 'mcp', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_scripted_provider_answers_in_order_and_then_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pydantic_ai import Agent

    script = [tools(("add", {"a": 1, "b": 2})), lambda _: text("three"), failure(503)]
    with ScriptedProvider(script) as provider:
        for name, value in provider.environ.items():
            monkeypatch.setenv(name, value)
        agent = Agent(model_named(MODEL, SETTING))
        added: list[int] = []

        @agent.tool_plain
        def add(a: int, b: int) -> int:
            added.append(a + b)
            return a + b

        assert run_agent(agent, "What is 1 + 2?").output == "three"
        with pytest.raises(ModelError, match="status 503"):
            run_agent(agent, "And now?")
        assert run_agent(agent, "And now?").output == "done"
    assert added == [3]
    assert provider.requests[1]["messages"][-1]["content"] == "3"
