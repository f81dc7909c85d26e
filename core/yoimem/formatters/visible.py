"""Text from records, made safe to show: what would act on a terminal, or hide, is spelled out."""

import re
import unicodedata

_LINE_END = re.compile(r"\r\n|\n|\r")
_ESCAPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
_BLANKS = " \u3000"
_BLANK_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
_NO_CHARACTERS = "\ufffe\uffff"


def visible(text: str) -> str:
    r"""Return `text` as one line that a terminal shows as it is.

    Controls, line ends too, bidi controls, characters without a width, and blanks that are no
    plain blank become escapes (`\x1b`, `\n`, `\u202e`); a byte that was not UTF-8 becomes `\xff`.
    """
    return "".join(map(visible_character, text))


def visible_lines(text: str) -> list[str]:
    """Return the lines of `text`, each made visible, without empty ones at the end."""
    return [visible(line) for line in _LINE_END.split(text.rstrip("\r\n"))]


def visible_block(text: str) -> str:
    """Return `text` made visible, its line ends kept as plain ones."""
    return "\n".join(visible_lines(text))


def visible_character(character: str) -> str:
    """Return `character`, or its escape when it would act on a terminal or show nothing."""
    if not _is_escaped(character):
        return character
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def width(text: str) -> int:
    """Count the terminal columns of a visible `text`: East Asian characters take two."""
    return sum(map(_columns, text))


def _is_escaped(character: str) -> bool:
    if character in _BLANKS:
        return False
    return (
        unicodedata.category(character) in _ESCAPED_CATEGORIES
        or character in _BLANK_LETTERS
        or character in _NO_CHARACTERS
    )


def _columns(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
