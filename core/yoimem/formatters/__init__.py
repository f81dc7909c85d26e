"""The output formats that yoimem brings along; plugins may add more."""

from yoimem.formatters.concise import ConciseFormatter
from yoimem.formatters.github import GithubFormatter
from yoimem.formatters.json_format import JsonFormatter
from yoimem.formatters.junit import JunitFormatter
from yoimem.formatters.sarif import SarifFormatter
from yoimem.formatters.text import TextFormatter
from yoimem.lint.formatter import Formatter

BUILTIN: tuple[Formatter, ...] = (
    TextFormatter(),
    ConciseFormatter(),
    JsonFormatter(),
    GithubFormatter(),
    SarifFormatter(),
    JunitFormatter(),
)
"""One formatter of each kind, `text` first."""
