"""The plot of use against cost: what is often used and cheap, what is paid for and never used."""

from collections import Counter
from collections.abc import Sequence
from math import log1p

_WIDTH, _HEIGHT = 48, 8
_MOST_SHOWN = 9


def plot(points: Sequence[tuple[int, int]]) -> str:
    """Draw records, each with its cost in tokens and its invokes, on logarithmic scales.

    A place shows how many records share it.
    """
    most_cost = max((cost for cost, _ in points), default=0)
    most_invokes = max((invokes for _, invokes in points), default=0)
    found = Counter(
        (_step(cost, most_cost, _WIDTH), _step(invokes, most_invokes, _HEIGHT))
        for cost, invokes in points
    )
    rows = [
        "".join(_mark(found[column, row]) for column in range(_WIDTH))
        for row in reversed(range(_HEIGHT))
    ]
    margin = len(f"{most_invokes:,}")
    labels = [f"{most_invokes:,}", *[""] * (_HEIGHT - 2), "0"]
    lines = [f"{label:>{margin}} |{row}" for label, row in zip(labels, rows, strict=True)]
    space = " " * (margin + 2)
    return "\n".join(
        [
            f"{space}invokes: often used and cheap is up here",
            *lines,
            f"{' ' * margin} +{'-' * _WIDTH}",
            f"{space}0{f'{most_cost:,}':>{_WIDTH - 1}}",
            f"{space}{'cost in tokens: paid for and never used is here':>{_WIDTH}}",
            f"{space}each digit counts the records of a place, + is more than {_MOST_SHOWN}",
            "",
        ]
    )


def _step(value: int, most: int, steps: int) -> int:
    """Return in which of `steps` a value up to `most` falls; only 0 falls in the first."""
    return max(1, round(log1p(value) / log1p(most) * (steps - 1))) if value else 0


def _mark(count: int) -> str:
    if count > _MOST_SHOWN:
        return "+"
    return str(count) if count else " "
