"""Extract: from the entries of a session since the last time to staged activity (section 13).

The pointer moves only when what was extracted is safe in the staging folder, or there was nothing
to stage. A process that is killed between the two loses nothing and doubles nothing: a staged or
consumed entry says as well how far its session was extracted.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from yoimem.lint.session_reader import SessionEntry, SessionReader
from yoimem.lint.settings import ExtractSettings
from yoimem.pipeline.activity import Activity
from yoimem.pipeline.prompt import render
from yoimem.pipeline.provider import ModelError
from yoimem.pipeline.staging import StagedEntry, Staging
from yoimem.records.fields import Source
from yoimem.sessions.known import find_log
from yoimem.sessions.log import SessionError, SessionLog, open_log
from yoimem.sessions.pointer import Pointer, pointer_at, read_pointer, write_pointer
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import Root

_LONGEST_SHOWN = 200

Outcome = Literal["extracted", "nothing new", "not due", "off", "in flight", "failed"]
Reopen = Callable[[], SessionLog]


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one extract takes in: the `entries` of `log` since the last extract, without a bound.

    `start` is the line where they begin to be looked for. `is_reset` tells that the log shrank or
    was replaced, so that the pointer of the last extract leads nowhere.
    """

    log: SessionLog
    start: int
    entries: tuple[SessionEntry, ...]
    is_reset: bool

    @property
    def source(self) -> Source:
        """Which entries a model is given; there is at least one."""
        return Source(self.log.session_id, self.entries[0].index, self.entries[-1].index)

    @property
    def pointer(self) -> Pointer:
        """Where the next extract begins: after the last line, whatever that line is."""
        return pointer_at(self.log, len(self.log.lines))

    @property
    def tokens(self) -> int:
        """How many input tokens the session spent since the last extract."""
        return self.log.tokens_since(self.start)

    @property
    def note(self) -> str:
        """What a reader should know; empty when there is nothing."""
        begin = f"{self.log.path} shrank or was replaced since the last extract"
        return f"{begin}: it is read from line {self.start} on" if self.is_reset else ""


Ask = Callable[[Stretch], Activity]


def instructions() -> str:
    """Return what a model is told to do with a stretch."""
    return render("extract")


def stretch_text(stretch: Stretch) -> str:
    """Return what a model is given to read: every entry with its index, its role and its text."""
    return "\n\n".join(f"[{entry.index}] {entry.role}\n{entry.text}" for entry in stretch.entries)


def stretch_of(log: SessionLog, staging: Staging) -> Stretch:
    """Return what of `log` is not yet extracted, by the furthest pointer that still fits.

    Raises:
        SessionError: the log's own pointer cannot be read.
        LinkError: the way to the staged entries is a link.
        OSError: they cannot be read.
    """
    own, others = read_pointer(log), staging.pointers(log.session_id)
    stored = [pointer for pointer in (own, *others) if pointer is not None]
    start = max((pointer.next for pointer in stored if pointer.fits(log)), default=0)
    # The log's own pointer is renewed by each extract; the others stay as they were.
    is_renewed = own is not None and own.fits(log)
    is_reset = not is_renewed and any(pointer.next > start for pointer in stored)
    return Stretch(log, start, log.since(start), is_reset)


def keep(stretch: Stretch, activity: Activity, staging: Staging) -> StagedEntry | None:
    """Stage what was found in `stretch`, if anything, and then move the pointer past it.

    Raises:
        SessionError: the pointer cannot be written; what was staged is staged, and says as much.
        LinkError: the staging folder is a link.
        OSError: nothing could be staged.
    """
    pointer = stretch.pointer
    entry = None if activity.is_empty else staging.add(stretch.source, pointer, activity)
    try:
        write_pointer(stretch.log, pointer)
    except SessionError as error:
        staged = "; what was found is staged, and the next extract begins after it" if entry else ""
        raise SessionError(f"{error}{staged}") from error
    return entry


