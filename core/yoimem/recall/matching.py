"""What tells where a text answers a query."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from yoimem.records.text import Span

Fold = Callable[[str], str]
"""Brings a text to the form in which it is compared; the lines stay the lines that they were."""


class Found(NamedTuple):
    """A wanted `term` that a folded text holds, and where."""

    term: str
    span: Span


class Matcher(NamedTuple):
    """How texts are compared, and what finds the wanted terms in a folded one."""

    fold: Fold
    find: Callable[[str], Iterator[Found]]
