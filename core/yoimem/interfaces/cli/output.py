"""Writing to the terminal, or to what stands in its place."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress

import click

_STDOUT, _STDERR = 1, 2
_CLOSED = {errno.EPIPE, errno.EINVAL, errno.ESHUTDOWN}


def prepare_streams() -> None:
    """Escape what the terminal's encoding lacks, rather than fail."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the descriptor was closed before the start
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Write `text` to standard output; a reader that has gone away loses nothing but the text."""
    with _readers_may_leave():
        sys.stdout.write(text)
        sys.stdout.flush()


def write_bytes(data: bytes) -> None:
    """Write `data` to standard output as it stands."""
    with _readers_may_leave():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()


@contextmanager
def _readers_may_leave() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # What is still buffered would raise again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno not in _CLOSED:
            raise


@contextmanager
def off_stdout() -> Iterator[None]:
    """Send to standard error what plugins print meanwhile: standard output is the command's.

    Also what they write to the descriptor itself, or let a child process write.
    """
    with redirect_stdout(sys.stderr), _descriptor_off_stdout():
        yield


@contextmanager
def _descriptor_off_stdout() -> Iterator[None]:
    try:
        kept = os.dup(_STDOUT)
    except OSError:  # it was closed before the start
        yield
        return
    try:
        os.dup2(_STDERR, _STDOUT)
        yield
    finally:
        os.dup2(kept, _STDOUT)
        os.close(kept)


def fail(message: str) -> None:
    """Say on standard error why there is no verdict."""
    with suppress(OSError):  # nobody reads it any more
        click.echo(f"yoimem: {message}", err=True)


def wants_colour() -> bool:
    """Tell whether standard output is a terminal that takes colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
