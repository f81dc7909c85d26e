"""The record that a person names on the command line, by its slug or its path."""

from pathlib import Path

import click

from yoimem.formatters.visible import visible
from yoimem.lint.words import did_you_mean
from yoimem.recall.library import Library, why_empty
from yoimem.recall.references import KIND_OF_MARK
from yoimem.records.record import Record
from yoimem.records.slug import is_slug
from yoimem.workspace.layout import Root
from yoimem.workspace.targets import TargetError, in_root


class NoSuchRecordError(click.ClickException):
    """Nothing is called so."""


def find_record(word: str, root: Root, library: Library) -> Record:
    """Return the record that `word` names: a slug, `#slug`, `/slug`, a path from the root or here.

    Raises:
        NoSuchRecordError: there is none.
        click.ClickException: several are called so, or it cannot be read; the message says which.
    """
    found = _found(word, root, library)
    if len(found) > 1:
        listed = ", ".join(record.path for record in found)
        raise click.ClickException(f"several records are called `{word}`: name one of {listed}")
    for record in found:
        if why := why_empty(record):
            raise click.ClickException(f"{visible(record.path)} {why}")
        return record
    hint = did_you_mean(Path(word).stem.lstrip("#"), library.slugs())
    raise NoSuchRecordError(f"there is no record `{visible(word)}` in {root.path}{hint}")


def _found(word: str, root: Root, library: Library) -> tuple[Record, ...]:
    kind = KIND_OF_MARK.get(word[:1])
    slug = word[1:] if kind else word
    if is_slug(slug):
        return library.named(slug, *([kind] if kind else []))
    found = library.record(word) or library.record(_path_from_here(word, root))
    return (found,) if found else ()


def _path_from_here(word: str, root: Root) -> str:
    """Return the root-relative path that `word` is, seen from here; empty when it is none."""
    try:
        return in_root(Path(word), root)
    except (TargetError, ValueError):
        return ""
