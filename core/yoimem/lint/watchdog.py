"""Ending a rule that loops past its time, so that the others go on (design, section 6).

A thread looks now and then at what the engine is asking. A rule that is at the same record for
longer than its time gets an exception in the thread that judges. Python can raise one only between
two steps of Python code: a rule that waits inside C code (a sleep, a pattern of `re`) is ended when
it comes back from there.
"""

import threading
from time import monotonic
from types import TracebackType

A_PIECE = 1_000
"""How many records a rule that compares them may take the time of one question for."""

_LOOKS = 10
_LONGEST_WAIT = 1.0


class RuleTimeoutError(BaseException):
    """A rule took longer than it may; no `except Exception` of the rule's own holds it up."""


class Watchdog:
    """Watches the thread that enters it, as long as it is entered.

    The engine sets `record` and `rule` to what it asks about and whom; `rule` is None while it asks
    nobody. `records` is how many the question is about: `seconds` are for up to a thousand of
    them. `struck` is the rule that was interrupted, until the engine has told of it: one that
    catches the exception does not get away with it. `ended` holds the codes of the rules that are
    not to be asked again.
    """

    __slots__ = (
        "_done",
        "_seconds",
        "_thread",
        "_watched",
        "ended",
        "record",
        "records",
        "rule",
        "struck",
    )

    def __init__(self, seconds: float) -> None:
        self.record: object = None
        self.rule: object = None
        self.records = 1
        self.struck: object = None
        self.ended: set[str] = set()
        self._seconds = seconds
        self._watched = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="yoimem-watchdog", daemon=True)

    def __enter__(self) -> "Watchdog":
        self._watched = threading.get_ident()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.rule = None
        self._done.set()
        self._thread.join()

    def worded(self, error: RuleTimeoutError) -> RuleTimeoutError:
        """Return `error` with words: what is raised in another thread has none."""
        if error.args:
            return error
        words = f"it took longer than {self._limit:g} s (`rule-timeout`), and was not asked again"
        return RuleTimeoutError(words).with_traceback(error.__traceback__)

    @property
    def _limit(self) -> float:
        return self._seconds * max(1.0, self.records / A_PIECE)

    def _watch(self) -> None:
        record, rule, since = self.record, self.rule, monotonic()
        while not self._done.wait(min(self._seconds / _LOOKS, _LONGEST_WAIT)):
            if self.rule is None or rule is not self.rule or record is not self.record:
                record, rule, since = self.record, self.rule, monotonic()
            elif monotonic() - since >= self._limit:
                self.struck = rule
                _interrupt(self._watched)
                since = monotonic()  # a rule that holds the exception up gets another


def _interrupt(thread: int) -> None:
    """Raise `RuleTimeoutError` in `thread`."""
    import ctypes  # noqa: PLC0415 - next to no run needs it

    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(RuleTimeoutError)
    )
