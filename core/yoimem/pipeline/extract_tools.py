"""The tools by which a host's own agent extracts a session: the same entries, lock and schema."""

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from yoimem.lint.plugin import Plugins
from yoimem.pipeline.activity import ACTIVITY_SCHEMA, ActivityError, parse_activity
from yoimem.pipeline.extract import Stretch, instructions, keep, opener, stretch_of, stretch_text
from yoimem.pipeline.prompt import render
from yoimem.pipeline.staging import Staging
from yoimem.sessions.known import remember
from yoimem.sessions.log import SessionError
from yoimem.tools.definitions import Argument, ToolDefinition, definition_of
from yoimem.tools.errors import MemoryToolError
from yoimem.tools.requirements import as_tool_errors
from yoimem.workspace.layout import Root

_MOST_FAILURES = 5
_BEGIN = ToolDefinition(
    "extract_begin",
    "Begin to extract what happened in a session since the last time. The answer says what to do,"
    " and holds the entries to read; hand the result in with extract_submit.",
    (Argument("session", "string", "The id of the session, or the path of its log.", True),),
    read_only=True,
)
_SUBMIT = ToolDefinition(
    "extract_submit",
    "Hand in the activity that was found in the entries of extract_begin. It is staged, and the"
    " session counts as extracted up to there.",
    (Argument("activity", "string", "The activity, as a JSON text of the schema.", True),),
)


@dataclass(slots=True)
class _Run:
    """An extract that is under way: its `right` to the session goes when it is closed."""

    stretch: Stretch
    right: ExitStack
    failures: int = 0


class ExtractTools:
    """The tools `extract_begin` and `extract_submit` of one host.

    Between the two no one else extracts the session; the right to it goes when this process ends,
    with `close`, and when what was handed in was wrong five times.
    """

    definitions: tuple[ToolDefinition, ...] = (_BEGIN, _SUBMIT)

    def __init__(self, root: Root, plugins: Plugins) -> None:
        self._root = root
        self._readers = plugins.session_readers
        self._staging = Staging(root.path)
        self._run: _Run | None = None

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call the tool `name`, and return what the model reads.

        Raises:
            MemoryToolError: an argument is wrong, or the tool refused; the message says everything.
        """
        definition_of(name, self.definitions).check(arguments)
        with as_tool_errors():
            if name == _BEGIN.name:
                return self._begin(arguments["session"])
            return self._submit(arguments["activity"])

    def close(self) -> None:
        """Let go of the extract that is under way, if one is: nothing is staged."""
        if self._run is not None:
            self._run.right.close()
            self._run = None

    def _begin(self, session: str) -> str:
        self.close()
        try:
            reopen = opener(session, self._root, self._readers)
            log = reopen()
            remember(self._root.path, log)
            with ExitStack() as right:
                if not right.enter_context(self._staging.in_flight(log.session_id)):
                    raise MemoryToolError(
                        "busy", "another extract of this session is at work; it takes these entries"
                    )
                stretch = stretch_of(reopen(), self._staging)
                if not stretch.entries:
                    return "nothing is new since the last extract: there is nothing to submit"
                self._run = _Run(stretch, right.pop_all())
        except SessionError as error:
            raise MemoryToolError("not_found", str(error)) from error
        note = f"{stretch.note}\n\n" if stretch.note else ""
        schema = json.dumps(ACTIVITY_SCHEMA, ensure_ascii=False)
        places = {"instructions": instructions(), "schema": schema, "text": stretch_text(stretch)}
        return note + render("extract_by_agent", **places)

    def _submit(self, text: str) -> str:
        run = self._run
        if run is None:
            raise MemoryToolError("invalid_argument", "no extract is under way: call extract_begin")
        try:
            activity = parse_activity(_json(text))
        except ActivityError as error:
            raise self._refusal(run, error) from error
        try:
            entry = keep(run.stretch, activity, self._staging)
        except SessionError as error:
            raise MemoryToolError("internal", str(error)) from error
        finally:
            self.close()
        return f"staged as {entry.id}" if entry else "nothing was staged, as there was nothing"

    def _refusal(self, run: _Run, error: ActivityError) -> MemoryToolError:
        run.failures += 1
        left = _MOST_FAILURES - run.failures
        if left:
            retry = f"submit the whole activity again, mended; {left} more tries are left"
        else:
            self.close()
            retry = "this was the last try: the extract is given up, and nothing was lost"
        return MemoryToolError("invalid_argument", f"nothing was staged:\n{error}\n{retry}")


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ActivityError([f"`activity` is no JSON: {error}"]) from error
