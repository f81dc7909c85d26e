from yoimem import Edit, Finding, Fix, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem.records.scalars import quoted
from yoimem_rules.frontmatter.field_lines import field_at, takes_text
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten


class ValueTruncatedByComment(ProblemRule):
    """A ` #` cuts a text without quotes short."""

    meta = RuleMeta(
        code="FM109",
        name="value-truncated-by-comment",
        severity=Severity.WARNING,
        since="0.1",
    )

    def finding(self, problem: Problem, record: Record) -> Finding:
        cut = shorten(problem.raw)
        comment = f"put a space after its `#`: `# {cut[1:]}`"
        field = field_at(record, problem.span.start)
        message = f"`{cut}` is no part of the value: ` #` begins a comment"
        if not takes_text(record, field):
            return Finding(message, span=problem.span, help=comment, subject=field)
        whole = quoted(record.text[problem.span.start : problem.span.end])
        return Finding(
            message,
            span=problem.span,
            help=f"quote the whole value: `{shorten(whole)}`; or, if it is a comment, {comment}",
            fix=Fix("Quote the value with its `#`", (Edit(problem.span, whole),), safe=False),
            subject=field,
        )
