"""After a tool: what was read is noted, and what was changed past the memory tools is told."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from yoimem.interfaces.agent_hook.answer import Answer, as_json
from yoimem.interfaces.agent_hook.call import Call, as_host_takes_it, member, roots_of
from yoimem.interfaces.agent_hook.write_guard import SERVER
from yoimem.lint.api import lint
from yoimem.lint.host import load_plugins
from yoimem.lint.report import Report
from yoimem.tools.errors import violation
from yoimem.tools.recall import Recall
from yoimem.workspace.layout import Root
from yoimem.workspace.unexplained import unexplained_records

AFTER = "PostToolUse"
READ_TOOL = "Read"
"""The host's own tool that reads files; its argument is `file_path`."""
_MOST_VIOLATIONS = 20
_CHANGED_PAST_THE_TOOLS = (
    "records of the memory were changed past the memory tools, and break its rules:"
)
_MEND = (
    f"Mend all of them with memory_edit or memory_write of the MCP server `{SERVER}`, and change"
    " records through its tools only."
)


def after_tool(call: Call, named: Path | None, environ: Mapping[str, str]) -> Answer:
    """Note a record that was read; else tell the model what was wrongly changed past the tools."""
    if call.tool == READ_TOOL:
        _note_read(call, named, environ)
        return Answer()
    reports = [_judge(root) for root in roots_of(call, (), named, environ)]
    failures = dict.fromkeys(failure for report in reports for failure in report.failures)
    note = "; ".join(f"{failure.where}: {failure.message}" for failure in failures)
    lines = [violation(error) for report in reports for error in report.errors]
    if not lines:
        return Answer(note=note)
    left_out = len(lines) - _MOST_VIOLATIONS
    more = [f"- and {left_out} more: `yoimem check` names all"] if left_out > 0 else []
    reason = [_CHANGED_PAST_THE_TOOLS, *lines[:_MOST_VIOLATIONS], *more, _MEND]
    return Answer(output=as_json({"decision": "block", "reason": "\n".join(reason)}), note=note)


def _judge(root: Root) -> Report:
    """Judge the records of `root` that were changed past the tools.

    Where one is gone, whatever names it is wrong now, so that everything is judged.
    """
    plugins = load_plugins(root, trusted_only=True)
    changed = unexplained_records(root.path, plugins.kinds.folders)
    if not changed:
        return Report(str(root.path), (), (), 0)
    is_one_gone = any(record.why == "gone" for record in changed)
    only = None if is_one_gone else {record.path for record in changed}
    return lint(root, only=only, plugins=plugins)


def _note_read(call: Call, named: Path | None, environ: Mapping[str, str]) -> None:
    path = as_host_takes_it(member(call.arguments, "file_path", str), call.folder)
    for root in roots_of(call, [path], named, environ):
        with suppress(ValueError):  # it lies elsewhere
            record = Path(path).resolve().relative_to(root.path).as_posix()
            recall = Recall(root, actor="agent", session_id=call.session)
            recall.note([recall.library.record(record)])
