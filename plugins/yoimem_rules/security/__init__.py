"""Rules on what a text must not hold, and on what it may hide: SC."""

from yoimem import RecordRule
from yoimem_rules.security.invisible_character import InvisibleCharacter
from yoimem_rules.security.secret import Secret
from yoimem_rules.security.zero_width_character import ZeroWidthCharacter

RULES: tuple[type[RecordRule], ...] = (
    Secret,
    InvisibleCharacter,
    ZeroWidthCharacter,
)
