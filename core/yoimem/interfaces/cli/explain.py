"""`yoimem explain`: shows the page of a rule."""

import click

from yoimem.interfaces.cli.output import write
from yoimem.lint.host import load_plugins
from yoimem.lint.pages import page_text
from yoimem.lint.words import did_you_mean


@click.command(name="explain", short_help="Show the page of a rule.")
@click.argument("rule")
def command(rule: str) -> int:
    """Show what RULE (a code or a name) finds, why, and how to mend it."""
    plugins = load_plugins()
    for registered in plugins.rules:
        meta = registered.meta
        if rule.upper() == meta.code or rule.lower() in (meta.name, *meta.aliases):
            write(page_text(registered.rule))
            return 0
    known = [word for r in plugins.rules for word in (r.meta.code, r.meta.name)]
    raise click.ClickException(f"there is no rule `{rule}`{did_you_mean(rule, known)}")
