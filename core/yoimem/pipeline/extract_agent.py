"""Asking a model for the activity of a session: it calls one tool, whose arguments are judged."""

from typing import Any

from yoimem.pipeline.activity import ACTIVITY_SCHEMA, Activity, ActivityError, parse_activity
from yoimem.pipeline.extract import Stretch, instructions, stretch_text
from yoimem.pipeline.provider import model_named, run_agent

MODEL_SETTING = "extract.model"
_RETRIES = 3
_SECONDS_A_REQUEST = 300.0


def ask_model(model_name: str, stretch: Stretch) -> Activity:
    """Return what the model called `model_name` finds in `stretch`.

    What does not fit the schema is asked for again, with every fault named, three times at most.
    The call blocks; it cannot be made from within a running event loop.

    Raises:
        ModelError: the model cannot be had, or gave no answer that fits.
    """
    model = model_named(model_name, MODEL_SETTING)
    from pydantic_ai import Agent, ModelRetry, StructuredDict, ToolOutput, UsageLimits  # noqa: PLC0415

    answer = StructuredDict(dict(ACTIVITY_SCHEMA), name="activity")
    agent = Agent(
        model,
        output_type=ToolOutput(answer, name="submit_activity", description="Submit the activity."),
        instructions=instructions(),
        retries=_RETRIES,
    )

    @agent.output_validator
    def judge(value: dict[str, Any]) -> dict[str, Any]:
        try:
            parse_activity(value)
        except ActivityError as error:
            raise ModelRetry(f"submit the whole activity again, mended:\n{error}") from error
        return value

    result = run_agent(
        agent,
        stretch_text(stretch),
        usage_limits=UsageLimits(request_limit=1 + _RETRIES),
        model_settings={"timeout": _SECONDS_A_REQUEST},
    )
    return parse_activity(result.output)
