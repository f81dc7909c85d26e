"""What PyYAML's messages mean, in words for someone who writes a record."""

import re
from dataclasses import dataclass

_FIELD_FORM = "write each field as `key: value`, with a space after the colon"
_BLOCK_TEXT = "a text of several lines goes under `key: |`, each of its lines indented"
_SINGLE_QUOTES = "use single quotes, where a backslash is only a backslash"
_COLUMN = "begin every field at the first column, and the items of one list in one column"


@dataclass(frozen=True, slots=True)
class Words:
    """What is wrong, and how to mend it.

    `quotes` tells whether quotes around the value may be what is missing.
    """

    message: str
    help: str
    quotes: bool = True


RUNS_ON = Words(
    "the line above runs on into this one",
    f"{_FIELD_FORM}, and begin it at the first column; {_BLOCK_TEXT}",
    quotes=False,
)
TEXT_BEHIND = Words(
    "text stands behind the end of the value",
    "quote the whole value, or delete what stands behind it",
)

_WORDS: tuple[tuple[re.Pattern[str], Words], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (
            "mapping values are not allowed",
            Words("a `: ` stands inside a value that has no quotes", "quote the value"),
        ),
        (
            "sequence entries are not allowed",
            Words(
                "a value may not begin with `- `",
                "put each item of a list on a line of its own below the key, or quote a text",
            ),
        ),
        (
            "mapping keys are not allowed",
            Words("a value may not begin with `? `", "quote the value"),
        ),
        (
            "could not find expected ':'",
            Words("the line is no field: it has no `: `", f"{_FIELD_FORM}; {_BLOCK_TEXT}"),
        ),
        (
            "found character '(?P<char>.+)' that cannot start any token",
            Words("a value may not begin with `{char}` unless it has quotes", "quote the value"),
        ),
        (
            "found unexpected (?:end of stream|document separator)",
            Words(
                "the quotes that open here never close",
                "close them at the end of the value; in single quotes, write `'` as `''`",
            ),
        ),
        (
            "found unknown escape character '(?P<char>.+)'",
            Words("`\\{char}` is no escape that YAML knows", _SINGLE_QUOTES),
        ),
        (
            "expected escape sequence",
            Words(
                "an escape in double quotes lacks its hexadecimal digits",
                _SINGLE_QUOTES,
            ),
        ),
        (
            r"surrogate pair|chr\(\)|int too large",
            Words("an escape in double quotes names no character", _SINGLE_QUOTES),
        ),
        (
            "expected a comment or a line break|expected chomping|expected indentation indicator",
            Words(
                "a value that begins with `|` or `>` may not go on in the same line",
                "quote it, or put the text on the lines below, indented",
            ),
        ),
        (
            "expected alphabetic or numeric character",
            Words("a value may not begin with `*` or `&` unless it has quotes", "quote the value"),
        ),
        (
            "expected URI|expected ' '|expected '[!>]'|undefined tag handle",
            Words("a value may not begin with `!` unless it has quotes", "quote the value"),
        ),
        (
            "expected <block end>, but found '-'",
            Words(
                "a list item stands where a field was to come",
                f"put a key above it, like `sources:`; {_COLUMN}",
                quotes=False,
            ),
        ),
        (
            r"expected <block end>, but found '\?'",
            Words(
                "a field stands where a list item was to come",
                "the frontmatter is fields alone, none of its lines an item of an outer list",
                quotes=False,
            ),
        ),
        (
            r"expected <block end>, but found '(?P<char>[\]}])'",
            Words(
                "a `{char}` closes what was never opened",
                "delete it, or quote the value if it is a text",
                quotes=False,
            ),
        ),
        (
            "expected <block end>, but found ':'|a key is missing before",
            Words("a key is missing before the `:`", _FIELD_FORM, quotes=False),
        ),
        ("expected <block end>, but found ','", TEXT_BEHIND),
        (
            "expected <block end>",
            Words("the line is indented as no line above it", _COLUMN, quotes=False),
        ),
        (
            r"expected ',' or '(?P<char>[\]}])'",
            Words(
                "a list or mapping in brackets lacks a `,` or its `{char}`",
                "put `, ` between the parts, `{char}` at the end, and quote a part that holds"
                " `: `, `#` or a bracket",
                quotes=False,
            ),
        ),
        (
            "expected the node content, but found '<stream end>'",
            Words(
                "a `[` or `{{` never closes",
                "close it; an item that begins with `#` needs quotes",
                quotes=False,
            ),
        ),
        (
            "expected the node content, but found '(?P<char>.+)'",
            Words("a value may not begin with `{char}` unless it has quotes", "quote the value"),
        ),
        (
            "expected '<document start>'",
            Words(
                "the fields do not begin in one column",
                f"{_COLUMN}; none may begin with `%`",
                quotes=False,
            ),
        ),
        (
            "a second YAML document",
            Words(
                "the frontmatter ends here for YAML, and more of it follows",
                "delete the line: only the opening and the closing line may be `---`, none `...`",
                quotes=False,
            ),
        ),
        (
            "a key must be one plain text",
            Words(
                "a list or a mapping stands where a key was to come",
                f"{_FIELD_FORM}; quote a text that begins with a bracket",
            ),
        ),
    )
)


def explain(detail: str) -> Words:
    """Return plain words for `detail`, what PyYAML or the composer said."""
    for pattern, words in _WORDS:
        match = pattern.search(detail)
        if match is not None:
            parts = match.groupdict()
            return Words(words.message.format(**parts), words.help.format(**parts), words.quotes)
    return Words(f"YAML cannot read it ({detail})", f"{_FIELD_FORM}, and quote a text")
