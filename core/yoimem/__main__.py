"""`python -m yoimem` is the `yoimem` command."""

from yoimem.interfaces.cli.main import run

run()
