"""Finding records again: by their words, as they stand, by a pattern, by slug (section 12)."""

from collections.abc import Iterator, Sequence
from itertools import islice
from sqlite3 import Connection

from yoimem.lint.settings import SearchSettings
from yoimem.lint.words import nearest
from yoimem.recall.database import index_folder
from yoimem.recall.errors import SearchError
from yoimem.recall.hits import best_hit, count_matches, line_hits, whole_hit
from yoimem.recall.index import SearchIndex
from yoimem.recall.library import Library
from yoimem.recall.literal import literal, pattern
from yoimem.recall.matching import Matcher
from yoimem.recall.query import Hit, Query, SearchResult, admits
from yoimem.recall.ranking import Explanations, Ranking, Unit, explain, finder_of, rank, units_of
from yoimem.recall.words import normalized
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.records.slug import slug_fault
from yoimem.workspace.layout import Root
from yoimem.workspace.store import Store

_MOST_HITS = 1_000_000
"""More than any memory has: what a search without a limit returns."""


class Searcher:
    """Searches the records of one root; the index is kept between searches.

    Several threads may share one.
    """

    def __init__(self, root: Root, kinds: Kinds, reader: Reader, settings: SearchSettings) -> None:
        self._store = Store(root.path)
        self._kinds = kinds
        self._library = Library(self._store, kinds, reader)
        folder = index_folder(settings.index, root.workspace)
        self._index = SearchIndex(self._store, reader, folder)

    def search(self, query: Query) -> SearchResult:
        """Return the records that answer `query`, as the files are now.

        Raises:
            SearchError: nothing is asked for, or what is asked for is no slug, time or pattern.
        """
        _require_askable(query)
        most = min(query.limit or _MOST_HITS, _MOST_HITS)
        hits = tuple(islice(self._hits(query, most + 1), most + 1))
        hint = "" if hits or query.slug is None else self._hint(query.slug, query)
        return SearchResult(hits[:most], len(hits) > most, hint)

    def close(self) -> None:
        """Let go of the index; the next search opens it again."""
        self._index.close()

    def _hint(self, slug: str, query: Query) -> str:
        """Say which record bears `slug` and was not found, or which slug is like it."""
        if named := self._library.named(slug):
            if query.text.strip():
                return f"{named[0].path} bears that slug, and does not answer"
            return f"{named[0].path} bears that slug, and was not searched: read it by its path"
        near = nearest(slug, self._library.slugs())
        return f"no record bears that slug; did you mean `{near}`?" if near else ""

    def _hits(self, query: Query, most: int) -> Iterator[Hit]:
        """Yield the hits in order, at least as many as `most` if there are so many."""
        if not query.text.strip():
            return self._named(query)
        if query.mode == "regex":
            return self._scanned(query, pattern(query.text))
        units = units_of(query.text)
        if query.mode == "literal" or query.order == "file" or not units:
            return self._scanned(query, literal(query.text))
        return self._ranked(query, units, most)

    def _named(self, query: Query) -> Iterator[Hit]:
        """Yield the records that bear the slug of `query`, whole."""
        for record in self._library.named(query.slug or ""):
            if admits(query, record):
                yield whole_hit(record)

    def _scanned(self, query: Query, matcher: Matcher) -> Iterator[Hit]:
        """Yield the hits of a search that reads every record."""
        if query.order == "file":
            for record in self._records(query):
                yield from line_hits(record, matcher, query.context_lines)
            return
        counts = [(count_matches(record, matcher), record.path) for record in self._records(query)]
        for number, path in sorted(counts, key=lambda counted: (-counted[0], counted[1])):
            again = self._library.load(path) if number else None
            if again is not None:
                yield best_hit(again, matcher, query.context_lines, float(number))

    def _ranked(self, query: Query, units: Sequence[Unit], most: int) -> Iterator[Hit]:
        """Yield the hits of a search in the index, `most` at most."""

        def ask(index: Connection) -> tuple[Ranking, Explanations]:
            ranking = rank(index, units, query, most)
            return ranking, explain(index, ranking) if query.explain else {}

        ranking, explanations = self._index.ask(ask)
        matcher = Matcher(normalized, finder_of(units))
        for number, path, score, _ in ranking.records:
            record = self._library.load(path)
            if record is not None and admits(query, record):
                reasons = explanations.get(number, ())
                yield best_hit(record, matcher, query.context_lines, score, reasons)

    def _records(self, query: Query) -> Iterator[Record]:
        """Yield the records that the filters of `query` let through, by path."""
        for path, fault in self._store.walk(self._kinds.folders):
            record = None if fault else self._library.load(path)
            if record is not None and admits(query, record):
                yield record


def _require_askable(query: Query) -> None:
    """Refuse what cannot be asked, before anything is read.

    Raises:
        SearchError: nothing is asked for, or the limit, the slug or the time is none.
    """
    _ = query.since_instant
    if query.limit is not None and query.limit < 1:
        raise SearchError(f"`limit` is {query.limit}, and must be 1 or more")
    if query.slug is not None and (fault := slug_fault(query.slug)):
        raise SearchError(f"{query.slug!r} is no slug: {fault}")
    if query.slug is None and not query.text.strip():
        raise SearchError("there is nothing to look for: give some text, or a slug")