@dataclass(frozen=True, slots=True)
class ExtractResult:
    """What a trigger led to.

    `sources` are the stretches that a model has read, `staged` what was staged of them, `notes`
    what a reader should know. `error` says why it failed, and is empty where it did not.
    """

    session_id: str
    outcome: Outcome
    sources: tuple[Source, ...] = ()
    staged: tuple[StagedEntry, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Extractor:
    """Extracts sessions into `staging`, when `settings` say that it is due, by asking `ask`."""

    staging: Staging
    settings: ExtractSettings
    ask: Ask

    def run(
        self, session_id: str, reopen: Reopen, *, force: bool = False, wait: float = 0.0
    ) -> ExtractResult:
        """Extract the session whose log `reopen` reads, if it is due or `force` asks for it.

        One extract of a session works at a time. While another does, this one waits `wait` seconds
        and then does nothing: the other looks again when it is done, and so does this one, until
        no further extract is due. What goes wrong is in the result.
        """
        steps = [self._step(session_id, reopen, force, wait)]
        while steps[-1].outcome == "extracted":
            steps.append(self._step(session_id, reopen, False, wait))
        *worked, last = steps
        told = steps if last.error or not worked else worked
        return replace(
            told[-1],
            sources=tuple(source for step in told for source in step.sources),
            staged=tuple(entry for step in told for entry in step.staged),
            notes=tuple(note for step in told for note in step.notes),
        )

    def is_due(self, stretch: Stretch) -> bool:
        """Tell whether the session spent enough tokens since the last extract."""
        return 0 < self.settings.threshold <= stretch.tokens

    def _step(self, session_id: str, reopen: Reopen, force: bool, wait: float) -> ExtractResult:
        result = ExtractResult(session_id, "failed")
        try:
            with self.staging.in_flight(session_id, wait) as is_free:
                if not is_free:
                    return replace(result, outcome="in flight")
                stretch = stretch_of(reopen(), self.staging)
                if not (force or self.is_due(stretch)):
                    spent = f"{stretch.tokens:,} of {self.settings.threshold:,} tokens"
                    return replace(result, outcome="not due", notes=(f"{spent} were spent",))
                result = replace(result, notes=tuple(filter(None, [stretch.note])))
                return self._extract(stretch, result)
        except ModelError as error:
            again = "nothing was lost, and the next extract takes the same entries"
            return replace(result, error=f"{error}; {again}")
        except (SessionError, LinkError, OSError) as error:
            return replace(result, error=str(error))

    def _extract(self, stretch: Stretch, result: ExtractResult) -> ExtractResult:
        if not stretch.entries:
            return replace(result, outcome="nothing new")
        result = replace(result, sources=(stretch.source,))
        activity = self.ask(stretch)
        entry = keep(stretch, activity, self.staging)
        return replace(result, outcome="extracted", staged=(entry,) if entry else ())


def opener(
    word: str,
    root: Root,
    readers: Mapping[str, SessionReader],
    *,
    session_id: str | None = None,
    reader_name: str | None = None,
) -> Reopen:
    """Return what opens the log that `word` names, a path or the id of a session, each time anew.

    Raises:
        SessionError: no log of such a session is known, or a reader failed.
        LinkError: the way to the known logs is a link.
        OSError: they cannot be read.
    """
    if os.path.isfile(word):  # noqa: PTH113 - never raises
        return partial(open_log, Path(word), readers, session_id, reader_name=reader_name)
    log = find_log(root, word, readers)
    if log is None:
        shown = word if len(word) <= _LONGEST_SHOWN else f"{word[:_LONGEST_SHOWN]}…"
        raise SessionError(
            f"`{shown}` is no file, and no log of a session of this id is known; a session is named"
            " by the path of its log, or by its id once its log is known"
        )
    return partial(open_log, log.path, {log.reader.name: log.reader}, log.session_id)
