"""Every built-in rule is held against its page: the examples there are its tests."""

from pathlib import Path

import pytest

from yoimem.lint.rule import Rule
from yoimem.testing import check_page
from yoimem_rules.plugin import RULES


@pytest.mark.parametrize("rule", RULES, ids=[rule.meta.code for rule in RULES])
def test_a_rule_keeps_what_its_page_says(rule: type[Rule], tmp_path: Path) -> None:
    check_page(rule, tmp_path)
