"""`required-plugins`: plugins without which nothing may be judged (design, section 7)."""

from collections.abc import Iterable

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from yoimem.lint.config import Config
from yoimem.lint.errors import ConfigError
from yoimem.lint.plugin import FoundPlugin


def require_plugins(config: Config, found: Iterable[FoundPlugin]) -> None:
    """Hold the plugins that were `found` against those that `config` requires.

    Raises:
        ConfigError: a plugin is missing or of another version; the message names what is there.
    """
    there = {canonicalize_name(plugin.distribution): plugin for plugin in found}
    wanted = [_requirement(config, text) for text in config.required_plugins]
    missing = [
        requirement
        for requirement in wanted
        if (requirement.marker is None or requirement.marker.evaluate())
        and not _fits(there.get(canonicalize_name(requirement.name)), requirement.specifier)
    ]
    if missing:
        names = ", ".join(f"`{requirement}`" for requirement in missing)
        labels = ", ".join(sorted(plugin.label for plugin in there.values())) or "none"
        raise ConfigError(
            f"{config.label}: `required-plugins` asks for {names}, and the plugins that are"
            f" installed are: {labels}; install what is asked for, then run it again"
        )


def _requirement(config: Config, text: str) -> Requirement:
    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        raise ConfigError(
            f"{config.label}: `required-plugins`: `{text}` is no requirement like"
            f" `acme-rules>=1.2`: {str(error).splitlines()[0]}"
        ) from error
    if requirement.url:
        raise ConfigError(
            f"{config.label}: `required-plugins`: `{text}` names an address, and only a name with"
            " versions can be held against what is installed"
        )
    return requirement


def _fits(plugin: FoundPlugin | None, wanted: SpecifierSet) -> bool:
    if plugin is None:
        return False
    try:
        return wanted.contains(plugin.version, prereleases=True)
    except InvalidVersion:
        return False
