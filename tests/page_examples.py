"""Running what the pages of `docs` show."""

import re
from pathlib import Path

import pytest

from tests.test_docs import shell
from yoimem.interfaces.cli.main import main

BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""A fenced block: its language, the file that it is to be written to, its text."""


def run_lines(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Run the lines of an example, yoimem's own commands in this process; return what they say."""
    capsys.readouterr()
    printed = ""
    for line in text.splitlines():
        program, *arguments = line.split()
        if program == "yoimem":
            assert main(arguments) == 0, line
            printed += capsys.readouterr().out
        else:
            done = shell(line, folder)
            assert (done.returncode, done.stderr) == (0, ""), line
            printed += done.stdout
    return printed
