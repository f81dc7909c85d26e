"""The consolidator's work for a host's own agent: a run between two tool calls (section 13)."""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from yoimem.lint.config import Config
from yoimem.lint.plugin import Plugins
from yoimem.pipeline.run import LostRunError, Run, begin_run, clear_up
from yoimem.pipeline.run_lock import RunHeldError, run_lock
from yoimem.pipeline.run_report import report_text
from yoimem.pipeline.staging import Staging
from yoimem.tools.definitions import Argument, ToolDefinition, definition_of
from yoimem.tools.errors import MemoryToolError
from yoimem.tools.memory_tools import MemoryTools
from yoimem.tools.recall import Clock, utc_now
from yoimem.tools.requirements import as_tool_errors
from yoimem.workspace.layout import Root

_HOW_TO_END = """\
# How this run ends

Take both steps, then call consolidate_finish: what was staged is then consumed. With
`give_up: true` it stays staged, and the changes that you made stay too.
"""
_DEFINITIONS = (
    ToolDefinition(
        "consolidate_begin",
        "Begin to consolidate the memory: bring what is staged into the records, then tidy them."
        " Returns what to do and all that it takes. The memory tools are the consolidator's until"
        " consolidate_finish ends the run, and each change then names its `reasons`. Nobody else"
        " consolidates meanwhile.",
        (),
    ),
    ToolDefinition(
        "consolidate_finish",
        "End the run that consolidate_begin began: what it took in is consumed. Returns what was"
        " changed, and why.",
        (
            Argument(
                "give_up",
                "boolean",
                "Consume nothing: everything stays staged for another run.",
            ),
        ),
    ),
)


class ConsolidateTools:
    """The tools with which one session of a host consolidates the memory at `root`."""

    def __init__(
        self, root: Root, config: Config, plugins: Plugins, clock: Clock = utc_now
    ) -> None:
        self.definitions = _DEFINITIONS
        self._root = root
        self._config = config
        self._plugins = plugins
        self._clock = clock
        self._run: Run | None = None
        self._held = ExitStack()

    @property
    def memory(self) -> MemoryTools | None:
        """The memory tools of the run that is open; None while none is."""
        return self._run.tools if self._run else None

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call the tool `name`, and return what the model reads.

        Raises:
            MemoryToolError: the tool is unknown, an argument is wrong, or it refused.
        """
        definition_of(name, self.definitions).check(arguments)
        with as_tool_errors():
            if name == "consolidate_begin":
                return self._begin()
            return self._finish(give_up=arguments.get("give_up", False))

    def close(self) -> None:
        """Let go of a run that is open: what it took in stays staged."""
        self._run = None
        self._held.close()

    def _begin(self) -> str:
        if self._run is not None:
            raise MemoryToolError(
                "invalid_argument",
                f"run {self._run.note.run} is open: end it with consolidate_finish first",
            )
        try:
            lock = self._held.enter_context(run_lock(self._root.path))
        except RunHeldError as error:
            raise MemoryToolError("busy", str(error)) from error
        try:
            clear_up(lock, Staging(self._root.path))
            run = begin_run(lock, self._root, self._config, self._plugins, self._clock)
            material = run.material
            parts = [material.instructions, material.integrate(), material.tidy(), _HOW_TO_END]
        except BaseException:
            self.close()
            raise
        self._run = run
        return "\n".join(parts)

    def _finish(self, *, give_up: bool) -> str:
        run = self._run
        if run is None:
            raise MemoryToolError(
                "invalid_argument", "no run is open: consolidate_begin begins one"
            )
        try:
            if give_up:
                return report_text(run.give_up("it was given up"))
            if run.tools.is_exceeded:
                return report_text(run.give_up(run.tools.bound))
            return report_text(run.finish())
        except LostRunError as error:
            raise MemoryToolError("conflict", str(error)) from error
        finally:
            self.close()
