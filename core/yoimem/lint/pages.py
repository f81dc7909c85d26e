"""The pages of rules: Markdown beside each rule's module, for people."""

import inspect
from pathlib import Path

from yoimem.lint.rule import Rule


def page_path(rule: type[Rule]) -> Path:
    """Return where the page of `rule` stands: beside its module, with the module's name."""
    return Path(inspect.getfile(rule)).with_suffix(".md")


def page_text(rule: type[Rule]) -> str:
    """Return the page of `rule`, or what its docstring says when it has no page."""
    path = page_path(rule)
    if path.is_file():
        return path.read_text(encoding="utf-8")
    meta = rule.meta
    return f"# {meta.code} {meta.name}\n\n{inspect.cleandoc(rule.__doc__ or '')}".rstrip() + "\n"
