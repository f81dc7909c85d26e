"""Seconds of CPU time as a machine of one known speed would take them.

A bound in seconds is then the same on a slow or busy machine as on a fast one.
"""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_YARDSTICK_SECONDS = 0.022
"""What the yardstick takes on the machine whose seconds the bounds of the tests are in."""


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what `work` makes, and the seconds of CPU time that it took, scaled by the yardstick.

    The yardstick is laid on before and after: a machine may become slow in between. What other
    tests keep in memory is frozen, so that the garbage collector does not go through it meanwhile.
    """
    gc.freeze()
    try:
        before = _yardstick()
        start = time.process_time()
        made = work()
        seconds = time.process_time() - start
        return made, seconds * _YARDSTICK_SECONDS / max(before, _yardstick())
    finally:
        gc.unfreeze()


def _yardstick() -> float:
    start = time.process_time()
    sum(len(str(number)) for number in range(100_000))
    return time.process_time() - start
