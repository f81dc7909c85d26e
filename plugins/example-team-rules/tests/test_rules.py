"""What the pages do not show of the rules; pytest runs the pages by itself."""

from example_team_rules.rationale_missing import RationaleMissing
from yoimem.testing import Found, findings

DECISION = """\
---
created_at: 2026-01-10T09:00:00Z
updated_at: 2026-01-10T09:00:00Z
status: open
sources: []
---
"""


def test_a_heading_in_a_code_block_is_none() -> None:
    text = DECISION + "```\n# Rationale\n```\n"
    assert findings(RationaleMissing, {"memory/decisions/a.md": text}) == [
        Found("memory/decisions/a.md", 7, 1, "the decision has no `Rationale` heading")
    ]


def test_the_heading_is_an_option() -> None:
    texts = {"memory/decisions/a.md": DECISION + "## Why\n"}
    assert findings(RationaleMissing, texts, options={"heading": "Why"}) == []
    assert len(findings(RationaleMissing, texts)) == 1
