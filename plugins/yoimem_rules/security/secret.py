from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yoimem import Context, Finding, Record, RecordRule, RuleMeta, Severity
from yoimem_rules.security.first_look import may_hold_credential

if TYPE_CHECKING:
    from yoimem_rules.security.credentials import Credential


class Secret(RecordRule):
    """A credential is written into a record."""

    meta = RuleMeta(code="SC001", name="secret", severity=Severity.ERROR, since="0.1")

    @dataclass(frozen=True)
    class Options:
        """The values that are no credentials, as they stand in records."""

        allow: tuple[str, ...] = ()

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        return _judge(record.text, ctx.options.allow) if may_hold_credential(record.text) else ()


def _judge(text: str, allowed: Collection[str]) -> Iterator[Finding]:
    from yoimem_rules.security.credentials import find_credentials  # noqa: PLC0415 - rarely needed

    met: Counter[str] = Counter()
    for credential in find_credentials(text):
        hidden = text[credential.hide.start : credential.hide.end]
        if hidden.strip() not in allowed:
            met[credential.name] += 1
            yield _finding(credential, met[credential.name])


def _finding(credential: "Credential", number: int) -> Finding:
    return Finding(
        f"a credential stands here: {credential.name}",
        span=credential.span,
        help="delete the value, and name the place where it is kept, such as an environment"
        " variable; then revoke it, since others may have read it",
        subject=f"{credential.name} {number}",
        hide=(credential.hide,),
    )
