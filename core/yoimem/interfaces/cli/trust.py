"""`yoimem trust`: lets the doors that stay open run the plugins of a workspace."""

from pathlib import Path

import click

from yoimem.interfaces.cli.output import write
from yoimem.lint.config import load_config
from yoimem.lint.local_plugins import LocalPlugin, LocalPluginError, find_local_plugin
from yoimem.lint.trust import TrustError, keep_trust, trusted_hashes
from yoimem.workspace.layout import find_root


@click.command(
    name="trust", short_help="Let the long-running doors run the plugins of a workspace."
)
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--revoke", is_flag=True, help="Trust no longer what is at PATH or below it.")
@click.option("--list", "show", is_flag=True, help="List all that is trusted, and change nothing.")
def command(path: Path | None, revoke: bool, show: bool) -> int:
    """Trust the `local-plugins` of this workspace, or those at PATH, as they stand now.

    `yoimem mcp`, `agent-hook` and the memory tools stay open while files change, and run a
    plugin of the repository only as somebody trusted it. Look at its code first: it runs with your
    rights. What is trusted is kept in your own folder, by the plugin's place and content.
    """
    if revoke and show:
        raise click.UsageError("--list changes nothing, and --revoke does")
    try:
        if show:
            write("".join(_line(place, sha256) for place, sha256 in trusted_hashes().items()))
        elif revoke:
            _revoke((path or find_root(Path.cwd()).workspace).resolve())
        else:
            _trust(path.resolve() if path else None)
    except (TrustError, LocalPluginError) as error:
        raise click.ClickException(str(error)) from error
    return 0


def _trust(path: Path | None) -> None:
    trusted = {str(plugin.path): plugin.sha256 for plugin in _plugins_at(path)}
    keep_trust({**trusted_hashes(), **trusted})
    write("".join(f"trusted {_line(place, sha256)}" for place, sha256 in trusted.items()))


def _plugins_at(path: Path | None) -> list[LocalPlugin]:
    """Return the local plugins that stand at `path` or below it; all of them here for None."""
    root = find_root(path, environ={}) if path else find_root(Path.cwd())
    place = root.workspace if path in {None, root.path} else path
    names = load_config(root).local_plugins
    plugins = [find_local_plugin(root.workspace, name) for name in names]
    found = [plugin for plugin in plugins if place and plugin.path.is_relative_to(place)]
    if not found:
        listed = ", ".join(names) or "none"
        raise click.ClickException(
            f"there is no local plugin at {place}; `local-plugins` of {root.workspace}"
            f" lists: {listed}"
        )
    return found


def _revoke(path: Path) -> None:
    kept = trusted_hashes()
    gone = [place for place in kept if Path(place).is_relative_to(path)]
    if not gone:
        raise click.ClickException(f"nothing at {path} or below it is trusted")
    keep_trust({place: sha256 for place, sha256 in kept.items() if place not in gone})
    write("".join(f"revoked {place}\n" for place in gone))


def _line(place: str, sha256: str) -> str:
    return f"{place} sha256 {sha256}\n"
