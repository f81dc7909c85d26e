"""When a turn ends, and before a session is compacted: its activity is extracted (section 13)."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from yoimem.interfaces.agent_hook.answer import Answer
from yoimem.interfaces.agent_hook.call import Call, roots_of
from yoimem.workspace.folder import open_folder
from yoimem.workspace.layout import Root

STOP, COMPACT = "Stop", "PreCompact"
_LOGS, _LOG = ("memory", "_logs"), "after-turn.log"
_MOST_BYTES = 1 << 20
"""A log that is longer is begun anew: a model that always fails must not fill the disk."""


def turn_end(call: Call, named: Path | None, environ: Mapping[str, str]) -> Answer:
    """Begin what follows a turn, in the background: the host does not wait for a model."""
    if call.transcript:
        for root in roots_of(call, (), named, environ):
            _start(root, call)
    return Answer()


def before_compaction(call: Call, named: Path | None, environ: Mapping[str, str]) -> Answer:
    """Finish a due extract: a compaction rearranges what it would point into."""
    from yoimem.pipeline import before_compaction as finish  # noqa: PLC0415 - rarely asked for

    if not call.transcript:
        return Answer()
    roots = roots_of(call, (), named, environ)
    results = [finish(root, Path(call.transcript), session_id=call.session) for root in roots]
    return Answer(note="; ".join(result.error for result in results if result.error))


def _start(root: Root, call: Call) -> None:
    session = ("--session-id", call.session) if call.session else ()
    # `-P`: the folder that an agent works in must not be searched for modules.
    command = (sys.executable, "-P", "-m", "yoimem", "extract", "--after-turn")
    where = ("--root", str(root.path), *session, "--", call.transcript)
    with open_folder(root.path, _LOGS, create=True) as folder, folder.open_end(_LOG) as log:
        if os.fstat(log.fileno()).st_size > _MOST_BYTES:
            log.truncate(0)
        subprocess.Popen(
            (*command, *where),
            cwd=root.workspace,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
        )
