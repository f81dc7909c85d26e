"""`yoimem extract`: stages what happened in a session since the last time."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import click

from yoimem.formatters.visible import visible, visible_block
from yoimem.interfaces.cli.output import fail, off_stdout, write
from yoimem.interfaces.cli.staging import entry_object, entry_words
from yoimem.lint.config import Config, load_config
from yoimem.lint.host import load_plugins
from yoimem.lint.plugin import Plugins
from yoimem.pipeline.activity import ACTIVITY_SCHEMA
from yoimem.pipeline.after_turn import AfterTurn, after_turn, extractor_of, note_session
from yoimem.pipeline.extract import (
    ExtractResult,
    Outcome,
    Reopen,
    instructions,
    opener,
    stretch_of,
    stretch_text,
)
from yoimem.pipeline.run import RunResult
from yoimem.pipeline.run_report import report_text
from yoimem.pipeline.staging import Staging
from yoimem.sessions.log import SessionError, SessionLog
from yoimem.workspace.folder import LinkError
from yoimem.workspace.layout import Root, find_root

_VERSION = 1
_FAILED = 1
_WORDS: dict[Outcome, str] = {
    "nothing new": "nothing is new since the last extract",
    "not due": "no extract is due",
    "off": "no extract: no model is set (`extract.model`)",
    "in flight": "another extract of this session is at work, and looks again when it is done",
    "failed": "nothing was extracted",
}


class _Told(NamedTuple):
    """What is said on standard output, and on standard error of what went wrong."""

    shown: str
    errors: str = ""
    is_done: bool = True


@click.command(name="extract", short_help="Stage what happened in a session since the last time.")
@click.argument("session", metavar="SESSION")
@click.option("--if-due", is_flag=True, help="Only if enough tokens were spent since the last one.")
@click.option(
    "--after-turn",
    "is_turn_end",
    is_flag=True,
    help="Do what follows a turn: note the tokens, extract and consolidate if due.",
)
@click.option("--prompt", is_flag=True, help="Print what a model would be sent, and call none.")
@click.option("--session-id", help="What the host calls the session, if its log does not say.")
@click.option("--reader", help="The format of the log, if it is not recognised.")
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(
    session: str,
    if_due: bool,
    is_turn_end: bool,
    prompt: bool,
    session_id: str | None,
    reader: str | None,
    root: Path | None,
    output_format: str,
) -> int:
    """Let the model of `extract.model` read what is new in SESSION, and stage what happened.

    SESSION is the path of a log, or the id of a session whose log is known. What went wrong is told
    on standard error; after a turn it begins with the time and the session. Exit code: 0, also when
    there was nothing to do; 1 when the extract failed.
    """
    if if_due + is_turn_end + prompt > 1:
        raise click.UsageError("--if-due, --after-turn and --prompt are three different things")
    place = find_root(Path.cwd(), given=root)
    is_json = output_format == "json"
    dated = _dated(session_id or session) if is_turn_end else nullcontext()
    try:
        with dated, off_stdout():
            config = load_config(place)
            # What runs after every turn is a door that stays open: it runs what is trusted.
            plugins = load_plugins(place, config, trusted_only=is_turn_end)
            readers = plugins.session_readers
            reopen = opener(session, place, readers, session_id=session_id, reader_name=reader)
            log = reopen()
            if prompt:
                told = _Told(_prompt(place, log, is_json))
            elif is_turn_end:
                told = _turn_end(place, log, config, plugins, is_json)
            else:
                told = _extract(place, log, reopen, config, not if_due, is_json)
    except (SessionError, LinkError) as error:
        raise click.ClickException(str(error)) from error
    write(told.shown)
    _complain(told.errors)
    return 0 if told.is_done else _FAILED


def _extract(
    root: Root, log: SessionLog, reopen: Reopen, config: Config, force: bool, is_json: bool
) -> _Told:
    note_session(root, log)
    with _waiting():
        result = extractor_of(root, config.extract).run(log.session_id, reopen, force=force)
    if is_json:
        return _Told(_json(_result_object(result)), is_done=not result.error)
    return _Told(_result_text(result), _errors_text(visible(result.error)), not result.error)


def _turn_end(
    root: Root, log: SessionLog, config: Config, plugins: Plugins, is_json: bool
) -> _Told:
    turn = after_turn(
        root,
        log.path,
        session_id=log.session_id,
        reader_name=log.reader.name,
        config=config,
        plugins=plugins,
    )
    if is_json:
        return _Told(_json(_turn_object(turn)), is_done=turn.is_done)
    failed = [visible_block(report_text(run)) for run in _runs(turn) if run.failure]
    errors = _errors_text(visible(turn.extract.error), *failed, *map(visible, turn.faults))
    return _Told(_turn_text(turn), errors and _when(log.session_id) + errors, turn.is_done)


@contextmanager
def _dated(session: str) -> Iterator[None]:
    """Say when it was and of which session, before an error that ends the command is told."""
    try:
        yield
    except Exception:
        _complain(_when(session))
        raise


def _when(session: str) -> str:
    return f"{datetime.now(UTC).isoformat(timespec='seconds')} session {visible(session)}\n"


def _complain(text: str) -> None:
    with suppress(OSError):  # nobody reads it any more
        click.echo(text, nl=False, err=True)


@contextmanager
def _waiting() -> Iterator[None]:
    """Show on a terminal that something is being waited for."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it

    with Console(stderr=True).status("reading the session"):
        yield


