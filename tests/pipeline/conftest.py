"""What the tests of the pipeline share: a provider, a memory with a model, a session's log."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Memory
from tests.pipeline.provider import MODEL, ScriptedProvider, Step
from yoimem.workspace.layout import Root

CONFIG = f"""\
[extract]
model = "{MODEL}"
threshold = 1000
[consolidate]
model = "{MODEL}"
"""


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ScriptedProvider]]:
    """Return what starts a provider with a script, and leads the provider code to it."""
    with ExitStack() as stack:

        def start(*steps: Step) -> ScriptedProvider:
            provider = stack.enter_context(ScriptedProvider(steps))
            for name, value in provider.environ.items():
                monkeypatch.setenv(name, value)
            return provider

        yield start


@pytest.fixture(autouse=True)
def _no_root_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("YOIMEM_ROOT", raising=False)


@pytest.fixture
def root(memory: Memory) -> Root:
    """Return a memory whose configuration names the scripted model."""
    (memory.workspace / "yoimem.toml").write_text(CONFIG)
    return Root(memory.root.resolve(), memory.workspace.resolve())


class Session:
    """A session whose log is in yoimem's own format, to be added to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = path.stem

    def say(self, text: str, *, tokens: int = 0, role: str = "user") -> None:
        self._append({"type": "message", "role": role, "text": text, "input_tokens": tokens})

    def tear(self) -> None:
        """Leave the beginning of a line, as a host that is writing it does."""
        with self.path.open("a") as file:
            file.write('{"type": "mess')

    def _append(self, value: dict[str, Any]) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(value) + "\n")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Return a session with three entries that spent 1,500 tokens."""
    logs = tmp_path / "logs"
    logs.mkdir()
    session = Session(logs / "session-1.jsonl")
    session.say("Keep orders in SQLite, please.")
    session.say("Done: orders.db it is.", role="assistant", tokens=1_500)
    session.say("Thanks.")
    return session
