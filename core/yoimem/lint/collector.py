"""Collecting what loaded plugins hand in, each hook implementation by itself."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pluggy

from yoimem.lint import hookspecs
from yoimem.lint.acceptance import accept_rules
from yoimem.lint.formatter import Formatter
from yoimem.lint.plugin import LoadedPlugin, Plugins, RegisteredRule, plugin_failure
from yoimem.lint.report import Failure
from yoimem.lint.session_reader import SessionReader
from yoimem.lint.words import words
from yoimem.records.kinds import BUILTIN_KINDS, Kinds, RecordKind


def collect(plugins: Iterable[LoadedPlugin], failures: Iterable[Failure] = ()) -> Plugins:
    """Collect what `plugins` hand in; `failures` of earlier steps are handed on."""
    collector = _Collector(list(failures))
    for plugin in plugins:
        collector.register(plugin)
    kinds = collector.kinds()
    rules = collector.rules(kinds)
    formatters, readers = collector.formatters(), collector.session_readers()
    return Plugins(rules, kinds, formatters, readers, tuple(collector.failures))


class _Collector:
    """Registers plugins with pluggy and calls each hook implementation on its own."""

    def __init__(self, failures: list[Failure]) -> None:
        self.failures = failures
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._labels: dict[int, str] = {}

    def register(self, plugin: LoadedPlugin) -> None:
        try:
            self._manager.register(plugin.module, name=f"{plugin.label} #{len(self._labels) + 1}")
            self._labels[id(plugin.module)] = plugin.label
            self._manager.check_pending()
        except Exception as error:  # a hook that is unknown or has another signature
            if self._manager.is_registered(plugin.module):
                self._manager.unregister(plugin.module)
            self.failures.append(plugin_failure(plugin.label, words(error)))

    def rules(self, kinds: Kinds) -> tuple[RegisteredRule, ...]:
        return accept_rules(self._handed_in("yoimem_register_rules"), kinds, self.failures)

    def kinds(self) -> Kinds:
        kinds = list(BUILTIN_KINDS)
        for label, kind in self._handed_in("yoimem_register_record_kinds"):
            if not isinstance(kind, RecordKind):
                self.failures.append(plugin_failure(label, f"{kind!r} is no record kind"))
            elif any(kind.name == known.name for known in kinds):
                self.failures.append(
                    plugin_failure(label, f"the record kind `{kind.name}` is there already")
                )
            else:
                try:
                    Kinds([*kinds, kind])
                    kind.loader.load({}, partial=True)
                except Exception as error:  # its schema, or a place that is none
                    what = f"the record kind `{kind.name}` cannot be used: {words(error)}"
                    self.failures.append(plugin_failure(label, what))
                else:
                    kinds.append(kind)
        return Kinds(kinds)

    def formatters(self) -> dict[str, Formatter]:
        return self._named("yoimem_register_formatters", "formatter", ("format",))

    def session_readers(self) -> dict[str, SessionReader]:
        methods = ("recognises", "entries", "session_id", "find")
        return self._named("yoimem_register_session_readers", "session reader", methods)

    def _named(self, hook: str, what: str, methods: Sequence[str]) -> dict[str, Any]:
        """Return what `hook` hands in by its name, if it has the `methods` that it needs."""
        found: dict[str, Any] = {}
        for label, item in self._handed_in(hook):
            name = getattr(item, "name", None)
            able = all(callable(getattr(item, method, None)) for method in methods)
            if not isinstance(name, str) or not able:
                self.failures.append(plugin_failure(label, f"{item!r} is no {what}"))
            elif name in found:
                self.failures.append(plugin_failure(label, f"the {what} `{name}` is there already"))
            else:
                found[name] = item
        return found

    def _handed_in(self, hook: str) -> list[tuple[str, Any]]:
        """Call each implementation of `hook` by itself: one that raises loses no other's."""
        found: list[tuple[str, Any]] = []
        for impl in getattr(self._manager.hook, hook).get_hookimpls():
            label = self._labels[id(impl.plugin)]
            try:
                found += [(label, item) for item in _as_sequence(impl.function, hook)]
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # whatever a hook raises, also to leave the process
                self.failures.append(plugin_failure(label, f"{hook} failed: {words(error)}"))
        return found


def _as_sequence(function: Callable[[], object], hook: str) -> Sequence[Any]:
    result = function()
    if not isinstance(result, list | tuple):
        raise TypeError(f"it returned {type(result).__name__}, and a list or tuple is wanted")
    return result
