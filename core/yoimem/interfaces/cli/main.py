"""The `yoimem` command: finds the subcommand, turns what went wrong into a message and a code.

Exit codes (design, section 9): 0 no errors; 1 errors; 2 could not judge; 130 interrupted.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from yoimem.interfaces.cli.output import fail, prepare_streams

COULD_NOT_JUDGE = 2
INTERRUPTED = 130

COMMANDS = {
    "agent-hook": "Answer a hook of an agent's host.",
    "candidates": "List the records that are used enough to become knowledge.",
    "check": "Judge the records of a memory.",
    "complete": "Complete the slug that begins with `#` or `/`.",
    "consolidate": "Bring what is staged into the records.",
    "expand": "Add the records that a text names as `#slug` or `/slug`.",
    "explain": "Show the page of a rule.",
    "extract": "Stage what happened in a session.",
    "init": "Begin a memory, with first records that pass.",
    "mcp": "Serve the memory tools to an MCP host, over stdio.",
    "new-plugin": "Begin a plugin of your own, with rules that pass.",
    "offers": "Show the workflows that a model offers; accept or reject them.",
    "resident": "Show the block that every session begins with.",
    "rules": "List all rules: plugin, severity, on or off.",
    "search": "Search the records.",
    "show": "Show a record by its slug or path.",
    "sources": "Show the session entries that a record came from.",
    "staging": "List what is staged, or show one entry.",
    "trust": "Let the long-running doors run the plugins of a workspace.",
    "usage": "Show how much records are used, and what they cost.",
}
"""The subcommands and their short help; the module of each is imported when it is called."""


class _LazyGroup(click.Group):
    """Imports a subcommand only when it is asked for, so that `yoimem check` starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        command: click.Command = import_module(f"yoimem.interfaces.cli.{module}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="yoimem", message="%(prog)s %(version)s")
def cli() -> None:
    """Keep the memory of a coding agent in the repository, and judge every record of it."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line `args` (those of the process when None) and return the exit code."""
    prepare_streams()
    try:
        return _run(args)
    except click.ClickException as error:
        with suppress(OSError):  # nobody reads it any more
            error.show()
        return COULD_NOT_JUDGE
    except SystemExit:
        # click's own end when nobody reads the help that it prints; else a plugin's doing.
        return 0 if _asks_for_help(args) else COULD_NOT_JUDGE
    except (click.Abort, KeyboardInterrupt):
        fail("interrupted")
        return INTERRUPTED
    except Exception as error:
        if not _is_the_users(error):
            raise
        fail(str(error))
        return COULD_NOT_JUDGE


def run() -> None:
    """Be the process: run the command line and exit."""
    sys.exit(main())


def _run(args: Sequence[str] | None) -> int:
    result: Any = cli.main(
        args=None if args is None else list(args), prog_name="yoimem", standalone_mode=False
    )
    return result if isinstance(result, int) else 0


def _asks_for_help(args: Sequence[str] | None) -> bool:
    given = sys.argv[1:] if args is None else args
    return not given or any(word in {"-h", "--help", "--version"} for word in given)


def _is_the_users(error: Exception) -> bool:
    """Tell whether `error` is one that its message mends."""
    from yoimem.lint.errors import ConfigError  # noqa: PLC0415 - help and version need none of it
    from yoimem.workspace.layout import RootNotFoundError  # noqa: PLC0415
    from yoimem.workspace.targets import TargetError  # noqa: PLC0415

    return isinstance(error, ConfigError | RootNotFoundError | TargetError | OSError)
