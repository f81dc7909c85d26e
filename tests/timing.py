"""How long a piece of work takes, whatever the tests before it left in memory."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what `work` makes, and the seconds of CPU time that it took.

    What other tests keep in memory is frozen, so that the garbage collector does not go through it
    meanwhile, which can take longer than the work itself.
    """
    gc.freeze()
    try:
        start = time.process_time()
        made = work()
        return made, time.process_time() - start
    finally:
        gc.unfreeze()
