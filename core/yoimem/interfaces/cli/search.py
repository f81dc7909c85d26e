"""`yoimem search`: finds records by what they say."""

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from yoimem.formatters.visible import visible
from yoimem.interfaces.cli.failures import tell_failures
from yoimem.interfaces.cli.output import fail, off_stdout, wants_colour, write
from yoimem.lint.settings import SearchOrder
from yoimem.lint.words import did_you_mean
from yoimem.recall.errors import SearchError
from yoimem.recall.query import Hit, Query, SearchMode, SearchResult
from yoimem.tools.recall import Recall
from yoimem.workspace.layout import find_root

_ALL = "all"
_DIGITS = 6
_LINE_END = re.compile(r"\r\n|\n|\r")


class _Limit(click.ParamType[int | str]):
    """A number of hits, or `all`."""

    name = "number|all"

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        if value == _ALL:
            return _ALL
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            self.fail(f"{value!r} is neither a whole number from 1 nor `{_ALL}`", param, ctx)
        return number


@click.command(name="search", short_help="Find records by what they say.")
@click.argument("text", metavar="[QUERY]...", nargs=-1)
@click.option("--slug", help="Show the record with this slug, whole.")
@click.option("--record-kind", "record_kinds", multiple=True, help="Only records of this kind.")
@click.option("--kind", help="Only knowledge with this `kind` in its frontmatter.")
@click.option("--status", help="Only records with this status.")
@click.option("--since", help="Only what was updated since this date or RFC 3339 time.")
@click.option("--limit", type=_Limit(), help="How many hits to print, or `all`.")
@click.option("--order", type=click.Choice(["relevance", "file"]), help="What comes first.")
@click.option("--literal", is_flag=True, help="QUERY as it stands, in any case.")
@click.option("--regex", is_flag=True, help="QUERY is a regular expression.")
@click.option("--context", type=click.IntRange(min=0), help="Lines around a match.")
@click.option("--explain", is_flag=True, help="Say where each score comes from.")
@click.option("--session-id", metavar="ID", help="The session that reads, for the measured use.")
@click.option("--root", type=click.Path(path_type=Path), help="The memory, if not the one here.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def command(
    text: tuple[str, ...],
    slug: str | None,
    record_kinds: tuple[str, ...],
    kind: str | None,
    status: str | None,
    since: str | None,
    limit: int | str | None,
    order: SearchOrder | None,
    literal: bool,
    regex: bool,
    context: int | None,
    explain: bool,
    session_id: str | None,
    root: Path | None,
    output_format: str,
) -> int:
    """Find the records that hold the words of QUERY, the best first.

    With `--order file` every line that holds QUERY as it stands, by path. A record that is looked
    up by its slug counts as read. Exits with 1 when there is none.
    """
    place = find_root(Path.cwd(), given=root)
    with off_stdout():
        recall = Recall(place, session_id=session_id)
    tell_failures(recall.plugins)
    kinds, defaults = recall.plugins.kinds, recall.config.search
    _require_known("record kind", record_kinds, kinds.by_name)
    _require_known("status", [] if status is None else [status], kinds.choices("status"))
    query = Query(
        text=" ".join(text),
        slug=slug,
        record_kinds=record_kinds,
        kind=kind,
        status=status,
        since=since,
        limit=None if limit == _ALL else int(limit or defaults.limit),
        order=order or defaults.default_order,
        mode=_mode(literal, regex),
        context_lines=defaults.context_lines if context is None else context,
        explain=explain,
    )
    if explain and (query.mode != "words" or query.order == "file"):
        raise click.UsageError(
            "`--explain` says what each word adds to a score: it goes with `--order relevance`,"
            " and without `--literal` and `--regex`"
        )
    try:
        with off_stdout(), closing(recall):
            result = recall.search(query)
    except SearchError as error:
        raise click.UsageError(visible(str(error))) from error
    hits = result.hits
    prefix = _prefix(place.path)
    write(
        _as_json(hits) if output_format == "json" else _as_text(hits, prefix, colour=wants_colour())
    )
    if result.is_cut:
        fail(f"these are the first {len(hits)}; `--limit {_ALL}` prints the rest too")
    if not hits:
        fail(_nothing(result))
    return 0 if hits else 1


