"""What holds in the folder in which a command is called."""

import os
from pathlib import Path

from yoimem.lint.config import Config, load_config
from yoimem.lint.host import load_plugins
from yoimem.lint.plugin import Plugins
from yoimem.workspace.layout import ROOT_VARIABLE, RootNotFoundError, find_root


def workspace_plugins() -> tuple[Config, Plugins]:
    """Return the configuration of the memory here and its plugins; the defaults if there is none.

    Raises:
        RootNotFoundError: the environment names a root, and there is none.
        ConfigError: the configuration cannot be used.
    """
    try:
        root = find_root(Path.cwd())
    except RootNotFoundError:
        if os.environ.get(ROOT_VARIABLE):
            raise
        return Config(), load_plugins()
    config = load_config(root)
    return config, load_plugins(root, config)
