"""The consolidator as a model that is called: one conversation, each call through the gate."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from yoimem.pipeline.provider import model_named, run_agent
from yoimem.tools.memory_tools import MemoryTools

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

MODEL_SETTING = "consolidate.model"
_SECONDS_A_REQUEST = 600.0
_MOST_CALLS_A_REQUEST = 1_000

Progress = Callable[[str, Mapping[str, Any]], None]
"""Told of each tool that is called, with its arguments."""


def converse(
    model_name: str,
    instructions: str,
    steps: Iterable[Callable[[], str]],
    tools: MemoryTools,
    most_requests: int,
    told: Progress,
) -> str:
    """Have the model called `model_name` take the `steps`, one after the other, with `tools`.

    A step is what the model is told then. Returns its last answer. A refusal goes back to the
    model: what bounds how often it tries are the `most_requests` requests of all steps together.
    The call blocks; it cannot be made from within a running event loop.

    Raises:
        ModelError: the model cannot be had, or did not come to an end.
    """
    model = model_named(model_name, MODEL_SETTING)
    from pydantic_ai import Agent, UsageLimits  # noqa: PLC0415 - heavy, and an extra
    from pydantic_ai.usage import RunUsage  # noqa: PLC0415

    from yoimem.pipeline.memory_toolset import MemoryToolset  # noqa: PLC0415

    most_refusals = most_requests * _MOST_CALLS_A_REQUEST
    agent = Agent(
        model,
        deps_type=type(None),
        instructions=instructions,
        toolsets=[MemoryToolset(tools, told, most_refusals)],
        retries=most_refusals,
    )
    history: list[ModelMessage] = []
    usage, said = RunUsage(), ""
    for step in steps:
        result = run_agent(
            agent,
            step(),
            message_history=history,
            usage=usage,
            usage_limits=UsageLimits(request_limit=most_requests),
            model_settings={"timeout": _SECONDS_A_REQUEST},
        )
        history, said = result.all_messages(), result.output
    return said