def _prompt(root: Root, log: SessionLog, is_json: bool) -> str:
    stretch = stretch_of(log, Staging(root.path))
    if not stretch.entries:
        fail(_WORDS["nothing new"])
    text = stretch_text(stretch)
    if is_json:
        return _json({"instructions": instructions(), "schema": ACTIVITY_SCHEMA, "text": text})
    schema = json.dumps(ACTIVITY_SCHEMA, indent=2)
    return visible_block(f"{instructions()}\n\n{schema}\n\n{text}") + "\n"


def _turn_text(turn: AfterTurn) -> str:
    lines = [f"noted {turn.tokens:,} tokens\n", _result_text(turn.extract)]
    lines += [f"{visible_block(report_text(run))}\n" for run in _runs(turn) if not run.failure]
    return "".join(lines)


def _runs(turn: AfterTurn) -> tuple[RunResult, ...]:
    return turn.consolidate.runs if turn.consolidate else ()


def _errors_text(*errors: str) -> str:
    return "".join(f"error: {error}\n" for error in errors if error)


def _turn_object(turn: AfterTurn) -> dict[str, Any]:
    return {
        "tokens": turn.tokens,
        "extract": _result_object(turn.extract),
        "consolidate": [report_text(run) for run in _runs(turn)],
        "faults": list(turn.faults),
    }


def _result_text(result: ExtractResult) -> str:
    session = visible(result.session_id)
    lines = [f"read entries {s.start} to {s.end} of the session {session}" for s in result.sources]
    lines += [f"staged {entry_words(entry)}" for entry in result.staged]
    if result.outcome != "extracted":
        lines.append(_WORDS[result.outcome])
    elif not result.staged:
        lines.append("nothing was worth keeping")
    lines += [f"note: {visible(note)}" for note in result.notes]
    return "".join(f"{line}\n" for line in lines)


def _result_object(result: ExtractResult) -> dict[str, Any]:
    return {
        "session_id": result.session_id,
        "outcome": result.outcome,
        "ranges": [[source.start, source.end] for source in result.sources],
        "staged": [entry_object(entry) for entry in result.staged],
        "notes": list(result.notes),
        "error": result.error or None,
    }


def _json(content: dict[str, Any]) -> str:
    return json.dumps({"version": _VERSION, **content}, indent=2, ensure_ascii=False) + "\n"
