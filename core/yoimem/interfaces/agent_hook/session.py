"""When a session starts and when a person asks: what the memory has to say to it (section 12)."""

from collections.abc import Mapping
from pathlib import Path

from yoimem.interfaces.agent_hook.answer import Answer, context
from yoimem.interfaces.agent_hook.call import Call, roots_of
from yoimem.recall.references import Expansion
from yoimem.tools.recall import Recall

START, PROMPT = "SessionStart", "UserPromptSubmit"


def session_start(call: Call, named: Path | None, environ: Mapping[str, str]) -> Answer:
    """Give the model what it is always to know."""
    blocks = [recall.resident().text for recall in _recalls(call, named, environ)]
    return context(START, "\n\n".join(block for block in blocks if block))


def prompt_submit(call: Call, named: Path | None, environ: Mapping[str, str]) -> Answer:
    """Give the model the records that a person names with `#slug` or `/slug`."""
    if "#" not in call.prompt and not call.prompt.lstrip().startswith("/"):
        return Answer()
    found = [_given(recall.expand(call.prompt)) for recall in _recalls(call, named, environ)]
    return context(PROMPT, "\n\n".join(text for text in found if text))


def _given(expansion: Expansion) -> str:
    """Return the records that were named, and the names that were likely meant to be others.

    What is near to nothing was no name: `#define` and `/clear` stand in prompts too.
    """
    near = [f"- {note.slug}: {note.why}" for note in expansion.unknown if note.meant]
    not_found = "\n".join(["Not found:", *near]) if near else ""
    return "\n\n".join(filter(None, [expansion.added, not_found]))


def _recalls(call: Call, named: Path | None, environ: Mapping[str, str]) -> list[Recall]:
    return [
        Recall(root, actor="agent", session_id=call.session)
        for root in roots_of(call, (), named, environ)
    ]
