"""Credentials, by the shapes that their issuers give them.

The shapes are those that the issuers document, held against the rules of gitleaks (MIT,
https://github.com/gitleaks/gitleaks). A shape is here when nothing else looks like it: in notes,
most of what has a high entropy is a hash, a slug or a path.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from yoimem import Span
from yoimem_rules.security.first_look import odd_words


class Credential(NamedTuple):
    """A credential in a text: what it is, where it stands, and what of it must not be shown."""

    name: str
    span: Span
    hide: Span


class Shape:
    """How one kind of credential looks: it `begins` so, and goes on like this."""

    def __init__(self, name: str, begins: str, goes_on: str) -> None:
        self.name = name
        self.begins = begins
        self._goes_on = goes_on

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What matches from the beginning on; its group `value` is what must not be shown."""
        value = f"(?P<value>(?:{self.begins}){self._goes_on})"
        return re.compile(f"(?<![A-Za-z0-9]){value}(?![A-Za-z0-9])")


class NamedShape(Shape):
    """How a credential looks that is known by the name before it, which is no part of it."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(f"(?i:{self.begins})(?P<value>{self._goes_on})(?![A-Za-z0-9+/])")


_ALNUM = "[A-Za-z0-9]"
_WORD = "[A-Za-z0-9_-]"
_IS = r"""["'`* \t]{0,5}(?::|:?=|=>)["'`* \t]{0,5}"""

# What each begins with starts with a fixed letter: that makes looking for it fast.
_SHAPES = (
    Shape("AWS access key id", "AKIA|ASIA|ABIA|ACCA", "[A-Z0-9]{16}"),
    Shape("GitHub token", "gh[pousr]_", f"{_ALNUM}{{36,255}}"),
    Shape("GitHub token", "github_pat_", "[A-Za-z0-9_]{36,255}"),
    Shape(
        "GitLab token",
        "gl(?:pat|ptt|dt|rt|soat|cbt|oas|ft|imt|agent)-",
        rf"{_WORD}{{20,300}}(?:\.[0-9a-z]{{2}}\.[0-9a-z]{{9}})?",
    ),
    Shape("Slack token", "xox[abeoprs]-", "[A-Za-z0-9-]{20,300}"),
    Shape("Slack token", r"xapp-\d-", "[A-Za-z0-9-]{40,300}"),
    Shape("Slack webhook", r"hooks\.slack\.com/", "(?:services|workflows)/[A-Za-z0-9+/]{30,90}"),
    Shape("Stripe key", "sk_live_|rk_live_", f"{_ALNUM}{{16,255}}"),
    Shape("Stripe webhook secret", "whsec_", "[A-Za-z0-9+/]{32,64}"),
    Shape("Google API key", "AIza", f"{_WORD}{{35}}(?!{_WORD})"),
    Shape("Google client secret", "GOCSPX-", f"{_WORD}{{28}}(?!{_WORD})"),
    Shape("Google access token", r"ya29\.", f"{_WORD}{{30,600}}"),
    Shape("Anthropic key", "sk-ant-", f"{_WORD}{{24,255}}"),
    Shape("OpenAI key", "sk-(?:proj|svcacct|admin|None)-", f"{_WORD}{{20,255}}"),
    Shape("OpenRouter key", "sk-or-v1-", "[0-9a-f]{64}"),
    Shape("OpenAI key", "sk-", f"{_ALNUM}{{32,64}}"),
    Shape("Groq key", "gsk_", f"{_ALNUM}{{40,64}}"),
    Shape("xAI key", "xai-", f"{_ALNUM}{{60,100}}"),
    Shape("Hugging Face token", "hf_", f"{_ALNUM}{{34,40}}"),
    Shape("npm token", "npm_", f"{_ALNUM}{{36}}"),
    Shape("PyPI token", "pypi-", f"{_WORD}{{50,600}}"),
    Shape("Docker Hub token", "dckr_pat_", f"{_WORD}{{27,64}}"),
    Shape("DigitalOcean token", "do[opr]_v1_", "[0-9a-f]{64}"),
    Shape("Shopify token", "shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]{32}"),
    Shape("Vault token", r"hv[bs]\.", f"{_WORD}{{24,300}}"),
    Shape("SendGrid key", r"SG\.", rf"{_WORD}{{20,24}}\.{_WORD}{{39,50}}"),
    Shape("Twilio key", "SK", "[0-9a-f]{32}"),
    Shape(
        "JSON web token",
        "eyJ",
        rf"{_WORD}{{14,1000}}\.eyJ{_WORD}{{10,8000}}\.{_WORD}{{20,2000}}",
    ),
)
_RANDOM = NamedShape(
    "secret value",
    r"(?:passw(?:or)?d|passphrase|secret|token|(?:api|access|auth)[_-]?key|credentials?)"
    rf"\w{{0,16}}{_IS}|(?:bearer|basic)[ ]{{1,3}}",
    "[A-Za-z0-9_+/-]{20,200}={0,2}",
)
_NAMED_SHAPES = (
    NamedShape("Azure client secret", rf"{_ALNUM}{{3}}\dQ~", "[A-Za-z0-9_.~-]{31,34}"),
    NamedShape("Azure key", "(?:Account|SharedAccess)Key=", "[A-Za-z0-9+/]{42,88}={0,2}"),
    NamedShape("AWS secret access key", f"secret_?access_?key{_IS}", "[A-Za-z0-9+/]{40}"),
    _RANDOM,
)
_BEGINNINGS = "|".join(shape.begins for shape in _SHAPES)
_BEGINNING, _BEGINNING_IN_BYTES = re.compile(_BEGINNINGS), re.compile(_BEGINNINGS.encode())
_NAMES = "(?i)" + "|".join(shape.begins for shape in _NAMED_SHAPES)
_NAME, _NAME_IN_BYTES = re.compile(_NAMES), re.compile(_NAMES.encode())
_OUTSIDE = len(b"hooks.slack.")  # how much of a beginning may stand before the long word

_PLACEHOLDER = re.compile(r"(?i)example|sample|placeholder|redacted|change.?me|your|xxxx")
# What the issuers' own pages show.
_DOCUMENTED = (
    "16C7e42F292c6912E7710c838347",
    "pdFZKVeTuE8sk7oOcHrzqzgy",
    "SyD-9tSrke72PouQMnMX",
    "eyJzdWIiOiIxMjM0NTY3ODkwIi",
)
_FEWEST_CHARACTERS = 8
_CAPITAL_OR_DIGIT = re.compile("[A-Z0-9]")
_FEWEST_DIGITS = 2
_SHARE_OF_CHANGES = 0.45  # a random text of letters and digits changes its kind at 0.62 of places

_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?P<value>(?:\s|\\[nrt]|[>|\"',+]|[A-Z][A-Za-z-]{2,20}: [^\r\n]*|[A-Za-z0-9+/]{16,}={0,2})*+"
    r"(?:=?[A-Za-z0-9+/]{1,15}={0,2}(?=(?:\s|\\[nrt])*-----END))?)"
)
_KEY_LINE = re.compile(r"[A-Za-z0-9+/]{40}")

_ADDRESS = re.compile(r"://(?P<user>[^\s/:@]*):(?P<value>[^\s/@?#]{6,})@(?P<host>[\w.-]+)")
_NO_PASSWORD = re.compile(
    r"(?i)\W*(?:(?:\w+[_-])?(?:passw(?:or)?d|pass|passphrase|secret|token|api.?key|x+)\W*$"
    r"|\$|\{|<|\[|%\(|%\w+%|\*{3}|\.{3}|…)"
)
_DOCUMENTED_HOST = re.compile(r"(?i)(?:.*\.)?example(?:\.[a-z]+)?$|.*\.(?:invalid|test)$")


def find_credentials(text: str) -> list[Credential]:
    """Return the credentials of `text`, in order; of two that meet, the one that tells more."""
    found: list[Credential] = []
    if "PRIVATE KEY" in text:
        _add(found, _private_keys(text))
    if "Q~" in text or any(_is_announced(before, word) for before, word in odd_words(text)):
        _add(found, _shaped(text))
        _add(found, _named(text))
    _add(found, _in_addresses(text))
    return sorted(found, key=lambda credential: credential.span)


def _is_announced(before: bytes, word: bytes) -> bool:
    """Tell whether a long word begins like a credential, or has the name of one `before` it."""
    beginning = _BEGINNING_IN_BYTES.search(before[-_OUTSIDE:] + word)
    return beginning is not None or _NAME_IN_BYTES.search(before) is not None


def _shaped(text: str) -> Iterator[Credential]:
    for beginning in _BEGINNING.finditer(text):
        yield from _of_shapes(_SHAPES, text, beginning.start())


def _named(text: str) -> Iterator[Credential]:
    for name in _NAME.finditer(text):
        for found in _of_shapes(_NAMED_SHAPES, text, name.start()):
            if found.name != _RANDOM.name or _is_random(text[found.span.start : found.span.end]):
                yield found


def _of_shapes(shapes: Iterable[Shape], text: str, at: int) -> Iterator[Credential]:
    """Yield the credential that has one of `shapes` at the offset `at`, if there is one."""
    for shape in shapes:
        match = shape.pattern.match(text, at)
        if match is not None and _is_real(match["value"]):
            span = Span(*match.span("value"))
            yield Credential(shape.name, span, span)
            return


def _private_keys(text: str) -> Iterator[Credential]:
    for match in _PRIVATE_KEY.finditer(text):
        if _KEY_LINE.search(match["value"]) and _is_real(match["value"]):
            header = Span(match.start(), match.start("value"))
            yield Credential("private key", header, Span(*match.span("value")))


def _in_addresses(text: str) -> Iterator[Credential]:
    for match in _ADDRESS.finditer(text):
        password, host = match["value"], match["host"]
        is_no_password = (
            password == match["user"]
            or _PLACEHOLDER.search(password)
            or _NO_PASSWORD.match(password)
            or _DOCUMENTED_HOST.match(host)
        )
        if not is_no_password:
            span = Span(*match.span("value"))
            yield Credential("password in an address", span, span)


def _is_real(value: str) -> bool:
    """Tell whether `value` is no placeholder and no example of a documentation."""
    if _PLACEHOLDER.search(value) or any(known in value for known in _DOCUMENTED):
        return False
    return len(set(value)) >= _FEWEST_CHARACTERS and _CAPITAL_OR_DIGIT.search(value) is not None


def _is_random(value: str) -> bool:
    """Tell whether `value` is no word, name or hash: capitals, small letters and digits mix."""
    kinds = [_kind(char) for char in value.rstrip("=")]
    changes = sum(first != second for first, second in pairwise(kinds))
    return (
        {"capital", "small"} <= set(kinds)
        and kinds.count("digit") >= _FEWEST_DIGITS
        and changes >= _SHARE_OF_CHANGES * (len(kinds) - 1)
    )


def _kind(char: str) -> str:
    if char.isdigit():
        return "digit"
    if char.isupper():
        return "capital"
    return "small" if char.islower() else "other"


def _add(found: list[Credential], more: Iterable[Credential]) -> None:
    """Add to `found` what of `more` meets nothing in it."""
    for credential in more:
        if not any(_meet(credential.hide, other.hide) for other in found):
            found.append(credential)


def _meet(span: Span, other: Span) -> bool:
    return span.start < other.end and other.start < span.end
