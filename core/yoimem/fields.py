"""The fields of frontmatter, for the schemas of a plugin's record kinds.

They are stricter than marshmallow's own, and say what they expect; `required=True` makes one
required.
"""

from yoimem.records.fields import (
    Choice,
    Flag,
    Slug,
    SlugList,
    Source,
    SourceField,
    SourceList,
    Text,
    Timestamp,
)

__all__ = [
    "Choice",
    "Flag",
    "Slug",
    "SlugList",
    "Source",
    "SourceField",
    "SourceList",
    "Text",
    "Timestamp",
]
