"""What a plugin is on its way in: found, loaded, and what all of them handed in."""

import traceback
from dataclasses import dataclass
from importlib.metadata import EntryPoint

from yoimem.lint.formatter import Formatter
from yoimem.lint.report import Failure
from yoimem.lint.rule import Rule, RuleMeta
from yoimem.lint.session_reader import SessionReader
from yoimem.records.kinds import Kinds


@dataclass(frozen=True, slots=True)
class FoundPlugin:
    """An entry point of the group `yoimem`, with the distribution it came from."""

    entry_point: EntryPoint
    distribution: str
    version: str

    @property
    def label(self) -> str:
        """How reports name the plugin: distribution and version."""
        return f"{self.distribution} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class LoadedPlugin:
    """A plugin whose module (or object with hooks) is there; `label` names it in reports."""

    label: str
    module: object


@dataclass(frozen=True, slots=True)
class RegisteredRule:
    """A rule class and the plugin that handed it in."""

    rule: type[Rule]
    plugin: str

    @property
    def meta(self) -> RuleMeta:
        """What is fixed about the rule."""
        return self.rule.meta

    @property
    def words(self) -> tuple[str, ...]:
        """All that the rule may be called by."""
        return (self.meta.code, self.meta.name, *self.meta.aliases)


@dataclass(frozen=True)
class Plugins:
    """All that the plugins handed in, and what kept some of it out."""

    rules: tuple[RegisteredRule, ...]
    kinds: Kinds
    formatters: dict[str, Formatter]
    session_readers: dict[str, SessionReader]
    failures: tuple[Failure, ...]


def plugin_failure(label: str, message: str) -> Failure:
    """Make the failure of the plugin `label`, with the traceback of what is being handled."""
    trace = traceback.format_exc()
    known = "" if trace.startswith("NoneType") else trace
    return Failure(where=f"plugin {label}", plugin=label, message=message, traceback=known)
