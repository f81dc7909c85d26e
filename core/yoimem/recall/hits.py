"""Hits: what is shown of a record that answers."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from yoimem.recall.excerpt import View, excerpt_at
from yoimem.recall.library import why_empty
from yoimem.recall.matching import Found, Matcher
from yoimem.recall.query import Hit, TermScore, text_field
from yoimem.records.record import Record
from yoimem.records.text import Span

_HEADING_MARK = re.compile(r"#{1,6}[ \t]+")


def whole_hit(record: Record) -> Hit:
    """Return the hit that shows the whole body of `record`."""
    start = record.body_span.start
    first = record.lines.place(start).line
    return _hit(record, record.text[start:], _first_line(record), first)


def best_hit(
    record: Record,
    matcher: Matcher,
    context: int,
    score: float,
    explanation: Sequence[TermScore] = (),
) -> Hit:
    """Return the hit that shows `record` around the line that answers best.

    That is the line with most of the terms, the first of several; one of the body if there is any,
    since the description is shown in any case.
    """
    view = View.of(record.text, record.lines, matcher.fold)
    found = list(matcher.find(view.folded_text))
    body = _first_line(record)
    terms = _terms_by_line(view, found)
    best = max(terms, key=lambda line: (line >= body, len(terms[line]), -line), default=body)
    return _excerpt_hit(record, view, found, best, context, score, explanation)


def line_hits(record: Record, matcher: Matcher, context: int) -> Iterator[Hit]:
    """Yield a hit for each line of `record` on which a match begins; one if only the slug does."""
    view = View.of(record.text, record.lines, matcher.fold)
    found = list(matcher.find(view.folded_text))
    lines = list(_terms_by_line(view, found))
    if not lines and _has_slug(record, matcher):
        lines = [_first_line(record)]
    for line in lines:
        yield _excerpt_hit(record, view, found, line, context, 1.0)


def count_matches(record: Record, matcher: Matcher) -> int:
    """Count the matches in `record`, one in its slug among them."""
    inside = sum(1 for _ in matcher.find(matcher.fold(record.text)))
    return inside + _has_slug(record, matcher)


def _has_slug(record: Record, matcher: Matcher) -> bool:
    """Tell whether the slug of `record` holds a match."""
    return any(matcher.find(matcher.fold(record.slug)))


def _terms_by_line(view: View, found: Sequence[Found]) -> dict[int, set[str]]:
    """Return the terms that begin on each line that holds any, by the lines' numbers."""
    terms: defaultdict[int, set[str]] = defaultdict(set)
    for term, span in found:
        terms[view.folded.place(span.start).line].add(term)
    return terms


def _excerpt_hit(
    record: Record,
    view: View,
    found: Sequence[Found],
    line: int,
    context: int,
    score: float,
    explanation: Sequence[TermScore] = (),
) -> Hit:
    excerpt = excerpt_at(view, line, [span for _, span in found], context, _first_line(record))
    return _hit(
        record, excerpt.text, line, excerpt.first_line, excerpt.matches, score, tuple(explanation)
    )


def _hit(
    record: Record,
    excerpt: str,
    line: int,
    first_line: int,
    matches: tuple[Span, ...] = (),
    score: float = 0.0,
    explanation: tuple[TermScore, ...] = (),
) -> Hit:
    return Hit(
        path=record.path,
        slug=record.slug,
        record_kind=record.kind_name,
        kind=text_field(record, "kind"),
        status=text_field(record, "status"),
        description=text_field(record, "description") or _first_words(record) or why_empty(record),
        model_invokation=record.invoked_by_model,
        excerpt=excerpt,
        line=line,
        score=score,
        first_line=first_line,
        matches=matches,
        explanation=explanation,
    )


def _first_line(record: Record) -> int:
    """Return the number of the body's first line that is not blank, from 1."""
    start = record.body_span.start
    rest = record.text[start:]
    return record.lines.place(start + len(rest) - len(rest.lstrip())).line


def _first_words(record: Record) -> str:
    """Return the first line of a body that is not blank, a heading without its mark."""
    body = record.text[record.body_span.start :].lstrip()
    line = body.splitlines()[0].strip() if body else ""
    return _HEADING_MARK.sub("", line, count=1) if line.startswith("#") else line
