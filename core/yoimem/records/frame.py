"""The frame of a record: two `---` lines around the frontmatter (design, section 4)."""

import re
from collections.abc import Collection
from typing import Any, NamedTuple

from frontmatter.default_handlers import BaseHandler

from yoimem.records.cleanyaml import load_clean
from yoimem.records.text import Span

BOM = "\ufeff"
_BLANK = " \t\u00a0\u2000-\u200d\u2060\u202f\u3000"
_OPENER = re.compile(rf"{BOM}?(---[{_BLANK}]*)(?:\r\n|\n|\r|\Z)")
_CLOSER = re.compile(rf"(?:\r\n|\n|\r)(---[{_BLANK}]*)(?:\r\n|\n|\r|\Z)")
_LATER_OPENER = re.compile(r"(?:\r\n|\n|\r)(---)[ \t]*(?=[\r\n])")


class Frame(NamedTuple):
    """Where the parts of a record stand; the delimiters include their trailing blanks."""

    opener: Span
    yaml: Span
    closer: Span
    body: Span


class RecordHandler(BaseHandler):
    """python-frontmatter's handler for records: the first line opens, the next `---` line closes.

    Only `find`, `split` and `load` are called. The library's own `parse` strips the text first,
    and takes what has no end.
    """

    FM_BOUNDARY = _OPENER
    START_DELIMITER = END_DELIMITER = "---"

    def find(self, text: str) -> Frame | None:
        """Return the frame of `text`, None when it does not open or does not close."""
        return _find_plain(text) or self._find(text)

    def _find(self, text: str) -> Frame | None:
        opener = _OPENER.match(text)
        if opener is None:
            return None
        # The line end of the opener may be the one before the closer: empty frontmatter.
        opened = opener.end(1)
        closer = _CLOSER.search(text, opened)
        if closer is None:
            return None
        start = opener.end()
        return Frame(
            opener=Span(opener.start(1), opened),
            yaml=Span(start, max(start, closer.start())),
            closer=Span(closer.start(1), closer.end(1)),
            body=Span(closer.end(), len(text)),
        )

    def split(self, text: str) -> tuple[str, str]:
        """Return frontmatter and body as they stand in `text`.

        Raises:
            ValueError: `text` has no whole frame.
        """
        frame = self.find(text)
        if frame is None:
            raise ValueError("the text has no frontmatter, or its frontmatter does not end")
        return text[frame.yaml.start : frame.yaml.end], text[frame.body.start : frame.body.end]

    def load(self, fm: str, times: Collection[str] = ()) -> dict[str, Any]:
        """Return the values of frontmatter that is clean YAML; `times` names its fields for times.

        Raises:
            ValueError: it is not clean, and only the composer can say why.
        """
        values = load_clean(fm, times)
        if values is None:
            raise ValueError("the frontmatter is not clean YAML")
        return values


HANDLER = RecordHandler()


def _find_plain(text: str) -> Frame | None:
    """Find the frame of a text with LF line ends and bare delimiters; None for any other text.

    Two plain searches: without a CR the first line that begins with `---` is the closer, if that
    is all it holds.
    """
    if not text.startswith("---\n") or "\r" in text:
        return None
    closer = text.find("\n---", 3)
    if closer < 0 or text[closer + 4 : closer + 5] not in {"\n", ""}:
        return None
    return Frame(
        opener=Span(0, 3),
        yaml=Span(4, max(4, closer)),
        closer=Span(closer + 1, closer + 4),
        body=Span(min(closer + 5, len(text)), len(text)),
    )


def opens(text: str) -> bool:
    """Tell whether the first line of `text` is an opener."""
    return HANDLER.detect(text)


def later_opener(text: str) -> Span | None:
    """Return the first `---` line after line 1, where someone may have meant the opener."""
    match = _LATER_OPENER.search(text)
    return Span(*match.span(1)) if match else None
