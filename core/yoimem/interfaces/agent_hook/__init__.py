"""What a host asks around its agent's work, as hooks (design, section 10).

A write that cannot be judged is not let through. Every other event lets the host go on, whatever
happens here.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from yoimem.interfaces.agent_hook.after_tool import AFTER, READ_TOOL, after_tool
from yoimem.interfaces.agent_hook.answer import BLOCK, Answer, refused
from yoimem.interfaces.agent_hook.call import Call, parse
from yoimem.interfaces.agent_hook.session import PROMPT, START, prompt_submit, session_start
from yoimem.interfaces.agent_hook.turns import COMPACT, STOP, before_compaction, turn_end
from yoimem.interfaces.agent_hook.write_guard import (
    BEFORE,
    SERVER,
    WRITE_TOOLS,
    before_tool,
    may_be_a_write,
)

__all__ = [
    "AFTER",
    "BEFORE",
    "BLOCK",
    "COMPACT",
    "PROMPT",
    "READ_TOOL",
    "SERVER",
    "START",
    "STOP",
    "WRITE_TOOLS",
    "Answer",
    "answer",
    "refused",
]

_Handler = Callable[[Call, Path | None, Mapping[str, str]], Answer]
_HANDLERS: Mapping[str, _Handler] = {
    BEFORE: before_tool,
    AFTER: after_tool,
    START: session_start,
    PROMPT: prompt_submit,
    STOP: turn_end,
    COMPACT: before_compaction,
}


def answer(
    raw: bytes, named: Path | None = None, environ: Mapping[str, str] = os.environ
) -> Answer:
    """Answer the hook whose JSON is `raw`; `named` is the root, where the hook is told one."""
    try:
        call = parse(raw)
        handle = _HANDLERS.get(call.event)
        return handle(call, named, environ) if handle else Answer()
    except BaseException as error:  # whatever it is, it is no permission to write
        reason = f"{type(error).__name__}: {error}"
        if not may_be_a_write(raw):
            return Answer(note=f"the hook could not do its work: {reason}")
        return refused(reason)
