"""The tables of a configuration that set how the parts above the rules behave (section 7)."""

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Literal, cast, get_args

SearchOrder = Literal["relevance", "file"]


@dataclass(frozen=True)
class ToolSettings:
    """How the agent's tools behave: `lock_timeout` is in seconds."""

    stamp_times: bool = True
    lock_timeout: float = 10.0
    max_read_lines: int = 2_000

    def __post_init__(self) -> None:
        if not isfinite(self.lock_timeout):
            raise ValueError(
                "the option `lock-timeout` must be a number of seconds, so that no"
                " writer waits for ever"
            )
        if self.max_read_lines < 1:
            raise ValueError("the option `max-read-lines` must be 1 or more")


@dataclass(frozen=True)
class SearchSettings:
    """How records are searched.

    `limit` is how many hits are returned, `context_lines` how many lines an excerpt shows before
    and after a match. `order` is `relevance` or `file`. `index` is the folder of the index, empty
    for the user's cache folder.
    """

    limit: int = 20
    context_lines: int = 3
    order: str = "relevance"
    index: str = ""

    def __post_init__(self) -> None:
        if self.order not in get_args(SearchOrder):
            known = ", ".join(get_args(SearchOrder))
            raise ValueError(f"the option `order` takes {known}, not `{self.order}`")
        if self.limit < 1:
            raise ValueError("the option `limit` must be 1 or more")
        if not _is_place(self.index):
            raise ValueError(f"the option `index` takes a folder, not {self.index!r}")

    @property
    def default_order(self) -> SearchOrder:
        """The order of hits, where none is asked for."""
        return cast("SearchOrder", self.order)


@dataclass(frozen=True)
class UsageSettings:
    """What counts as used (seed 003, "使用頻度メトリクス" and "判断ルール").

    `candidate` and `protect` are invokes per million tokens, `candidate_sessions` is from how many
    sessions they must come. `min_window` is the shortest stretch, in tokens, that a frequency is
    taken over, `max_invokes` how many of the last invokes it looks at.
    """

    candidate: float = 1.0
    candidate_sessions: int = 2
    protect: float = 1.0
    min_window: int = 100_000
    max_invokes: int = 10

    def __post_init__(self) -> None:
        for name in ("candidate", "protect"):
            if not isfinite(getattr(self, name)):
                raise ValueError(f"the option `{name}` must be a number of invokes")
        for name in ("min_window", "max_invokes"):
            if getattr(self, name) < 1:
                raise ValueError(f"the option `{name.replace('_', '-')}` must be 1 or more")


@dataclass(frozen=True)
class ResidentSettings:
    """What is injected into every session: `budget` is in estimated tokens, 0 for no bound."""

    budget: int = 0
    summary: bool = True


@dataclass(frozen=True)
class ExtractSettings:
    """When and by which model a session's activity is extracted.

    `threshold` is in input tokens since the last extract, 0 switches it off. `model` is named as
    the provider's library does, like `openai:gpt-5-mini`.
    """

    model: str = ""
    threshold: int = 30_000


@dataclass(frozen=True)
class ConsolidateSettings:
    """When and by which model staged activity becomes records.

    A run is due at `files` staged files or `bytes` bytes of them. `max_iterations` bounds the
    requests to the model. While `cold_start` is on, new knowledge may come from any staged source.
    """

    model: str = ""
    files: int = 50
    bytes: int = 1 << 20
    max_iterations: int = 100
    cold_start: bool = False

    def __post_init__(self) -> None:
        for name in ("files", "bytes", "max_iterations"):
            if getattr(self, name) < 1:
                raise ValueError(f"the option `{name.replace('_', '-')}` must be 1 or more")


def _is_place(folder: str) -> bool:
    """Tell whether `folder` can be the name of one: `~name` is none where nobody is called so."""
    try:
        Path(folder).expanduser()
    except RuntimeError:
        return False
    return "\0" not in folder
