"""Which rules are on in a run, how grave each is, and what its options are (design, section 7)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from yoimem.lint.config import Config
from yoimem.lint.errors import ConfigError
from yoimem.lint.options import load_options
from yoimem.lint.plugin import Plugins, RegisteredRule
from yoimem.lint.report import Failure
from yoimem.lint.rule import Actor, ProjectRule, RecordRule, RuleMeta, Severity
from yoimem.lint.words import did_you_mean
from yoimem.records.reader import MAX_BYTES, MAX_FRONTMATTER, Limits
from yoimem.records.record import MAX_DEPTH

_PROTECTED = {"PL", "SC"}


@dataclass(frozen=True)
class ActiveRule:
    """A rule that is on: with the severity and the options that the configuration gives it."""

    rule: RecordRule | ProjectRule
    severity: Severity
    options: Any
    plugin: str

    @property
    def meta(self) -> RuleMeta:
        """What is fixed about the rule."""
        return self.rule.meta


@dataclass(frozen=True)
class RuleSet:
    """The rules of one run. `off` maps the code of each rule that is off to the reason."""

    active: tuple[ActiveRule, ...]
    off: Mapping[str, str]
    failures: tuple[Failure, ...]
    per_file_ignores: Mapping[str, frozenset[str]]
    rule_timeout: float = Config.rule_timeout

    @property
    def record_rules(self) -> tuple[ActiveRule, ...]:
        """The rules that judge one record."""
        return tuple(rule for rule in self.active if isinstance(rule.rule, RecordRule))

    @property
    def project_rules(self) -> tuple[ActiveRule, ...]:
        """The rules that judge records against each other."""
        return tuple(rule for rule in self.active if isinstance(rule.rule, ProjectRule))

    @property
    def limits(self) -> Limits:
        """What the reader stops at: the numbers of the two rules that report it."""
        options = {rule.meta.name: rule.options for rule in self.active}
        return Limits(
            max_bytes=getattr(options.get("file-too-large"), "max_bytes", MAX_BYTES),
            max_frontmatter=getattr(
                options.get("file-too-large"), "max_frontmatter", MAX_FRONTMATTER
            ),
            max_depth=getattr(options.get("yaml-too-deep"), "max_depth", MAX_DEPTH),
        )

    def ignored_in(self, path: str) -> frozenset[str]:
        """Return the codes that the configuration ignores in the record at `path`."""
        if not self.per_file_ignores:
            return frozenset()
        return frozenset(
            code
            for pattern, codes in self.per_file_ignores.items()
            if fnmatchcase(path, pattern)
            for code in codes
        )


def is_protected(code: str) -> bool:
    """Tell whether only a human may switch a rule off or lower it: PL and SC (section 7)."""
    return code.rstrip("0123456789") in _PROTECTED


def build_ruleset(plugins: Plugins, config: Config, actor: Actor = "human") -> RuleSet:
    """Bring the rules of `plugins` and the wishes of `config` together.

    Raises:
        ConfigError: the configuration names a rule that is not there, or an option it lacks.
    """
    if config.declared:
        from yoimem.lint.declared import with_declared  # noqa: PLC0415 - few configurations need it

        plugins = with_declared(plugins, config)
    selection = _Selection(plugins, config, actor)
    active: list[ActiveRule] = []
    off: dict[str, str] = {}
    for registered in plugins.rules:
        reason = selection.reason_off(registered)
        if reason:
            off[registered.meta.code] = reason
        else:
            active.append(selection.activate(registered))
    failures = [*plugins.failures, *selection.failures]
    if not active:
        failures.append(Failure(where="rules", message=_why_none(plugins)))
    return RuleSet(
        tuple(active), off, tuple(failures), selection.per_file_ignores(), config.rule_timeout
    )


def _why_none(plugins: Plugins) -> str:
    if plugins.rules:
        return "no rule is on, so nothing was judged: select some, or ignore fewer"
    return (
        "there is no rule at all: yoimem is not installed as a package, or its plugins did not"
        " load; install it, so that its entry points are there"
    )


class _Selection:
    """Resolves the selectors of one configuration against the rules that are there."""

    def __init__(self, plugins: Plugins, config: Config, actor: Actor) -> None:
        self.failures: list[Failure] = []
        self._config = config
        self._actor = actor
        self._rules = plugins.rules
        self._incomplete = bool(plugins.failures)
        self._codes = {
            word: registered.meta.code
            for registered in plugins.rules
            for word in (
                registered.meta.code,
                registered.meta.name,
                *registered.meta.aliases,
            )
        }
        chosen = [""] if config.select is None else self._resolve(config.select, "select")
        self._select = [*chosen, *self._resolve(config.extend_select, "extend-select")]
        self._ignore = self._resolve(config.ignore, "ignore")
        self._severity = {
            prefix: config.severity[key]
            for prefix, key in self._once(config.severity, "severity").items()
        }
        self._options = {
            code: (key, config.rules[key])
            for code, key in self._once(config.rules, "rules").items()
            if self._require_one_rule(code, key)
        }

    def reason_off(self, registered: RegisteredRule) -> str:
        """Say why a rule is off; empty when it is on."""
        code = registered.meta.code
        if self._actor != "human" and is_protected(code):
            return ""
        selected, ignored = _longest(code, self._select), _longest(code, self._ignore)
        if selected is None:
            return "not selected"
        if ignored is not None and len(ignored) >= len(selected):
            return f"ignored by `{ignored}`"
        return ""

    def activate(self, registered: RegisteredRule) -> ActiveRule:
        """Make the rule with its severity and options."""
        meta = registered.meta
        key, given = self._options.get(meta.code, (meta.name, {}))
        where = f"{self._config.label}: `rules.{key}`"
        options = load_options(registered.rule.Options, given, where)
        return ActiveRule(
            registered.rule(),  # type: ignore[arg-type]
            self._severity_of(meta),
            options,
            registered.plugin,
        )

    def per_file_ignores(self) -> Mapping[str, frozenset[str]]:
        """Return the codes that are ignored for each pattern of paths."""
        found: dict[str, frozenset[str]] = {}
        for pattern, words in self._config.per_file_ignores.items():
            prefixes = self._resolve(words, f"per-file-ignores.{pattern}")
            codes = [registered.meta.code for registered in self._rules]
            found[pattern] = frozenset(c for c in codes if c.startswith(tuple(prefixes)))
        return found

    def _severity_of(self, meta: RuleMeta) -> Severity:
        prefix = _longest(meta.code, self._severity)
        if prefix is None or (self._actor != "human" and is_protected(meta.code)):
            return meta.severity
        return self._severity[prefix]

    def _resolve(self, words: Iterable[str], where: str) -> list[str]:
        """Turn selectors into codes and beginnings of codes."""
        return [self._codes.get(word) or self._prefix(word, where) for word in words]

    def _once(self, words: Iterable[str], where: str) -> dict[str, str]:
        """Resolve the keys of a table, and refuse two that mean the same rule."""
        found: dict[str, str] = {}
        for word in words:
            (resolved,) = self._resolve([word], where)
            if resolved in found:
                raise ConfigError(
                    f"{self._config.label}: `{where}.{found[resolved]}` and `{where}.{word}` are"
                    " the same; keep one"
                )
            found[resolved] = word
        return found

    def _require_one_rule(self, code: str, key: str) -> bool:
        if code in self._codes.values() or self._incomplete:
            return True
        raise ConfigError(
            f"{self._config.label}: `rules.{key}` names several rules; options belong to one"
        )

    def _prefix(self, word: str, where: str) -> str:
        if word and any(registered.meta.code.startswith(word) for registered in self._rules):
            return word
        hint = did_you_mean(word, self._codes)
        message = f"{self._config.label}: `{where}` names the unknown rule `{word}`{hint}"
        if not self._incomplete:
            raise ConfigError(message)
        # The rule may belong to a plugin that did not load: both are told, and nothing is hidden.
        self.failures.append(Failure(where="configuration", message=message))
        return word


def _longest(code: str, prefixes: Iterable[str]) -> str | None:
    fitting = [prefix for prefix in prefixes if code.startswith(prefix)]
    return max(fitting, key=len, default=None)
