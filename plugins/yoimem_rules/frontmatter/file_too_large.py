from collections.abc import Iterable
from dataclasses import dataclass

from yoimem import Context, Finding, Record, RecordRule, RuleMeta, Severity
from yoimem.records.reader import MAX_BYTES


class FileTooLarge(RecordRule):
    """The file is too large to be a record, and is not parsed."""

    meta = RuleMeta(code="FM014", name="file-too-large", severity=Severity.ERROR, since="0.1")

    @dataclass(frozen=True)
    class Options:
        """The reader does not parse a file of more than `max_bytes`."""

        max_bytes: int = MAX_BYTES

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        for problem in record.problems:
            if problem.name != self.meta.name:
                continue
            yield Finding(
                f"the file has {problem.detail}, and {ctx.options.max_bytes:,} is the most: it was"
                " not read",
                span=problem.span,
                help="keep the one fact that the record is about, and move the rest out",
            )
