"""Which of the rules that are handed in can be taken, and why not the others."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, get_args

from yoimem.lint.options import options_fault
from yoimem.lint.plugin import Plugins, RegisteredRule, plugin_failure
from yoimem.lint.report import Failure
from yoimem.lint.rule import Operation, ProjectRule, RecordRule, Rule, RuleMeta, Severity
from yoimem.lint.words import did_you_mean, words
from yoimem.records.kinds import Kinds

_CODE = re.compile(r"[A-Z]{2,12}[0-9]{3,4}")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def add_rules(plugins: Plugins, label: str, rules: Iterable[object]) -> Plugins:
    """Return `plugins` with the `rules` of `label` added, held to what all rules are held to."""
    failures = list(plugins.failures)
    accepted = accept_rules(
        ((label, rule) for rule in rules), plugins.kinds, failures, plugins.rules
    )
    return replace(plugins, rules=accepted, failures=tuple(failures))


def accept_rules(
    handed_in: Iterable[tuple[str, Any]],
    kinds: Kinds,
    failures: list[Failure],
    known: Iterable[RegisteredRule] = (),
) -> tuple[RegisteredRule, ...]:
    """Return the `known` rules and those `handed_in` that can be taken; tell of the others."""
    accepted = list(known)
    taken = {word: registered for registered in accepted for word in registered.words}
    for label, rule in handed_in:
        fault = _rule_fault(rule, kinds)
        if fault:
            failures.append(plugin_failure(label, fault))
            continue
        registered = RegisteredRule(rule, label)
        clash = next((word for word in registered.words if word in taken), None)
        if clash is not None:
            failures.append(_clash(registered, taken[clash], clash))
            continue
        taken.update(dict.fromkeys(registered.words, registered))
        accepted.append(registered)
    return tuple(sorted(accepted, key=lambda registered: registered.meta.code))


def _rule_fault(rule: object, kinds: Kinds) -> str:
    """Say what keeps `rule` from being a rule; empty when nothing does."""
    if not (isinstance(rule, type) and issubclass(rule, RecordRule | ProjectRule)):
        return f"{rule!r} is no rule class: subclass RecordRule or ProjectRule"
    meta = getattr(rule, "meta", None)
    if not isinstance(meta, RuleMeta):
        return f"the rule class {rule.__name__} has no `meta = RuleMeta(…)`"
    fault = meta_fault(meta, kinds) or options_fault(rule.Options) or _instance_fault(rule)
    return f"{meta.code} {meta.name}: {fault}" if fault else ""


def meta_fault(meta: RuleMeta, kinds: Kinds) -> str:
    """Say what is wrong with the metadata of a rule; empty when nothing is."""
    if not (isinstance(meta.code, str) and _CODE.fullmatch(meta.code)):
        return f"the code {meta.code!r} is not 2 to 12 capitals and 3 or 4 digits, like ACME001"
    if not (isinstance(meta.name, str) and _NAME.fullmatch(meta.name)):
        return f"the name {meta.name!r} is not in kebab-case"
    severity: object = meta.severity
    if not isinstance(severity, Severity):
        return f"the severity {severity!r} is no `Severity`"
    known = {"record_kinds": tuple(kinds.by_name), "operations": get_args(Operation)}
    for name in ("record_kinds", "operations", "depends_on", "aliases"):
        value = getattr(meta, name)
        if not isinstance(value, tuple) or not all(isinstance(word, str) for word in value):
            return f"`{name}` is {value!r}, and a tuple of texts is wanted"
        unknown = next((word for word in value if word not in known.get(name, value)), None)
        if unknown is not None:
            return f"`{name}` names the unknown `{unknown}`{did_you_mean(unknown, known[name])}"
    return ""


def _instance_fault(rule: type[Rule]) -> str:
    try:
        rule()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an `__init__` of its own, or an abstract class
        return f"it cannot be made: {words(error)}"
    return ""


def _clash(second: RegisteredRule, first: RegisteredRule, word: str) -> Failure:
    return Failure(
        where=f"rule {second.meta.code}",
        plugin=second.plugin,
        message=(
            f"`{word}` is taken: {second.plugin} hands in {second.meta.code}"
            f" {second.meta.name}, and {first.plugin} has {first.meta.code} {first.meta.name}"
        ),
    )
