"""Rules on what a text may hide: SC."""

from yoimem import RecordRule
from yoimem_rules.security.invisible_character import InvisibleCharacter
from yoimem_rules.security.zero_width_character import ZeroWidthCharacter

RULES: tuple[type[RecordRule], ...] = (
    InvisibleCharacter,
    ZeroWidthCharacter,
)
