"""The host of the plugins: finds them, loads them, collects what they hand in (design, section 8).

Each step stands alone, and what goes wrong in one plugin is a failure with that plugin's name: it
hides nothing of the others (pluggy's own loader stops at the first import that fails).
"""

import re
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from yoimem.lint import hookspecs
from yoimem.lint.formatter import Formatter
from yoimem.lint.options import options_fault
from yoimem.lint.report import Failure
from yoimem.lint.rule import ProjectRule, RecordRule, Rule, RuleMeta
from yoimem.records.kinds import BUILTIN_KINDS, Kinds, RecordKind

_CODE = re.compile(r"[A-Z]{2,12}[0-9]{3,4}")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


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


@dataclass(frozen=True)
class Plugins:
    """All that the plugins handed in, and what kept some of it out."""

    rules: tuple[RegisteredRule, ...]
    kinds: Kinds
    formatters: dict[str, Formatter]
    failures: tuple[Failure, ...]


def load_plugins() -> Plugins:
    """Find, load and collect every installed plugin."""
    loaded: list[LoadedPlugin] = []
    failures: list[Failure] = []
    for found in find_plugins():
        plugin = _load(found)
        if isinstance(plugin, Failure):
            failures.append(plugin)
        else:
            loaded.append(plugin)
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


def collect(plugins: Iterable[LoadedPlugin], failures: Iterable[Failure] = ()) -> Plugins:
    """Collect what `plugins` hand in; `failures` of earlier steps are handed on."""
    collector = _Collector(list(failures))
    for plugin in plugins:
        collector.register(plugin)
    rules = collector.rules()
    kinds = collector.kinds()
    return Plugins(rules, kinds, collector.formatters(), tuple(collector.failures))


def _load(found: FoundPlugin) -> LoadedPlugin | Failure:
    try:
        return LoadedPlugin(found.label, found.entry_point.load())
    except (Exception, SystemExit) as error:
        return _failure(found.label, f"{found.entry_point.value} does not load: {_words(error)}")


class _Collector:
    """Registers plugins with pluggy and calls each hook implementation on its own."""

    def __init__(self, failures: list[Failure]) -> None:
        self.failures = failures
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._labels: dict[int, str] = {}

    def register(self, plugin: LoadedPlugin) -> None:
        try:
            self._manager.register(plugin.module, name=f"{plugin.label} {id(plugin.module)}")
            self._labels[id(plugin.module)] = plugin.label
            self._manager.check_pending()
        except Exception as error:  # a hook that is unknown or has another signature
            if self._manager.is_registered(plugin.module):
                self._manager.unregister(plugin.module)
            self.failures.append(_failure(plugin.label, _words(error)))

    def rules(self) -> tuple[RegisteredRule, ...]:
        taken: dict[str, RegisteredRule] = {}
        accepted: list[RegisteredRule] = []
        for label, rule in self._handed_in("yoimem_register_rules"):
            fault = _rule_fault(rule)
            if fault:
                self.failures.append(_failure(label, fault))
                continue
            registered = RegisteredRule(rule, label)
            meta = registered.meta
            words = (meta.code, meta.name, *meta.aliases)
            clash = next((word for word in words if word in taken), None)
            if clash is not None:
                self.failures.append(_clash(registered, taken[clash], clash))
                continue
            taken.update(dict.fromkeys(words, registered))
            accepted.append(registered)
        return tuple(sorted(accepted, key=lambda registered: registered.meta.code))

    def kinds(self) -> Kinds:
        kinds = list(BUILTIN_KINDS)
        for label, kind in self._handed_in("yoimem_register_record_kinds"):
            if not isinstance(kind, RecordKind):
                self.failures.append(_failure(label, f"{kind!r} is no record kind"))
            elif any(kind.name == known.name for known in kinds):
                self.failures.append(
                    _failure(label, f"the record kind `{kind.name}` is there already")
                )
            else:
                try:
                    Kinds([*kinds, kind])
                except ValueError as error:
                    self.failures.append(_failure(label, str(error)))
                else:
                    kinds.append(kind)
        return Kinds(kinds)

    def formatters(self) -> dict[str, Formatter]:
        found: dict[str, Formatter] = {}
        for label, formatter in self._handed_in("yoimem_register_formatters"):
            name = getattr(formatter, "name", None)
            if not isinstance(name, str) or not callable(getattr(formatter, "format", None)):
                self.failures.append(_failure(label, f"{formatter!r} is no formatter"))
            elif name in found:
                self.failures.append(_failure(label, f"the format `{name}` is there already"))
            else:
                found[name] = formatter
        return found

    def _handed_in(self, hook: str) -> list[tuple[str, Any]]:
        """Call each implementation of `hook` by itself: one that raises loses no other's."""
        found: list[tuple[str, Any]] = []
        for impl in getattr(self._manager.hook, hook).get_hookimpls():
            label = self._labels[id(impl.plugin)]
            try:
                found += [(label, item) for item in _as_sequence(impl.function, hook)]
            except (Exception, SystemExit) as error:
                self.failures.append(_failure(label, f"{hook} failed: {_words(error)}"))
        return found


def _as_sequence(function: Callable[[], object], hook: str) -> Sequence[Any]:
    result = function()
    if not isinstance(result, list | tuple):
        raise TypeError(f"it returned {type(result).__name__}, and a list or tuple is wanted")
    return result


def _rule_fault(rule: object) -> str:
    """Say what keeps `rule` from being a rule; empty when nothing does."""
    if not (isinstance(rule, type) and issubclass(rule, RecordRule | ProjectRule)):
        return f"{rule!r} is no rule class: subclass RecordRule or ProjectRule"
    meta = getattr(rule, "meta", None)
    if not isinstance(meta, RuleMeta):
        return f"the rule class {rule.__name__} has no `meta = RuleMeta(…)`"
    if not _CODE.fullmatch(meta.code):
        return f"the code `{meta.code}` is not 2 to 12 capitals and 3 or 4 digits, like ACME001"
    if not _NAME.fullmatch(meta.name):
        return f"the name `{meta.name}` of {meta.code} is not in kebab-case"
    fault = options_fault(rule.Options)
    return f"{meta.code} {meta.name}: {fault}" if fault else ""


def _clash(second: RegisteredRule, first: RegisteredRule, word: str) -> Failure:
    return Failure(
        where=f"rule {second.meta.code}",
        plugin=second.plugin,
        message=(
            f"`{word}` is taken: {second.plugin} hands in {second.meta.code}"
            f" {second.meta.name}, and {first.plugin} has {first.meta.code} {first.meta.name}"
        ),
    )


def _failure(label: str, message: str) -> Failure:
    trace = traceback.format_exc()
    known = "" if trace.startswith("NoneType") else trace
    return Failure(where=f"plugin {label}", plugin=label, message=message, traceback=known)


def _words(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
