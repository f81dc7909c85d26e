"""What a search asks, and what it returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from yoimem.lint.settings import SearchOrder
from yoimem.recall.errors import SearchError
from yoimem.records.record import Record
from yoimem.records.text import Span
from yoimem.records.timestamp import MissingOffsetError, parse_timestamp

SearchMode = Literal["words", "literal", "regex"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is looked for, and in which records.

    `text` is looked for as `mode` says: by its words, as it stands whatever its case, or as a
    regular expression. `slug` without a text asks for that one record, whole. The filters are the
    kinds of record, the fields `kind` and `status`, and `since`, a date or an RFC 3339 time that
    `updated_at` must not lie before. At most `limit` hits are returned, all when it is None; with
    `context_lines` before and after a match. The order `relevance` gives each record once, the best
    first; the order `file` gives every line that holds the text as it stands, by path.
    """

    text: str = ""
    slug: str | None = None
    record_kinds: tuple[str, ...] = ()
    kind: str | None = None
    status: str | None = None
    since: str | None = None
    limit: int | None = 20
    order: SearchOrder = "relevance"
    mode: SearchMode = "words"
    context_lines: int = 3
    explain: bool = False

    @property
    def since_instant(self) -> int | None:
        """The time of `since` in microseconds since 1970, a date as its midnight in UTC.

        Raises:
            SearchError: it is neither a date nor a time.
        """
        return None if self.since is None else _instant(self.since)


@dataclass(frozen=True, slots=True)
class TermScore:
    """What one term of a query adds to a score: how often each field holds it, and the `score`."""

    term: str
    fields: Mapping[str, int]
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A record, or a line of one, that answers a query.

    `kind` and `status` are the fields of that name. `excerpt` begins at `first_line` of the file,
    and `matches` are the spans of it that answer; `line` is that of the best match. A larger
    `score` is better.
    `explanation` says where the score comes from, when the query asked for it.
    """

    path: str
    slug: str
    record_kind: str
    kind: str | None
    status: str | None
    description: str
    model_invokation: bool
    excerpt: str
    line: int
    score: float
    first_line: int
    matches: tuple[Span, ...] = ()
    explanation: tuple[TermScore, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits in order; `is_cut` tells that there are more than the limit let through.

    Where a slug found nothing, `hint` says what may have been meant.
    """

    hits: tuple[Hit, ...]
    is_cut: bool = False
    hint: str = ""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def text_field(record: Record, name: str) -> str | None:
    """Return the text in the field `name`; None where there is none."""
    value = record.values.get(name)
    return value if isinstance(value, str) else None


def updated(record: Record) -> int | None:
    """Return the instant in `updated_at`, in microseconds since 1970; None where there is none."""
    value = record.values.get("updated_at")
    return _microseconds(value) if isinstance(value, datetime) else None


def admits(query: Query, record: Record) -> bool:
    """Tell whether the filters of `query` let `record` through."""
    since, changed = query.since_instant, updated(record)
    return (
        (not query.record_kinds or record.kind_name in query.record_kinds)
        and query.slug in {None, record.slug}
        and query.kind in {None, text_field(record, "kind")}
        and query.status in {None, text_field(record, "status")}
        and (since is None or (changed is not None and changed >= since))
    )


def _instant(since: str) -> int:
    try:
        return _microseconds(parse_timestamp(since))
    except MissingOffsetError as error:
        raise SearchError(f"`since` is {since!r}, a time without an offset: add `Z`") from error
    except ValueError:
        pass
    try:
        # A date is its first moment; weeks and the other forms of a date are left out so.
        return _microseconds(parse_timestamp(f"{since}T00:00:00Z"))
    except ValueError as error:
        raise SearchError(
            f"`since` is {since!r}, and takes a date like `2026-01-10` or a time like"
            " `2026-01-10T09:00:00Z`"
        ) from error


def _microseconds(moment: datetime) -> int:
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