def _mode(literal: bool, regex: bool) -> SearchMode:
    if literal and regex:
        raise click.UsageError("QUERY is either `--literal` or a `--regex`: give one of the two")
    if regex:
        return "regex"
    return "literal" if literal else "words"


def _nothing(result: SearchResult) -> str:
    return visible(f"nothing was found: {result.hint}" if result.hint else "nothing was found")


def _prefix(root: Path) -> str:
    """Return what stands before the path of a record that is seen from the working folder."""
    try:
        return f"{Path(os.path.relpath(root)).as_posix()}/"
    except ValueError:  # another drive
        return f"{root.as_posix()}/"


def _require_known(what: str, given: Iterable[str], known: Collection[str]) -> None:
    """Refuse what is not `known`; where nothing is, anything may be."""
    for name in given:
        if known and name not in known:
            hint = did_you_mean(name, known) or f"; there are {', '.join(known)}"
            raise click.UsageError(f"there is no {what} `{visible(name)}`{hint}")


def _as_json(hits: Sequence[Hit]) -> str:
    found = json.dumps([_object(hit) for hit in hits], indent=2, ensure_ascii=False)
    return found.encode("utf-8", "backslashreplace").decode() + "\n"


def _object(hit: Hit) -> dict[str, Any]:
    found: dict[str, Any] = {
        "path": hit.path,
        "slug": hit.slug,
        "record_kind": hit.record_kind,
        "kind": hit.kind,
        "status": hit.status,
        "description": hit.description,
        "model_invokation": hit.model_invokation,
        "excerpt": hit.excerpt,
        "line": hit.line,
        "score": _rounded(hit.score),
    }
    if hit.explanation:
        found["explanation"] = [
            {"term": part.term, "fields": dict(part.fields), "score": _rounded(part.score)}
            for part in hit.explanation
        ]
    return found


def _rounded(score: float) -> float:
    """Return `score` as far as it is the same on every machine."""
    return float(f"{score:.{_DIGITS}g}")


def _as_text(hits: Sequence[Hit], prefix: str, *, colour: bool) -> str:
    text = "\n".join("".join(f"{line}\n" for line in _lines(hit, prefix)) for hit in hits)
    return text if colour else click.unstyle(text)


def _lines(hit: Hit, prefix: str) -> Iterator[str]:
    path = click.style(visible(prefix + hit.path), fg="magenta")
    status = f"[{visible(hit.status)}] " if hit.status else ""
    yield f"{path}:{hit.line}  {status}{visible(hit.description)}".rstrip()
    yield from (f"    {line}".rstrip() for line in _marked(hit).rstrip("\n").split("\n"))
    for part in hit.explanation:
        where = ", ".join(f"{name} {count}" for name, count in part.fields.items())
        yield f"    + {part.score:.4g} for {visible(part.term)} ({where})"
    if hit.explanation:
        yield f"    = {hit.score:.4g}"


def _marked(hit: Hit) -> str:
    """Return the excerpt with its matches in colour, and what would act on a terminal visible."""
    parts: list[str] = []
    end = 0
    for start, stop in hit.matches:
        parts += [_shown(hit.excerpt[end:start]), _bold(hit.excerpt[start:stop])]
        end = stop
    return "".join([*parts, _shown(hit.excerpt[end:])])


def _shown(text: str) -> str:
    return "\n".join(visible(line) for line in _LINE_END.split(text))


def _bold(text: str) -> str:
    """Return `text` in colour, each of its lines by itself."""
    return "\n".join(click.style(line, fg="red", bold=True) for line in _shown(text).split("\n"))
