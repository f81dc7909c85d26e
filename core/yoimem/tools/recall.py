"""What an actor recalls of a memory; what it reads is noted as use (design, section 12)."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from yoimem.lint.config import Config, load_config
from yoimem.lint.host import load_plugins
from yoimem.lint.plugin import Plugins
from yoimem.lint.rule import Actor
from yoimem.recall.completion import Completion, complete
from yoimem.recall.library import Library
from yoimem.recall.query import Query, SearchResult
from yoimem.recall.references import Expansion, Invoker, expand
from yoimem.recall.resident import Resident, resident
from yoimem.recall.usage import Usage, UsageLog, UsedRecord, measure
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.records.tokens import estimate_tokens
from yoimem.sessions.sources import SourceEntries, entries_of_each
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import Root, require_root
from yoimem.workspace.store import Store

if TYPE_CHECKING:
    from yoimem.recall.search import Searcher

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time, as everything here is told it."""
    return datetime.now(UTC)


class Recall:
    """What one actor recalls of one memory.

    `session_id` is the session that reads: it goes with every event of use. Noting use never keeps
    anyone from reading: where it cannot be written down, it is not. `config`, `plugins` and
    `reader` are made when they are not given.

    Raises:
        RootNotFoundError: there is no memory at `root`.
        ConfigError: the configuration cannot be used.
    """

    def __init__(
        self,
        root: Path | str | Root,
        *,
        actor: Actor = "human",
        session_id: str | None = None,
        config: Config | None = None,
        plugins: Plugins | None = None,
        reader: Reader | None = None,
        clock: Clock = utc_now,
    ) -> None:
        place = require_root(root)
        self.root = place
        self.config = config or load_config(place)
        self.plugins = plugins or load_plugins(place, self.config, trusted_only=True)
        self.actor: Actor = actor
        self.session_id = session_id
        self._reader = reader or Reader(self.plugins.kinds)
        self._log = UsageLog(place.path, clock)
        self.library = Library(Store(place.path), self.plugins.kinds, self._reader)

    def search(self, query: Query) -> SearchResult:
        """Return the records that fit `query`; one that is looked up by its slug counts as read.

        Raises:
            SearchError: the query cannot be answered; the message says why.
        """
        result = self._searcher.search(query)
        if query.slug is not None and not query.text.strip():
            self.note(self.library.record(hit.path) for hit in result.hits)
        return result

    def expand(self, text: str, invoker: Invoker = "user") -> Expansion:
        """Return `text` with the records that it names; each counts as read."""
        expansion = expand(self.library, text, invoker)
        self.note(expansion.records)
        return expansion

    def complete(self, prefix: str) -> tuple[Completion, ...]:
        """Return what a `#` or `/` with the beginning of a slug may become."""
        return complete(self.library, prefix)

    def resident(self, budget: int | None = None) -> Resident:
        """Return the block that every session begins with, and note what it costs.

        `budget` is in estimated tokens: 0 for no bound, None for the configured one.

        Raises:
            ValueError: `budget` is negative.
        """
        shown = self.preview(budget)
        costs = [UsedRecord(part.path, part.bytes, part.tokens) for part in shown.records]
        if costs:
            with suppress(OSError, LinkError):
                self._log.exposure(costs, session=self.session_id, actor=self.actor)
        return shown

    def preview(self, budget: int | None = None) -> Resident:
        """Return what `resident` returns, and note nothing."""
        settings = self.config.resident
        most = settings.budget if budget is None else budget
        return resident(self.library, most, summary=settings.summary)

    def close(self) -> None:
        """Let go of the index of a search; the next search opens it again."""
        self._searcher.close()

    def usage(self) -> Usage:
        """Return how much records are used."""
        return measure(self._log.history(), self.config.usage)

    def sources(self, record: Record) -> tuple[SourceEntries, ...]:
        """Return the entries of the session logs that `record` came from."""
        return entries_of_each(self.root, record.sources, self.plugins.session_readers)

    @cached_property
    def _searcher(self) -> "Searcher":
        from yoimem.recall.search import Searcher  # noqa: PLC0415 - a hook that searches nothing

        return Searcher(self.root, self.plugins.kinds, self._reader, self.config.search)

    def note(self, records: Iterable[Record | None]) -> None:
        """Note that `records` were read; None is one that is not there."""
        # What could not be read was not read.
        used = [_used(record) for record in records if record is not None and record.text]
        if used:
            with suppress(OSError, LinkError):
                self._log.invoke(used, session=self.session_id, actor=self.actor)


def _used(record: Record) -> UsedRecord:
    size = len(record.text.encode("utf-8", "surrogateescape"))
    return UsedRecord(record.path, size, estimate_tokens(record.text))
