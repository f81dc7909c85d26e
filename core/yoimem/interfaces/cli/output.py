"""Writing to the terminal, or to what stands in its place."""

import errno
import os
import sys

import click

_CLOSED = {errno.EPIPE, errno.EINVAL, errno.ESHUTDOWN}


def prepare_streams() -> None:
    """Escape what the terminal's encoding lacks, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Write `text` to standard output; a reader that has gone away loses nothing but the text."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # What is still buffered would raise again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno not in _CLOSED:
            raise


def fail(message: str) -> None:
    """Say on standard error why there is no verdict."""
    click.echo(f"yoimem: {message}", err=True)


def wants_colour() -> bool:
    """Tell whether standard output is a terminal that takes colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
