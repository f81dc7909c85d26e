"""The facts of a root, kept between changes: only what changed on disk is read again."""

import time

from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.workspace.snapshot import Facts, Snapshot, facts_of
from yoimem.workspace.store import Signature, Store, UnreadableError, changed_at

COARSEST_STEP = 2_000_000_000
"""In what steps of nanoseconds a file system may stamp times: two changes may share one stamp."""


def load(store: Store, reader: Reader, path: str) -> Record | None:
    """Read the record at the root-relative `path`; None when it is not there."""
    try:
        data = store.read(path)
    except UnreadableError as error:
        return reader.unreadable(path, str(error))
    return None if data is None else reader.read_bytes(path, data)


class Index:
    """Makes snapshots of one root, each as of the moment it is asked for.

    Every snapshot costs one walk that stats each file. A file is read again when its signature
    (inode, size, times of change) is another than before, or was too young to be trusted.
    """

    def __init__(self, store: Store, kinds: Kinds, reader: Reader) -> None:
        self._store = store
        self._kinds = kinds
        self._reader = reader
        self._known: dict[str, tuple[Signature | None, Facts]] = {}

    def snapshot(self) -> Snapshot:
        """Return the snapshot of what is on disk now."""
        # A dictionary of its own: another thread may ask at the same time.
        found: dict[str, tuple[Signature | None, Facts]] = {}
        settled = time.time_ns() - COARSEST_STEP
        survey = self._store.survey(self._kinds.folders)
        for path, signature in sorted(survey.changed.items()):
            before = self._known.get(path)
            if before is not None and before[0] == signature:
                found[path] = before
                continue
            record = self.load(path)
            if record is not None:
                kept = signature if changed_at(signature) < settled else None
                found[path] = (kept, facts_of(record))
        self._known = found
        facts = {path: known for path, (_, known) in found.items()}
        return Snapshot(facts, self._reader, self.load, unread=survey.unread)

    def load(self, path: str) -> Record | None:
        """Read the record at the root-relative `path`; None when it is not there."""
        return load(self._store, self._reader, path)
