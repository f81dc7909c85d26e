"""The sources of a record, for rules that follow where it came from."""

from collections.abc import Iterable, Iterator

from yoimem import Record
from yoimem.fields import Source
from yoimem_rules.wording import shorten

_SHOWN = 6


def sources_of(record: Record) -> Iterator[tuple[tuple[str | int, ...], Source]]:
    """Yield every source in the frontmatter, whatever its field is called, with its way there."""
    for field, value in record.values.items():
        if isinstance(value, Source):
            yield (field,), value
        elif isinstance(value, tuple):
            for index, item in enumerate(value):
                if isinstance(item, Source):
                    yield (field, index), item


def written(source: Source) -> str:
    """Return `source` as frontmatter holds it."""
    session = shorten(source.session_id)
    return f"{{session_id: {session}, range: [{source.start}, {source.end}]}}"


def listed(sources: Iterable[Source]) -> str:
    """Return the first few of `sources`, and how many more there are."""
    shown = [f"`{written(source)}`" for source in sources]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(shown[:_SHOWN]) + more
