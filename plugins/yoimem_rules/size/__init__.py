"""Rules on how long a record may be: SZ."""

from yoimem import RecordRule
from yoimem_rules.size.body_too_long import BodyTooLong
from yoimem_rules.size.description_too_long import DescriptionTooLong

RULES: tuple[type[RecordRule], ...] = (
    BodyTooLong,
    DescriptionTooLong,
)
