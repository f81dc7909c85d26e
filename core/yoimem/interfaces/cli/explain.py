"""`yoimem explain`: shows the page of a rule."""

import click

from yoimem.interfaces.cli.failures import tell_failures
from yoimem.interfaces.cli.here import workspace_plugins
from yoimem.interfaces.cli.output import off_stdout, write
from yoimem.lint.declared import with_declared
from yoimem.lint.host import load_plugins
from yoimem.lint.pages import page_text
from yoimem.lint.plugin import Plugins, RegisteredRule
from yoimem.lint.words import did_you_mean


@click.command(name="explain", short_help="Show the page of a rule.")
@click.argument("rule")
def command(rule: str) -> int:
    """Show what RULE (a code or a name) finds, why, and how to mend it."""
    with off_stdout():
        plugins = load_plugins()
        found = _find(rule, plugins)
        if found is None:  # only then does the workspace matter, which may be broken
            config, loaded = workspace_plugins()
            plugins = with_declared(loaded, config)
            found = _find(rule, plugins)
    if found is not None:
        write(page_text(found.rule))
        return 0
    tell_failures(plugins)
    known = [word for r in plugins.rules for word in (r.meta.code, r.meta.name)]
    raise click.ClickException(f"there is no rule `{rule}`{did_you_mean(rule, known)}")


def _find(word: str, plugins: Plugins) -> RegisteredRule | None:
    words = {word.upper(), word.lower()}
    return next((found for found in plugins.rules if words.intersection(found.words)), None)
