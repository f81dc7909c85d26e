"""Hands the built-in rules to yoimem, through the hook that every plugin uses."""

from yoimem import ProjectRule, RecordRule, hookimpl
from yoimem_rules import bloat, frontmatter, identity, policy, references, security, size

RULES: tuple[type[RecordRule | ProjectRule], ...] = (
    *frontmatter.RULES,
    *identity.RULES,
    *references.RULES,
    *size.RULES,
    *bloat.RULES,
    *policy.RULES,
    *security.RULES,
)


@hookimpl
def yoimem_register_rules() -> tuple[type[RecordRule | ProjectRule], ...]:
    """Return every built-in rule."""
    return RULES
