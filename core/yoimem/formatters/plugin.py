"""Hands the output formats that yoimem brings along to the host, like any plugin's."""

from yoimem.formatters import BUILTIN
from yoimem.lint.formatter import Formatter
from yoimem.lint.hookspecs import hookimpl


@hookimpl
def yoimem_register_formatters() -> tuple[Formatter, ...]:
    """Return the built-in formatters."""
    return BUILTIN
