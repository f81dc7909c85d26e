"""Hands the session readers that yoimem brings along to the host, like any plugin's."""

from yoimem.lint.hookspecs import hookimpl
from yoimem.lint.session_reader import SessionReader
from yoimem.sessions.claude_code import ClaudeCodeReader
from yoimem.sessions.codex import CodexReader
from yoimem.sessions.own import OwnReader


@hookimpl
def yoimem_register_session_readers() -> tuple[SessionReader, ...]:
    """Return the built-in readers."""
    return OwnReader(), ClaudeCodeReader(), CodexReader()
