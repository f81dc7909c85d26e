"""A library of a memory that a test has filled."""

from tests.conftest import KNOWLEDGE, WORKFLOW, Memory
from yoimem.recall.library import Library
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.workspace.store import Store

OFFERED = KNOWLEDGE.replace("model_invokation: false", "model_invokation: true")
HIDDEN = KNOWLEDGE.replace("user_invocable: true", "user_invocable: false")
BROKEN = KNOWLEDGE.replace("kind: guide", "kind: [")


def library_of(memory: Memory) -> Library:
    kinds = Kinds()
    return Library(Store(memory.root.resolve()), kinds, Reader(kinds))


def knowledge(body: str, description: str = "What there is to know.", base: str = KNOWLEDGE) -> str:
    """Return a knowledge record."""
    return base.replace("Body.", body).replace("What there is to know.", description)


def workflow(body: str, *requires: str, more: str = "") -> str:
    """Return a workflow; `more` are further lines of its frontmatter."""
    fields = f"requires: [{', '.join(requires)}]\n{more}"
    return WORKFLOW.replace("Make a release.\n", f"Make a release.\n{fields}").replace(
        "1. Tag.", body
    )
