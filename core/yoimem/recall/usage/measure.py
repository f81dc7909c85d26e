"""How often records are used, measured from the events (section 12; seed 003, 使用頻度メトリクス).

Time is not measured in seconds: it is the input tokens that all sessions of the workspace spent, so
that a faster model makes no record older.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from yoimem.lint.settings import UsageSettings
from yoimem.recall.usage.events import UsageHistory

CANDIDATE_KINDS = ("decision", "request", "knowledge")
"""The kinds of record that can be candidates (seed 003, Knowledge 化候補レポート)."""

_MEGATOKEN = 1_000_000
_NO_SESSION_YET = object()


@dataclass(frozen=True, slots=True)
class Use:
    """How much the record at the root-relative `path` is used.

    `tokens` is what it was estimated to have when it was last read. `invokes` are all that count:
    a run of reads in one session is one, what the consolidator reads is none. `sessions` are those
    that the last `max-invokes` of them come from, and `frequency` is per million tokens over the
    same invokes; None while no tokens are recorded. `exposures` are how often a session began with
    the record, `exposure_tokens` what that cost. `ratio` is invokes per million tokens of this
    cost, None where there is none.
    """

    path: str
    tokens: int = 0
    invokes: int = 0
    sessions: int = 0
    frequency: float | None = None
    exposures: int = 0
    exposure_tokens: int = 0
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The use of all records that were ever used, by path.

    `now` is the time in cumulative tokens, None while none are recorded: then no frequency is
    known, no record is a candidate, and none is protected. A record's identity is its path: one
    that was deleted and made again goes on with its history.
    """

    now: int | None
    uses: Mapping[str, Use]
    settings: UsageSettings

    def of(self, path: str) -> Use:
        """Return the use of the record at the root-relative `path`, which may be none."""
        return self.uses.get(path) or Use(path, frequency=None if self.now is None else 0.0)

    def is_candidate(self, use: Use) -> bool:
        """Tell whether a record is used often enough, from enough sessions, to become knowledge."""
        is_often = use.frequency is not None and use.frequency >= self.settings.candidate
        return is_often and use.sessions >= self.settings.candidate_sessions

    def is_protected(self, use: Use) -> bool:
        """Tell whether a record is used too often to be dropped or cut down."""
        return use.frequency is not None and use.frequency >= self.settings.protect

    def candidates(self, paths: Iterable[str]) -> tuple[Use, ...]:
        """Return the candidates among the records at `paths`, most used first."""
        return _most_used_first(filter(self.is_candidate, map(self.of, set(paths))))

    def protected(self, paths: Iterable[str]) -> tuple[Use, ...]:
        """Return the protected records among those at `paths`, most used first."""
        return _most_used_first(filter(self.is_protected, map(self.of, set(paths))))


def _most_used_first(uses: Iterable[Use]) -> tuple[Use, ...]:
    return tuple(sorted(uses, key=lambda use: (-(use.frequency or 0.0), use.path)))


def measure(history: UsageHistory, settings: UsageSettings) -> Usage:
    """Return how much records are used, in one pass over the events."""
    now = 0
    tallies: dict[str, _Tally] = {}
    for event in history.events:
        now += event.tokens
        for record in event.records:
            tally = tallies.get(record.path)
            if tally is None:
                tally = tallies[record.path] = _Tally(settings.max_invokes)
            if event.type == "exposure":
                tally.exposures += 1
                tally.exposure_tokens += record.tokens
                continue
            tally.tokens = record.tokens
            if event.actor != "consolidator":
                tally.invoke(now, event.session)
    time = now or None  # events of no tokens tell no time
    uses = {path: tally.use(path, time, settings.min_window) for path, tally in tallies.items()}
    return Usage(time, uses, settings)


@dataclass(slots=True)
class _Tally:
    """What is counted of one record; `last` holds when and in which sessions it was invoked."""

    max_invokes: int
    tokens: int = 0
    invokes: int = 0
    exposures: int = 0
    exposure_tokens: int = 0
    session: object = _NO_SESSION_YET
    last: deque[tuple[int, str | None]] = field(init=False)

    def __post_init__(self) -> None:
        self.last = deque(maxlen=self.max_invokes)

    def invoke(self, now: int, session: str | None) -> None:
        if session == self.session:
            return
        self.session = session
        self.invokes += 1
        self.last.append((now, session))

    def use(self, path: str, now: int | None, min_window: int) -> Use:
        sessions = len({session for _, session in self.last})
        return Use(
            path,
            self.tokens,
            self.invokes,
            sessions,
            self._frequency(now, min_window),
            self.exposures,
            self.exposure_tokens,
            self.invokes * _MEGATOKEN / self.exposure_tokens if self.exposure_tokens else None,
        )

    def _frequency(self, now: int | None, min_window: int) -> float | None:
        if now is None or not self.last:
            return None if now is None else 0.0
        oldest, _ = self.last[0]
        return len(self.last) * _MEGATOKEN / max(now - oldest, min_window)
