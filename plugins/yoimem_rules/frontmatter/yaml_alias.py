from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.frontmatter.field_lines import field_at, quoted_line
from yoimem_rules.problem_rule import ProblemRule
from yoimem_rules.wording import shorten


class YamlAlias(ProblemRule):
    """An anchor, an alias, a merge key or a tag stands in the frontmatter."""

    meta = RuleMeta(code="FM006", name="yaml-alias", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        quoted = quoted_line(record, problem.span.start)
        sign = "".join(problem.raw.split()[:1])
        if_text = f"; if it is a text, quote it: `{quoted}`" if quoted else ""
        return Finding(
            f"`{shorten(sign)}` is {problem.detail} of YAML, and records have none",
            span=problem.span,
            help=f"write the value out where it is meant{if_text}",
            subject=field_at(record, problem.span.start),
        )
