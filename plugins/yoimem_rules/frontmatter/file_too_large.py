from collections.abc import Iterable
from dataclasses import dataclass

from yoimem import Context, Finding, Record, RecordRule, RuleMeta, Severity
from yoimem.records.reader import MAX_BYTES, MAX_FRONTMATTER


class FileTooLarge(RecordRule):
    """The file is too large to be a record, and is not parsed."""

    meta = RuleMeta(code="FM014", name="file-too-large", severity=Severity.ERROR, since="0.1")

    @dataclass(frozen=True)
    class Options:
        """The reader parses no file above `max_bytes`, no frontmatter above `max_frontmatter`."""

        max_bytes: int = MAX_BYTES
        max_frontmatter: int = MAX_FRONTMATTER

    def check(self, record: Record, ctx: Context[Options]) -> Iterable[Finding]:
        for problem in record.problems:
            if problem.name != self.meta.name:
                continue
            yield Finding(
                f"the file has {problem.detail}, and {problem.expected} is the most: it was not"
                " read",
                span=problem.span,
                help="keep the one fact that the record is about, and move the rest out",
            )
