"""The model: any that pydantic-ai names, made when it is needed, its errors put into plain words.

The library is an extra (`yoimem[llm]`), and heavy: nothing here imports it before it is used.
"""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from yoimem.lint.words import words

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.exceptions import ModelHTTPError
    from pydantic_ai.models import Model
    from pydantic_ai.run import AgentRunResult

Output = TypeVar("Output")
_KEY = re.compile(r"`([A-Z][A-Z0-9_]+)` environment variable")
_PACKAGE = re.compile(r'pip install "([^"]+)"')
_SECRET = re.compile(r"Bearer [^']*")
_LONGEST_BODY = 300
_EXAMPLE = "named provider:model, like openai:gpt-5-mini"


class ModelError(Exception):
    """A model that cannot be had, or gave no answer; the message says why, and the way on."""


def model_named(name: str, setting: str) -> "Model":
    """Return the model that pydantic-ai calls `name`; `setting` is where the name was set.

    Raises:
        ModelError: none is set, there is no such model, or what it needs is not there: the extra,
            the provider's package, its key.
    """
    if not name:
        raise ModelError(f"no model is set: `{setting}` takes one, {_EXAMPLE}")
    try:
        from pydantic_ai.models import infer_model  # noqa: PLC0415 - heavy, and an extra
    except ImportError as error:
        raise ModelError("a model needs the extra `llm`: pip install 'yoimem[llm]'") from error
    provider, _, model = name.partition(":")
    if not provider or not model:
        raise ModelError(f"`{setting}` is `{name}`, and a model is {_EXAMPLE}")
    try:
        return infer_model(name)
    except ImportError as error:
        package = _PACKAGE.search(str(error))
        mend = f": pip install '{package[1]}'" if package else f": {error}"
        raise ModelError(f"the model `{name}` needs a package that is not there{mend}") from error
    except Exception as error:  # whatever the provider's package makes of the environment
        raise ModelError(_unusable(name, str(error))) from error


def run_agent(agent: "Agent[None, Output]", text: str, **options: Any) -> "AgentRunResult[Output]":
    """Give `text` to `agent`, let it work to its end, and close what it opened.

    `options` are those of the library's `Agent.run`. The call blocks; it cannot be made from within
    a running event loop.

    Raises:
        ModelError: what `model_errors` makes of its errors.
    """

    async def run() -> "AgentRunResult[Output]":
        async with agent:
            return await agent.run(text, **options)

    import pydantic_ai  # noqa: PLC0415 - heavy, and an extra

    pydantic_ai.BANNER_ENABLED = False  # what a terminal shows is yoimem's own
    with model_errors():
        return asyncio.run(run())


@contextmanager
def model_errors() -> Iterator[None]:
    """Turn what the library raises while a model works into `ModelError`.

    Raises:
        ModelError: the provider refused or could not be reached, the model gave no answer that
            fits, or a bound of the run was reached.
    """
    from pydantic_ai.exceptions import (  # noqa: PLC0415 - heavy, and an extra
        AgentRunError,
        ModelAPIError,
        ModelHTTPError,
        UserError,
    )

    try:
        yield
    except ModelHTTPError as error:
        raise ModelError(_refused(error)) from error
    except ModelAPIError as error:
        raise ModelError(
            f"the provider of `{error.model_name}` gave no answer: {_reason(error)}"
        ) from error
    except (AgentRunError, UserError, UnicodeError) as error:  # a key may hold any character
        raise ModelError(f"the model did not do what was asked: {_reason(error)}") from error


def _unusable(name: str, why: str) -> str:
    keys = _KEY.findall(why)
    if keys:
        return f"the model `{name}` needs a key: set the environment variable {' or '.join(keys)}"
    return f"the model `{name}` cannot be used: {why}; a model is {_EXAMPLE}"


def _refused(error: "ModelHTTPError") -> str:
    mend = {
        401: "; its key is not the right one",
        403: "; its key does not allow this",
        404: "; there may be no model of this name",
        429: "; too much was asked of it, try again later",
    }
    body = error.body
    said = body.get("message", body) if isinstance(body, dict) else body
    what = f": {' '.join(str(said).split())[:_LONGEST_BODY]}" if said else ""
    status = error.status_code
    return (
        f"the provider of `{error.model_name}` answered with status {status}"
        f"{mend.get(status, '')}{what}"
    )


def _reason(error: Exception) -> str:
    """Return what `error` says, with the cause where it says more: a refused connection."""
    causes, cause = [words(error)], error.__cause__
    while isinstance(cause, Exception):
        causes.append(words(cause))
        cause = cause.__cause__
    told = " ".join(": ".join(dict.fromkeys(causes)).split())
    return _SECRET.sub("Bearer …", told)[:_LONGEST_BODY]
