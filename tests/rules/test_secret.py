"""What the page of SC001 cannot show. Tokens are made at run time: no scanner shall cry here."""

import base64
import json
import random
import string
from datetime import UTC, datetime
from uuid import UUID

import pytest
from tests.timing import timed

from yoimem import Context, Finding
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Reader
from yoimem_rules.security.secret import Secret

READER = Reader(Kinds())
HEAD = "---\nupdated_at: 2026-01-10T09:00:00Z\n---\n"
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + "234567"
HEX = "0123456789abcdef"
WORD = ALNUM + "-_"
BASE64 = ALNUM + "+/"
CHOSEN = random.Random(11)


def some(alphabet: str, count: int) -> str:
    """Make a random text that no shape rules out: it ends in a letter and holds a digit."""
    return "".join(CHOSEN.choices(alphabet, k=count - 3)) + "7bQ"


def hexes(count: int) -> str:
    return "".join(CHOSEN.choices(HEX, k=count))


def part(values: dict[str, str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def pem(kind: str, end: str = "\n") -> str:
    lines = [some(BASE64, 64) for _ in range(5)] + [some(BASE64, 30) + "=="]
    return end.join([f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----"])


TOKENS = {
    "aws": "AKIA" + "".join(CHOSEN.choices(UPPER, k=16)),
    "aws-session": "ASIA" + "".join(CHOSEN.choices(UPPER, k=16)),
    "aws-secret": some(BASE64, 40),
    "github": "ghp_" + some(ALNUM, 36),
    "github-app": "ghs_" + some(ALNUM, 36),
    "github-oauth": "gho_" + some(ALNUM, 36),
    "github-pat": "github_pat_" + some(ALNUM, 22) + "_" + some(ALNUM, 59),
    "gitlab": "glpat-" + some(WORD, 20),
    "slack-bot": "xoxb-" + "2317845561-5529173345511-" + some(ALNUM, 24),
    "slack-user": "xoxp-" + "2317845561-5529173345-77123-" + hexes(32),
    "slack-hook": "hooks.slack.com/" + "services/T01AB2CD3/B04EF5GH6/" + some(ALNUM, 24),
    "stripe": "sk_live_" + some(ALNUM, 24),
    "google": "AIza" + some(WORD, 35),
    "openai": "sk-" + some(ALNUM, 48),
    "openai-project": "sk-proj-" + some(WORD, 120),
    "anthropic": "sk-ant-" + "api03-" + some(WORD, 95),
    "npm": "npm_" + some(ALNUM, 36),
    "pypi": "pypi-" + "AgEIcHlwaS5vcmc" + some(WORD, 120),
    "sendgrid": "SG." + some(ALNUM, 22) + "." + some(WORD, 43),
    "twilio": "SK" + hexes(32),
    "hugging-face": "hf_" + some(ALNUM, 34),
    "digitalocean": "dop_v1_" + hexes(64),
    "azure-client": "k3x8Q~" + some(ALNUM + "._~-", 34),
    "jwt": ".".join([part({"alg": "HS256"}), part({"sub": "u-5512", "n": "Mia"}), some(WORD, 43)]),
}  # fmt: skip


def check(text: str, allow: tuple[str, ...] = ()) -> list[Finding]:
    record = READER.read_text("memory/summary.md", text)
    context = Context(Secret.Options(allow), datetime(2026, 3, 1, tzinfo=UTC))
    return list(Secret().check(record, context))


def hidden(text: str) -> list[str]:
    return [text[span.start : span.end] for finding in check(text) for span in finding.hide]


@pytest.mark.parametrize("frame", ["{}", "`{}`.", "key={}\n", "「{}」", "x: '{}'", "<{}>", "({})"])
@pytest.mark.parametrize("kind", sorted(TOKENS.keys() - {"aws-secret"}))
def test_tokens_in_real_shapes_are_found(kind: str, frame: str) -> None:
    text = HEAD + "Log in:\n" + frame.format(TOKENS[kind]) + "\n"
    (found,) = hidden(text)
    assert found in TOKENS[kind]
    assert len(found) >= len(TOKENS[kind]) - 6


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("aws_secret_access_key = {}", TOKENS["aws-secret"]),
        ('"SecretAccessKey": "{}"', TOKENS["aws-secret"]),
        ("AccountName=shop;AccountKey={};EndpointSuffix=core", some(BASE64, 86) + "=="),
        ("password: {}", "aB3xK9mQ7zT2wR5vN8yP"),
        ("**Token:** `{}`", "Zk4Tq8Wm2Xv6Rn1Ls9Jc"),
        ('DB_PASSWORD="{}"', "Hq7Lx2Vb9Nm4Rt6Ws1Zd"),
        ("Authorization: Bearer {}", "Rk8Vw3Xq6Zm1Tn5Lp9Jd2Hf"),
        ("postgres://app:{}@db.internal:5432/orders", "tr7-Wq9kz2"),
        ("redis://:{}@cache.internal", "n8dk2-mmq"),
        ("git clone https://mia:{}@git.internal/shop.git", "Ym2-kk9-Lw"),
    ],
)  # fmt: skip
def test_values_known_by_their_name_are_found(text: str, value: str) -> None:
    assert hidden(HEAD + text.format(value) + "\n") == [value]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n", "\n    ", "\n> "])
@pytest.mark.parametrize(
    "kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
def test_the_whole_of_a_private_key_is_hidden(kind: str, end: str) -> None:
    key = pem(kind, end)
    (found,) = hidden(HEAD + "Deploy with\n\n" + key + "\nand go.\n")
    assert all(line in found for line in key.split(end)[1:-1])
    assert "and go" not in found


def test_a_credential_in_the_frontmatter_is_found() -> None:
    head = f"---\nupdated_at: 2026-01-10T09:00:00Z\nowner: {TOKENS['npm']}\n---\n"
    (finding,) = check(head)
    assert finding.hide == (finding.span,)
    assert finding.span is not None
    assert head[finding.span.start : finding.span.end] == TOKENS["npm"]


def test_broken_records_are_searched_too() -> None:
    assert hidden("no frame, " + TOKENS["github"]) == [TOKENS["github"]]
    assert hidden("\udcff\udce3 " + TOKENS["github"]) == [TOKENS["github"]]


def test_each_credential_is_one_finding_with_a_subject_of_its_own() -> None:
    text = HEAD + f"{TOKENS['github']} {TOKENS['github-app']}\ntoken: {TOKENS['stripe']}\n"
    found = check(text)
    assert [finding.subject for finding in found] == [
        "GitHub token 1",
        "GitHub token 2",
        "Stripe key 1",
    ]


def test_no_finding_says_the_value() -> None:
    for token in TOKENS.values():
        for finding in check(HEAD + "token = " + token):
            assert token[4:12] not in f"{finding.message}{finding.help}{finding.subject}"


def test_allowed_values_are_passed_over() -> None:
    text = HEAD + f"{TOKENS['github']} {TOKENS['npm']}\n"
    assert [f.subject for f in check(text, allow=(TOKENS["github"],))] == ["npm token 1"]


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "the password is in the vault; password: hunter2; passwords expire",
        "token: import.meta.env.VITE_API_TOKEN_OF_PRODUCTION_1",
        "const apiKey = process.env.API_KEY_FOR_BILLING_2026",
        "token: ${{ secrets.DEPLOY_TOKEN_2026_PRODUCTION }}",
        "ghp_" + "x" * 36,
        "ghp_" + "0" * 36,
        "sk-ant-your-api-key-goes-right-in-here-1",
        "sk-proj-REDACTED-REDACTED-REDACTED-1",
        "AKIA****************, ghp_<token>, glpat-$TOKEN_OF_THE_RUNNER_2026",
        "api_key: your-api-key-from-the-Console-2026",
        "token: sha256 9f64a747e1b97f131fabb6b447296c9b6f0201e79fb3c5356e6c77e89b6a806a",
        "token: 9f64a747e1b97f131fabb6b447296c9b6f0201e79fb3c5356e6c77e89b6a806a",
        "secret commit: 3f786850e387550fdab836ed7e6dc881de23001b",
        f"token: {UUID(int=7 << 100)}",
        "password = getPasswordFromVaultForUser2",
        "token: useAuthTokenFromContext2AndRefreshIt3",
        "secret: projects/shop-prod-2026/secrets/Stripe/versions/3",
        "postgres://app:${DB_PASSWORD}@db.internal/orders",
        "postgres://user:password@localhost and mysql://root:<password>@db",
        "postgres://shop:shop-shop@example.com, amqp://guest:guest@mq, redis://:xxxxxxxx@mq",
        "http://localhost:8080/@mia, git@github.com:shop/web.git, mia@shop.dev",
        "https://shop.dev:8443?mail=a@shop.dev",
        "-----BEGIN PRIVATE KEY----- opens the block, and -----END PRIVATE KEY----- closes it",
        "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEq7Zt3Wv9Lx2Rk8NpTz4Yb6Vm1c\n",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHq7Zt3Wv9Lx2Rk8NpTz4Yb6Vm1cSd5Gh0JkLqWeRt mia",
        "task-3f786850e387550fdab836ed7e6dc881de23001b, disk-0123456789abcdef0123456789abcdef",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV",
        "![dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==)",
        "| a | b |\n|--------------------------|-----|\n\n" + "=" * 60,
    ],
)
def test_what_is_no_credential(text: str) -> None:
    assert check(HEAD + text + "\n") == []


@pytest.mark.parametrize(
    "unit",
    [
        "eyJ_", ".eyJ", "eyJabcdefghijklmnop.", "sk-proj-", "pypi-", "ghp_", "SG.", "secret", "token:",
        "://a:", "://", "bearer ", "-----BEGIN PRIVATE KEY-----", "AKIA", "Q~", "a" * 20 + "1 ",
        "-----BEGIN PRIVATE KEY-----\n" + "Ab1" * 20 + "\n", "xoxb-A", "hooks.slack.com/",
    ],
)  # fmt: skip
def test_time_stays_linear(unit: str) -> None:
    text = HEAD + unit * (400_000 // len(unit))
    _, seconds = timed(lambda: check(text))
    assert seconds < 5


def test_random_text_of_letters_is_no_credential() -> None:
    words = [
        "".join(CHOSEN.choices(string.ascii_lowercase, k=CHOSEN.randint(1, 30)))
        for _ in range(3000)
    ]
    assert check(HEAD + " ".join(words)) == []


def test_a_clean_text_needs_no_closer_look() -> None:
    from yoimem_rules.security.first_look import may_hold_credential

    assert not may_hold_credential(HEAD + "Queries stay in the process. " * 50)
    assert not may_hold_credential(HEAD + "検索はプロセスの中で行う。 " * 50)
