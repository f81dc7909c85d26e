"""An estimate of the tokens that a text costs a model."""

import re

_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_CHARACTERS_A_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` costs.

    Four characters of an alphabet count as one token, a CJK character counts as one.
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // _CHARACTERS_A_TOKEN)
