"""The host of the plugins: finds them, loads them, has them collected (design, section 8).

Each step stands alone, and what goes wrong in one plugin is a failure with that plugin's name: it
hides nothing of the others (pluggy's own loader stops at the first import that fails).
"""

from importlib.metadata import entry_points

from yoimem.lint import hookspecs
from yoimem.lint.collector import collect
from yoimem.lint.config import Config, load_config
from yoimem.lint.plugin import FoundPlugin, LoadedPlugin, Plugins, plugin_failure
from yoimem.lint.report import Failure
from yoimem.lint.words import words
from yoimem.workspace.layout import Root


def load_plugins(
    root: Root | None = None, config: Config | None = None, *, trusted_only: bool = False
) -> Plugins:
    """Find, load and collect every installed plugin, and those that the workspace of `root` holds.

    `config` is read where it is not given. A door that stays open asks for `trusted_only`: it runs
    no code of the repository but what a person trusted (`yoimem trust`).

    Raises:
        ConfigError: the configuration cannot be used, or requires a plugin that is not there.
    """
    settings = config or (load_config(root) if root else Config())
    installed = find_plugins()
    if settings.required_plugins:
        from yoimem.lint.required import require_plugins  # noqa: PLC0415 - few need it

        require_plugins(settings, installed)
    loaded: list[LoadedPlugin] = []
    failures: list[Failure] = []
    for found in installed:
        plugin = _load(found)
        if isinstance(plugin, Failure):
            failures.append(plugin)
        else:
            loaded.append(plugin)
    if root is not None and settings.local_plugins:
        from yoimem.lint.local_plugins import load_local_plugins  # noqa: PLC0415 - few need it

        local, faults = load_local_plugins(root, settings, trusted_only=trusted_only)
        loaded += local
        failures += faults
    return collect(loaded, failures)


def find_plugins() -> list[FoundPlugin]:
    """List the entry points of the group `yoimem`, yoimem's own first, then by distribution."""
    found: dict[tuple[str, str, str], FoundPlugin] = {}
    for entry_point in entry_points(group=hookspecs.PROJECT):
        name = entry_point.dist.name if entry_point.dist else ""
        version = entry_point.dist.version if entry_point.dist else ""
        key = (name, entry_point.name, entry_point.value)
        found.setdefault(key, FoundPlugin(entry_point, name, version))
    return [found[key] for key in sorted(found, key=lambda key: (key[0] != "yoimem", key))]


def _load(found: FoundPlugin) -> LoadedPlugin | Failure:
    try:
        return LoadedPlugin(found.label, found.entry_point.load())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a module raises, also to leave the process
        return plugin_failure(
            found.label, f"{found.entry_point.value} does not load: {words(error)}"
        )
