"""The facts of a root, kept between changes: only what changed on disk is read again."""

from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.workspace.snapshot import Facts, Snapshot, facts_of
from yoimem.workspace.store import Signature, Store, UnreadableError


class Index:
    """Makes snapshots of one root, each as of the moment it is asked for.

    Every snapshot costs one walk that stats each file. A file is read again when its signature
    (inode, size, times of change) is another than before.
    """

    def __init__(self, store: Store, kinds: Kinds, reader: Reader) -> None:
        self._store = store
        self._kinds = kinds
        self._reader = reader
        self._known: dict[str, tuple[Signature, Facts]] = {}

    def snapshot(self) -> Snapshot:
        """Return the snapshot of what is on disk now."""
        known = self._known
        self._known = {}
        for path, signature in self._store.survey(self._kinds.folders):
            before = known.get(path)
            if before is not None and before[0] == signature:
                self._known[path] = before
                continue
            record = self.load(path)
            if record is not None:
                self._known[path] = (signature, facts_of(record))
        facts = {path: kept for path, (_, kept) in self._known.items()}
        return Snapshot(facts, self._reader, self.load)

    def load(self, path: str) -> Record | None:
        """Read the record at the root-relative `path`; None when it is not there."""
        try:
            data = self._store.read(path)
        except UnreadableError as error:
            return self._reader.unreadable(path, str(error))
        return None if data is None else self._reader.read_bytes(path, data)
