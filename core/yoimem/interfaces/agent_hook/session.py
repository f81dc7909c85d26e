"""When a session starts and when a person asks: what the memory has to say to it (section 12)."""

from collections.abc import Mapping
from pathlib import Path

from yoimem.interfaces.agent_hook.answer import Answer, context
from yoimem.interfaces.agent_hook.call import Call, roots_of
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
    found = [recall.expand(call.prompt).added for recall in _recalls(call, named, environ)]
    return context(PROMPT, "\n\n".join(text for text in found if text))


def _recalls(call: Call, named: Path | None, environ: Mapping[str, str]) -> list[Recall]:
    return [
        Recall(root, actor="agent", session_id=call.session)
        for root in roots_of(call, (), named, environ)
    ]
