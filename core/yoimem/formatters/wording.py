"""Words that several formats share."""

from yoimem.formatters.visible import visible, visible_block
from yoimem.lint.report import Diagnostic, Failure


def origin(failure: Failure) -> str:
    """Name what failed, and its plugin: `rule ACME001 (acme 1.0)`."""
    if not failure.plugin or failure.plugin in failure.where:
        return visible(failure.where)
    return visible(f"{failure.where} ({failure.plugin})")


def location(failure: Failure, prefix: str) -> str:
    """Name what failed, and the record that was being judged, if one was."""
    if failure.path is None:
        return origin(failure)
    return f"{origin(failure)} in {visible(prefix + failure.path)}"


def explanation(diagnostic: Diagnostic) -> str:
    """Return the message and, from a line of its own, the help."""
    message = visible(diagnostic.message)
    if not diagnostic.help:
        return message
    return f"{message}\nhelp: {visible_block(diagnostic.help)}"
