"""After a tool: what was read is noted, and what was changed past the memory tools is told."""

from collections.abc import Mapping
from pathlib import Path

from yoimem.interfaces.agent_hook.answer import Answer, as_json
from yoimem.interfaces.agent_hook.call import Call, roots_of
from yoimem.interfaces.agent_hook.write_guard import SERVER
from yoimem.lint.api import lint
from yoimem.lint.host import load_plugins
from yoimem.lint.report import Report
from yoimem.tools.errors import violation
from yoimem.workspace.layout import Root
from yoimem.workspace.unexplained import unexplained_records

AFTER = "PostToolUse"
_MOST_VIOLATIONS = 20
_CHANGED_PAST_THE_TOOLS = (
    "records of the memory were changed past the memory tools, and break its rules:"
)
_MEND = (
    f"Mend all of them with memory_edit or memory_write of the MCP server `{SERVER}`, and change"
    " records through its tools only."
)


def after_tool(call: Call, named: Path | None, environ: Mapping[str, str]) -> Answer:
    """Give back to the model what is wrong with records that were changed past the tools."""
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
