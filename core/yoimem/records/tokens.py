"""An estimate of the tokens that a text costs a model (design, section 12).

A tokenizer's vocabulary weighs megabytes, and each model has its own: an estimate is enough to keep
a budget. Its figures were fitted to the counts of cl100k_base; for English, code and Japanese it is
within 20 % of them (`tests/records/data/tokens.json`).
"""

import re

_MARKS = r"[\x00-\x08\x0b\x0c\x0e-\x1f!-/:-@\[-^`{-\x7f]"
_PIECES = re.compile(
    r"(?<!\S)[A-Za-z][a-z]{1,12}"  # a word, of which a tokenizer knows most
    r"|[._(/-]?[A-Z]?[a-z]{1,6}"  # the rest of a word, or a part of an identifier
    r"|[A-Z]{1,5}"
    r"|[0-9]{1,3}"
    rf"|({_MARKS}|_)\1{{3,63}}"  # a rule across the page
    rf"|{_MARKS}{{1,3}}"
    r"|_"
    r"|[ \t\r\n]{2,80}"  # a single blank belongs to the word behind it
    r"|[\r\n]"
)
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+")
_CYRILLIC = re.compile(r"[\u0400-\u052f]+")
# What a character costs, in tenths of a token.
_WIDE_COST, _CYRILLIC_COST, _OTHER_COST = 11, 5, 10


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` costs.

    In ASCII a short word, the part of a longer one or of an identifier, up to three digits or marks
    and a run of blanks count as one. Beyond it a Chinese, Japanese or Korean character counts as
    1.1, a Cyrillic one as half, and any other as one.
    """
    pieces = len(_PIECES.findall(text))
    if text.isascii():
        return pieces
    wide, cyrillic = _count(_WIDE, text), _count(_CYRILLIC, text)
    others = len(text) - len(text.encode("ascii", "ignore")) - wide - cyrillic
    tenths = wide * _WIDE_COST + cyrillic * _CYRILLIC_COST + others * _OTHER_COST
    return pieces + -(-tenths // 10)


def _count(runs: re.Pattern[str], text: str) -> int:
    return sum(map(len, runs.findall(text)))
