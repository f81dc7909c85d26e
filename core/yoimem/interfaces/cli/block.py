"""Texts of records in full: for a terminal made safe to show, for a pipe as they stand."""

import sys

from yoimem.formatters.visible import visible_block
from yoimem.interfaces.cli.output import write, write_bytes


def write_block(text: str) -> None:
    """Write `text`, with a line end behind it where it has none.

    What would act on a terminal is spelled out there. Whoever reads a pipe gets the text itself, in
    UTF-8: tabs, the joiners that some scripts need, and bytes that are none of UTF-8.
    """
    if sys.stdout.isatty():
        write(_ended(visible_block(text)))
    else:
        write_bytes(_ended(text).encode("utf-8", "surrogateescape"))


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else f"{text}\n"
