import re

from yoimem import Finding, Record, RuleMeta, Severity
from yoimem.records.problem import Problem
from yoimem_rules.frontmatter.field_lines import line_at, quoted_line, shown_line, spaced_line
from yoimem_rules.frontmatter.yaml_words import RUNS_ON, TEXT_BEHIND, Words, explain
from yoimem_rules.problem_rule import ProblemRule

_KEY_BEFORE_COLON = re.compile(r" *(?:- +)*[\w-]+ *")


class YamlSyntax(ProblemRule):
    """The frontmatter is no YAML."""

    meta = RuleMeta(code="FM003", name="yaml-syntax", severity=Severity.ERROR, since="0.1")

    def finding(self, problem: Problem, record: Record) -> Finding:
        offset = problem.span.start
        line = line_at(record, offset)
        words = _words(problem.detail, record.text[line.start : offset])
        # What never closes is found behind the last line, where there is nothing to show.
        shown = shown_line(record, len(record.text[: line.end].rstrip()))
        return Finding(
            f"{words.message}: `{shown}`",
            span=problem.span,
            help=_help(words, record, offset),
        )


def _words(detail: str, before: str) -> Words:
    """Return the words for `detail`, which mean another thing where a line begins."""
    if detail.startswith("mapping values") and _KEY_BEFORE_COLON.fullmatch(before):
        return RUNS_ON
    if detail.endswith("found '<scalar>'") and before.strip(" -"):
        return TEXT_BEHIND
    return explain(detail)


def _help(words: Words, record: Record, offset: int) -> str:
    quoted = quoted_line(record, offset) if words.quotes else ""
    if quoted:
        return f"quote the value: `{quoted}`"
    spaced = spaced_line(record, offset)
    return f"put a space after the colon: `{spaced}`" if spaced else words.help
