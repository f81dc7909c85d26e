"""Rules without Python: tables `declared` in the configuration, each a rule like any other.

A declaration has `code`, `name`, `message`, perhaps `severity` and `kinds`, and one of the forms in
`declared_forms`. A mistake in one is an error of the configuration that names it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from yoimem.lint.acceptance import add_rules, meta_fault
from yoimem.lint.config import Config
from yoimem.lint.declared_forms import FORMS, WITH_FIELD, Form
from yoimem.lint.errors import ConfigError
from yoimem.lint.plugin import Plugins
from yoimem.lint.rule import Context, Finding, RecordRule, RuleMeta, Severity
from yoimem.lint.words import did_you_mean
from yoimem.records.kinds import Kinds, RecordKind
from yoimem.records.record import Record

LABEL = "configuration"
"""What stands in the place of a plugin's name."""

_COMMON = ("code", "name", "severity", "kinds", "message", "field")
_TYPO = 2


def with_declared(plugins: Plugins, config: Config) -> Plugins:
    """Return `plugins` with the rules that `config` declares; a clash with others is a failure.

    Raises:
        ConfigError: a declaration is wrong; the message names it.
    """
    if not config.declared:
        return plugins
    complete = not plugins.failures
    rules = [
        _Reader(config.label, number, table, plugins.kinds, complete=complete).rule()
        for number, table in enumerate(config.declared, 1)
    ]
    return add_rules(plugins, LABEL, rules)


class _Reader:
    """Reads one declaration.

    Where not all plugins are there (`complete` is false), a kind that is unknown may be theirs: the
    rule is then told as one that cannot be taken, beside the failures of the plugins.
    """

    def __init__(
        self, label: str, number: int, table: Mapping[str, Any], kinds: Kinds, *, complete: bool
    ) -> None:
        code = table.get("code")
        self._where = f"{label}: `declared` {code if isinstance(code, str) else f'rule {number}'}"
        self._label = label
        self._table = table
        self._kinds = kinds
        self._complete = complete

    def rule(self) -> type[RecordRule]:
        self._require_known_keys()
        meta = RuleMeta(
            code=self._text("code"),
            name=self._text("name"),
            severity=self._severity(),
            since="",
            record_kinds=self._kind_names(),
        )
        fault = meta_fault(meta, self._kinds)
        if fault and self._complete:
            raise self._error(fault)
        form = self._form(self._text("message"), meta)
        return _rule(meta, form, self._page(meta, form))

    def _form(self, message: str, meta: RuleMeta) -> Form:
        given = [key for key in FORMS if key in self._table]
        if len(given) != 1:
            has = " and ".join(f"`{key}`" for key in given) or "none"
            known = ", ".join(f"`{key}`" for key in FORMS)
            raise self._error(f"takes exactly one of {known}, and has {has}")
        (key,) = given
        if (key in WITH_FIELD) != ("field" in self._table):
            wanted = "needs a `field`" if key in WITH_FIELD else "takes no `field`"
            raise self._error(f"`{key}` {wanted}")
        field = self._field(meta) if key in WITH_FIELD else ""
        try:
            return FORMS[key](message, self._table[key], field)
        except ValueError as error:
            raise self._error(f"`{key}` {error}") from error

    def _severity(self) -> Severity:
        given = self._table.get("severity", Severity.ERROR)
        if given not in list(Severity):
            raise self._error(f"`severity` is `error` or `warning`, not {given!r}")
        return Severity(given)

    def _kind_names(self) -> tuple[str, ...]:
        names = self._table.get("kinds", [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise self._error(f"`kinds` takes a list of names of kinds, not {names!r}")
        return tuple(names)

    def _field(self, meta: RuleMeta) -> str:
        """Return the field, which may be a key of the team's own; a slip of the pen is told."""
        field = self._text("field")
        known = {name for kind in self._asked(meta) for name in kind.fields}
        near = sorted(name for name in known if _is_slip(field, name))
        if field not in known and near:
            raise self._error(f"`field` names the unknown `{field}`, did you mean `{near[0]}`?")
        return field

    def _asked(self, meta: RuleMeta) -> Iterable[RecordKind]:
        return [k for k in self._kinds.all if not meta.record_kinds or k.name in meta.record_kinds]

    def _text(self, key: str) -> str:
        value = self._table.get(key)
        if not isinstance(value, str) or not value.strip():
            has = "is missing" if key not in self._table else f"takes a text, not {value!r}"
            raise self._error(f"`{key}` {has}")
        return value

    def _require_known_keys(self) -> None:
        known = (*_COMMON, *FORMS)
        for key in self._table:
            if key not in known:
                raise self._error(f"has the unknown key `{key}`{did_you_mean(key, known)}")

    def _page(self, meta: RuleMeta, form: Form) -> str:
        kinds = ", ".join(meta.record_kinds) or "all"
        return (
            f"## What\n\n{form.what}\n\n## Why\n\n{form.message}\n\n"
            f"## Where\n\nDeclared in {self._label}; an {meta.severity}"
            f" for records of these kinds: {kinds}.\n"
        ).replace("an warning", "a warning")

    def _error(self, words: str) -> ConfigError:
        return ConfigError(f"{self._where}: {words}")


def _rule(meta: RuleMeta, form: Form, page: str) -> type[RecordRule]:
    class Declared(RecordRule):
        def check(self, record: Record, ctx: Context[Any]) -> Iterable[Finding]:
            return form.findings(record, ctx.now) if record.kind else ()

    Declared.meta = meta
    Declared.__doc__ = page
    return Declared


def _is_slip(word: str, known: str) -> bool:
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - few configurations need it

    return bool(OSA.distance(word, known, score_cutoff=_TYPO) <= _TYPO)
