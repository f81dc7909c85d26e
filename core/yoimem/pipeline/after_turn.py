"""What follows a turn of a session, and what comes before a compaction (design, section 13).

A host calls these; `yoimem extract --after-turn` and the hooks of an agent do the same. Neither
raises for what is wrong with a log or a model: the results tell. They block while a model works,
and cannot be called from within a running event loop: `asyncio.to_thread` calls them from there.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from yoimem.lint.config import Config, load_config
from yoimem.lint.host import load_plugins
from yoimem.lint.plugin import Plugins
from yoimem.lint.settings import ExtractSettings
from yoimem.pipeline.exclusive import exclusive
from yoimem.pipeline.extract import Extractor, ExtractResult, Reopen
from yoimem.pipeline.extract_agent import ask_model
from yoimem.pipeline.staging import Staging
from yoimem.recall.usage.events import UsageHistory, UsageLog
from yoimem.sessions.known import remember
from yoimem.sessions.log import SessionError, SessionLog, open_log
from yoimem.workspace.folder import LinkError
from yoimem.workspace.json_lines import bounded_id
from yoimem.workspace.layout import Root

if TYPE_CHECKING:
    from yoimem.pipeline.consolidate import ConsolidateResult

COMPACTION_WAIT = 60.0
"""Seconds that a compaction waits for an extract that is at work."""
_USAGE_LOCK = "memory/_logs/.tokens.lock"
_USAGE_WAIT = 10.0


@dataclass(frozen=True, slots=True)
class AfterTurn:
    """What was done after a turn: `tokens` are those recorded now, `consolidate` None if not due.

    `faults` tell what could not be noted, and what stood in the way of consolidating.
    """

    tokens: int
    extract: ExtractResult
    consolidate: "ConsolidateResult | None" = None
    faults: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether all went well, be it that there was nothing to do."""
        has_consolidated = self.consolidate is None or self.consolidate.is_done
        return has_consolidated and not (self.extract.error or self.faults)


def after_turn(
    root: Root,
    log_path: Path,
    *,
    session_id: str | None = None,
    reader_name: str | None = None,
    config: Config | None = None,
    plugins: Plugins | None = None,
) -> AfterTurn:
    """Record the tokens that a session spent, extract if it is due, then consolidate if it is due.

    `log_path` is the session's log; `session_id` is what the host calls the session, `reader_name`
    what the format of the log is called, where the log does not say. What is counted of a session
    is read from its log, so that no token counts twice.

    Raises:
        ConfigError: the configuration cannot be used.
    """
    settings, loaded = _prepared(root, config, plugins)
    reopen = _opener(log_path, loaded, session_id, reader_name)
    try:
        log = reopen()
    except SessionError as error:
        return AfterTurn(0, _failed(session_id, error))
    tokens, faults = note_session(root, log)
    extract = extract_if_due(root, log.session_id, reopen, settings.extract)
    from yoimem.pipeline.consolidate import consolidate_if_due  # noqa: PLC0415 - rarely due

    consolidated = consolidate_if_due(root, settings, loaded)
    if consolidated is not None and consolidated.error:
        faults = (*faults, consolidated.error)
    return AfterTurn(tokens, extract, consolidated, faults)


def before_compaction(
    root: Root,
    log_path: Path,
    *,
    session_id: str | None = None,
    reader_name: str | None = None,
    config: Config | None = None,
    plugins: Plugins | None = None,
    wait: float = COMPACTION_WAIT,
) -> ExtractResult:
    """Finish a due extract before the host rearranges the session.

    An extract that is at work already is waited for, `wait` seconds at most.

    Raises:
        ConfigError: the configuration cannot be used.
    """
    settings, loaded = _prepared(root, config, plugins)
    reopen = _opener(log_path, loaded, session_id, reader_name)
    try:
        log = reopen()
    except SessionError as error:
        return _failed(session_id, error)
    note_session(root, log)
    return extract_if_due(root, log.session_id, reopen, settings.extract, wait=wait)


def note_session(root: Root, log: SessionLog) -> tuple[int, tuple[str, ...]]:
    """Note where the log of a session is, and the tokens it spent since they were last recorded.

    Return these tokens, and what could not be noted.
    """
    try:
        remember(root.path, log)
        return _record_tokens(root, log), ()
    except (LinkError, OSError) as error:
        return 0, (f"the session could not be noted: {error}",)


def extractor_of(root: Root, settings: ExtractSettings) -> Extractor:
    """Return what extracts into the memory at `root`, with the model that `settings` name."""
    return Extractor(Staging(root.path), settings, partial(ask_model, settings.model))


def extract_if_due(
    root: Root, session_id: str, reopen: Reopen, settings: ExtractSettings, *, wait: float = 0.0
) -> ExtractResult:
    """Extract a session if it is due; without a model nothing ever is."""
    if not settings.model:
        return ExtractResult(session_id, "off")
    return extractor_of(root, settings).run(session_id, reopen, wait=wait)


def _prepared(root: Root, config: Config | None, plugins: Plugins | None) -> tuple[Config, Plugins]:
    settings = config or load_config(root)
    return settings, plugins or load_plugins(root, settings, trusted_only=True)


def _opener(
    log_path: Path, plugins: Plugins, session_id: str | None, reader_name: str | None
) -> Reopen:
    readers = plugins.session_readers
    return partial(open_log, log_path, readers, session_id, reader_name=reader_name)


def _failed(session_id: str | None, error: Exception) -> ExtractResult:
    return ExtractResult(session_id or "", "failed", error=str(error))


def _record_tokens(root: Root, log: SessionLog) -> int:
    """Record what a session spent since the last time; 0 when another process is at it."""
    usage = UsageLog(root.path)
    with exclusive(root.path, _USAGE_LOCK, _USAGE_WAIT) as is_held:
        if not is_held:
            return 0
        counted, end = _counted_until(usage.history(), log.session_id), len(log.lines)
        # Beyond the end: the log shrank or was replaced, and what it holds was never counted.
        tokens = log.tokens_since(counted if counted <= end else 0)
        if tokens:
            usage.spent(tokens, session=log.session_id, actor="agent", until=end)
        return tokens


def _counted_until(history: UsageHistory, session_id: str) -> int:
    """Return the first line of a session's log whose tokens are not counted yet."""
    session = bounded_id(session_id)
    ends = (
        event.until
        for event in reversed(history.events)
        if event.type == "tokens" and event.session == session and event.until is not None
    )
    return next(ends, 0)
