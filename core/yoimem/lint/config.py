"""The configuration of a workspace: `[tool.yoimem]` or `yoimem.toml` (design, section 7)."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate

from yoimem.lint.errors import ConfigError
from yoimem.lint.options import load_options
from yoimem.lint.rule import Severity
from yoimem.lint.settings import (
    ConsolidateSettings,
    ExtractSettings,
    ResidentSettings,
    SearchSettings,
    ToolSettings,
    UsageSettings,
)
from yoimem.lint.words import did_you_mean
from yoimem.records.faults import load_mapping
from yoimem.workspace.layout import Root
from yoimem.workspace.store import UnreadableError, read_file

TABLE = "tool.yoimem"
OWN_FILE = "yoimem.toml"
SHARED_FILE = "pyproject.toml"
_MOST_SECONDS = 1e6
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Config:
    """What a configuration says; every default is here.

    Selectors are codes, beginnings of codes, or names of rules. `source` is the file it came from
    and `sha256` the hash of its bytes, None where there is none. `rule_timeout` is in seconds.
    """

    source: Path | None = None
    sha256: str | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    warnings_as_errors: bool = False
    output_format: str = "text"
    rules: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tools: ToolSettings = field(default_factory=ToolSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    usage: UsageSettings = field(default_factory=UsageSettings)
    resident: ResidentSettings = field(default_factory=ResidentSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    consolidate: ConsolidateSettings = field(default_factory=ConsolidateSettings)
    declared: tuple[Mapping[str, Any], ...] = ()
    local_plugins: tuple[str, ...] = ()
    required_plugins: tuple[str, ...] = ()
    rule_timeout: float = 10.0

    @property
    def label(self) -> str:
        """How messages name the configuration."""
        return str(self.source) if self.source else "the configuration"


def _require_seconds(value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value < _MOST_SECONDS:  # type: ignore[operator]
        raise ValidationError(f"takes a number of seconds above 0, not {value!r}")


def _texts() -> fields.Field[Any]:
    return fields.List(fields.String())


_SETTINGS: Mapping[str, type] = MappingProxyType(
    {
        "tools": ToolSettings,
        "search": SearchSettings,
        "usage": UsageSettings,
        "resident": ResidentSettings,
        "extract": ExtractSettings,
        "consolidate": ConsolidateSettings,
    }
)


class _ConfigSchema(Schema):
    select = _texts()
    ignore = _texts()
    extend_select = fields.List(fields.String(), data_key="extend-select")
    per_file_ignores = fields.Dict(fields.String(), _texts(), data_key="per-file-ignores")
    excluded = fields.List(fields.String(), data_key="exclude")
    severity = fields.Dict(
        fields.String(), fields.String(validate=validate.OneOf([s.value for s in Severity]))
    )
    warnings_as_errors = fields.Boolean(data_key="warnings-as-errors", truthy={True}, falsy={False})
    output_format = fields.String(data_key="output-format")
    rules = fields.Dict(fields.String(), fields.Dict(fields.String()))
    tools = fields.Dict(fields.String())
    search = fields.Dict(fields.String())
    usage = fields.Dict(fields.String())
    resident = fields.Dict(fields.String())
    extract = fields.Dict(fields.String())
    consolidate = fields.Dict(fields.String())
    declared = fields.List(fields.Dict(fields.String()))
    local_plugins = fields.List(fields.String(), data_key="local-plugins")
    required_plugins = fields.List(fields.String(), data_key="required-plugins")
    rule_timeout = fields.Raw(data_key="rule-timeout", validate=_require_seconds)


def load_config(root: Root) -> Config:
    """Read the one configuration of the workspace of `root`.

    Raises:
        ConfigError: there are two, or the one cannot be read, or it says what nobody knows.
    """
    found = list(_candidates(root))
    if len(found) > 1:
        names = " and ".join(str(path) for path, _, _ in found)
        raise ConfigError(f"two configurations: {names}; keep one, so that nobody shadows it")
    if not found:
        return Config()
    path, table, digest = found[0]
    if path.parent != root.workspace:
        raise ConfigError(f"{path} is not read: the configuration stands in {root.workspace}")
    return replace(parse_config(table, path), sha256=digest)


def parse_config(table: Mapping[str, Any], source: Path | None = None) -> Config:
    """Return the configuration that the TOML `table` of the file `source` says.

    Raises:
        ConfigError: a key is unknown, or a value is of the wrong type.
    """
    label = str(source) if source else "the configuration"
    schema = _ConfigSchema()
    known = [f.data_key or name for name, f in schema.fields.items()]
    if source is not None and source.name == OWN_FILE and "tool" in table:
        raise ConfigError(f"{label}: the keys stand at the top here, without `[{TABLE}]`")
    for key in table:
        if key not in known:
            raise ConfigError(f"{label}: unknown key `{key}`{did_you_mean(key, known)}")
    if source is not None and source.name == OWN_FILE and "local-plugins" in table:
        raise ConfigError(
            f"{label}: `local-plugins` names code that is run, and is read from `[{TABLE}]` in"
            f" {SHARED_FILE} alone: move the configuration there"
        )
    try:
        values = load_mapping(schema, table)
    except ValidationError as error:
        raise ConfigError(f"{label}: {_first_message(error.messages_dict)}") from error
    settings = {
        name: load_options(kind, values.pop(name, {}), f"{label}: `{name}`")
        for name, kind in _SETTINGS.items()
    }
    severities = {key: Severity(value) for key, value in values.pop("severity", {}).items()}
    frozen = {key: _frozen(value) for key, value in values.items()}
    return Config(source=source, severity=severities, **settings, **frozen)


def _candidates(root: Root) -> Iterator[tuple[Path, Mapping[str, Any], str]]:
    """Yield what is there of the places for a configuration: path, table, hash of the bytes.

    Also where one may only have been dropped.
    """
    for folder in dict.fromkeys((root.workspace, root.path)):
        for path in (folder / SHARED_FILE, folder / OWN_FILE):
            data = _data(path)
            table = None if data is None else _table(path, data)
            if data is not None and table is not None:
                yield path, table, sha256(data).hexdigest()


def _data(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except UnreadableError as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error


def _table(path: Path, data: bytes) -> Mapping[str, Any] | None:
    try:
        content = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no TOML: {error}") from error
    if path.name == OWN_FILE:
        return content
    tool = content.get("tool", _NOTHING)
    table = tool.get("yoimem") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: `{TABLE}` must be a table")
    return table


def _first_message(messages: Mapping[Any, Any], path: str = "") -> str:
    key, below = next(iter(messages.items()))
    here = f"{path}.{key}" if path else str(key)
    if isinstance(below, dict):
        return _first_message(below, here)
    here = here.removesuffix(".value")
    return f"`{here}`: {str(below[0]).rstrip('.').lower()}"


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {key: tuple(v) if isinstance(v, list) else v for key, v in value.items()}
    return value
