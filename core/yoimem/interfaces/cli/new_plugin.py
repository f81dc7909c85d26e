"""`yoimem new-plugin`: makes a plugin of one's own, from the example that yoimem brings along."""

import keyword
import re
import shlex
import sys
from pathlib import Path

import click

import yoimem
from yoimem.interfaces.cli.output import off_stdout, write
from yoimem.lint.host import load_plugins

_EXAMPLE = "example-team-rules"
_EXAMPLE_PREFIX = "ACME"
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_PREFIX = re.compile(r"[A-Z]{2,12}")
_LEFT_OUT = re.compile(r"(?:__pycache__|build|dist|\.(?!gitignore$).*)")
"""What running and building leave in a checkout."""


@click.command(name="new-plugin", short_help="Begin a plugin of your own, with rules that pass.")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    help="Where to make it; else a folder called NAME, here.",
)
@click.option("--prefix", help="What the codes of its rules begin with; else made from NAME.")
def command(name: str, folder: Path | None, prefix: str | None) -> int:
    """Make the plugin NAME: a package with two rules, a kind of record, a format, and tests.

    NAME is the distribution's, like `payments-rules`. Nothing that is there is overwritten.
    """
    _require_name(name)
    codes = prefix or _prefix_of(name)
    _require_prefix(codes)
    target = folder or Path(name)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise click.ClickException(f"{target} is there already, and is left as it is")
    _copy(_template(), target, _names(name, codes))
    place = shlex.quote(str(target))
    write(f"made {target}\nnow run: cd {place} && pip install -e '.[test]' && pytest\n")
    return 0


def _names(name: str, prefix: str) -> dict[str, str]:
    """Return what stands for what in the example: no two plugins may hand in one name."""
    names = {
        _EXAMPLE: name,
        _EXAMPLE.replace("-", "_"): name.replace("-", "_"),
        _EXAMPLE_PREFIX: prefix,
    }
    if prefix == _EXAMPLE_PREFIX:
        return names
    own = prefix.lower()
    return names | {
        "rationale-missing": f"{own}-rationale-missing",
        "incident-closed-early": f"{own}-incident-closed-early",
        "markdown-table": f"{own}-table",
        '"incident"': f'"{own}-incident"',
        "memory/incidents/": f"memory/{own}-incidents/",
    }


def _template() -> Path:
    """Return the example: in the wheel beside the package, in a checkout among the plugins."""
    package = Path(yoimem.__file__).parent
    installed = package / "_template"
    return installed if installed.is_dir() else package.parent.parent / "plugins" / _EXAMPLE


def _copy(template: Path, target: Path, names: dict[str, str]) -> None:
    """Copy the text files of `template`, with `names` replaced in their paths and texts."""
    for source in sorted(template.rglob("*")):
        way = source.relative_to(template)
        if source.is_dir() or any(map(_LEFT_OUT.fullmatch, way.parts)):
            continue
        copy = target / _renamed(way.as_posix(), names)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(_renamed(source.read_text("utf-8"), names), "utf-8", newline="\n")


def _renamed(text: str, names: dict[str, str]) -> str:
    """Replace all names at once, so that no new name is taken for an old one."""
    return re.sub("|".join(names), lambda match: names[match.group()], text)


def _require_name(name: str) -> None:
    package = name.replace("-", "_")
    if not _NAME.fullmatch(name):
        raise click.BadParameter(f"`{name}` is not in kebab-case, like `payments-rules`")
    taken = keyword.iskeyword(package) or package in sys.stdlib_module_names
    if taken or package.startswith("yoimem"):
        raise click.BadParameter(f"`{name}` cannot be the name of your package; take another one")


def _prefix_of(name: str) -> str:
    """Make a prefix of the first word of `name`: `payments-rules` has `PAYMENTS001`."""
    return re.sub(r"[^A-Z]", "", name.partition("-")[0].upper())[:12]


def _require_prefix(prefix: str) -> None:
    """Hold that codes can begin with `prefix`, and that selecting it selects nobody else's."""
    if not _PREFIX.fullmatch(prefix):
        raise click.BadParameter(f"`{prefix}` is not 2 to 12 capitals: give --prefix, like ACME")
    with off_stdout():
        rules = load_plugins().rules
    for registered in rules:
        taken = registered.meta.code.rstrip("0123456789")
        if prefix.startswith(taken) or taken.startswith(prefix):
            raise click.BadParameter(
                f"codes with `{prefix}` would mix with those of {registered.plugin},"
                f" like {registered.meta.code}: give another --prefix"
            )
