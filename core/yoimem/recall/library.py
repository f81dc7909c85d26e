"""The records of one root, read when they are asked for: no walk for a record that is named."""

from collections.abc import Iterable, Iterator

from yoimem.records.kinds import SLUG_MARK, Kinds
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.records.slug import is_slug
from yoimem.workspace.folder import LinkError, open_folder
from yoimem.workspace.layout import is_linted
from yoimem.workspace.store import Entry, Store


class Library:
    """Reads the records of one root; links are not followed.

    A record that cannot be read is a record with a problem, and never an empty one.
    """

    def __init__(self, store: Store, kinds: Kinds, reader: Reader) -> None:
        self._store = store
        self._kinds = kinds
        self._reader = reader

    def record(self, path: str) -> Record | None:
        """Return the record at the root-relative `path`; None when there is none."""
        if self._kinds.of(path) is None or not is_linted(path, self._kinds.folders):
            return None
        return self.load(path)

    def load(self, path: str) -> Record | None:
        """Read the file at the root-relative `path`, which the walk met; None when it is gone."""
        *parts, name = path.split("/")
        try:
            with open_folder(self._store.root, parts) as folder:
                stored = folder.read(name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (LinkError, OSError, ValueError) as error:
            return self._reader.unreadable(path, str(error))
        return None if stored is None else self._reader.read_bytes(path, stored.data)

    def named(self, slug: str, *kinds: str) -> tuple[Record, ...]:
        """Return the records of `kinds`, of any kind when none are given, that bear `slug`."""
        found = (self.record(path) for path in self._paths(slug, kinds))
        return tuple(record for record in found if record is not None)

    def of_kinds(self, *kinds: str) -> Iterator[Record]:
        """Yield the records of `kinds` by slug, those that bear the same by path."""
        for path in sorted(self.paths(*kinds), key=lambda path: (_slug(path), path)):
            record = self.record(path)
            if record is not None:
                yield record

    def paths(self, *kinds: str) -> list[str]:
        """List the paths of the records of `kinds`, of any kind when none are given, in order."""
        wanted = set(kinds or self._kinds.by_name)
        return [
            entry.path
            for entry in self._walk(wanted)
            if not entry.fault
            and (kind := self._kinds.of(entry.path)) is not None
            and kind.name in wanted
        ]

    def slugs(self, *kinds: str) -> list[str]:
        """List the slugs of the records of `kinds`, in order, each once."""
        return sorted(filter(is_slug, {_slug(path) for path in self.paths(*kinds)}))

    def unread_folders(self, *kinds: str) -> list[str]:
        """List the folders of `kinds` that cannot be walked: links, and what may not be read."""
        return [entry.path for entry in self._walk(kinds or self._kinds.by_name) if entry.fault]

    def _walk(self, kinds: Iterable[str]) -> list[Entry]:
        places = (place for name in kinds for place in self._kinds.by_name[name].places)
        return self._store.walk(frozenset(place.partition("/")[0] for place in places))

    def _paths(self, slug: str, kinds: tuple[str, ...]) -> Iterator[str]:
        if not is_slug(slug):
            return
        for name in kinds or self._kinds.by_name:
            for place in self._kinds.by_name[name].places:
                path = place.replace(SLUG_MARK, slug)
                if _slug(path) == slug:
                    yield path


def described(record: Record) -> str:
    """Return the description of `record` in one line; empty when it has none."""
    return " ".join(str(record.values.get("description", "")).split())


def why_empty(record: Record) -> str:
    """Return why `record` holds no text; empty when it does."""
    if record.text or not record.problems:
        return ""
    return f"cannot be read: {record.problems[0].detail or 'it is empty'}"


def _slug(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
