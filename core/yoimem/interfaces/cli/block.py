"""Texts of records in full: for a terminal made safe to show, for a pipe as they stand."""

import sys

from yoimem.formatters.visible import visible_block
from yoimem.interfaces.cli.output import write


def write_block(text: str) -> None:
    """Write `text`, with a line end behind it where it has none.

    What would act on a terminal is spelled out there. Whoever reads a pipe gets the text itself:
    tabs, and the joiners that some scripts need, are not to be lost in a prompt.
    """
    shown = visible_block(text) if sys.stdout.isatty() else text
    write(shown if shown.endswith("\n") or not shown else f"{shown}\n")
