"""Telling what kept a plugin from being loaded."""

from yoimem.formatters.visible import visible
from yoimem.interfaces.cli.output import fail
from yoimem.lint.plugin import Plugins


def tell_failures(plugins: Plugins) -> None:
    """Say on standard error which of `plugins` did not load: what they add is missing."""
    for failure in plugins.failures:
        fail(visible(f"{failure.where}: {failure.message}"))
