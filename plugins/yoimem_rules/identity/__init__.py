"""Rules on what a record is called and where it lives: ID."""

from yoimem import ProjectRule, RecordRule
from yoimem_rules.identity.invalid_slug import InvalidSlug
from yoimem_rules.identity.name_collision import NameCollision
from yoimem_rules.identity.reserved_name import ReservedName
from yoimem_rules.identity.slug_exists import SlugExists
from yoimem_rules.identity.unknown_location import UnknownLocation

RULES: tuple[type[RecordRule | ProjectRule], ...] = (
    InvalidSlug,
    UnknownLocation,
    ReservedName,
    SlugExists,
    NameCollision,
)
