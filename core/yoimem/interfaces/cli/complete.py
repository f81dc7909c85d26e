"""`yoimem complete`: completes a slug that is begun."""

import json
from pathlib import Path

import click

from yoimem.formatters.visible import visible
from yoimem.interfaces.cli.failures import tell_failures
from yoimem.interfaces.cli.output import off_stdout, write
from yoimem.tools.recall import Recall
from yoimem.workspace.layout import find_root

_VERSION = 1
_NOTHING = 1


@click.command(name="complete", short_help="Complete the slug that begins with `#` or `/`.")
@click.argument("prefix")
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(prefix: str, root: Path | None, output_format: str) -> int:
    """List what PREFIX may become, each with its description: `#pre` knowledge, `/pre` a workflow.

    Slugs that begin so come first, then those that hold it. What users cannot call is left out.
    Exit code: 0, or 1 when there is nothing.
    """
    with off_stdout():
        recall = Recall(find_root(Path.cwd(), given=root))
        tell_failures(recall.plugins)
        found = recall.complete(prefix)
    if output_format == "json":
        listed = [
            {"slug": each.slug, "typed": each.typed, "description": each.description}
            for each in found
        ]
        content = {"version": _VERSION, "completions": listed}
        write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    else:
        write("".join(f"{each.typed}  {visible(each.description)}\n" for each in found))
    return 0 if found else _NOTHING
