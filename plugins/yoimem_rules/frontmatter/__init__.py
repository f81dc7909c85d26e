"""Rules on the frame, the YAML and the fields of a record's frontmatter."""

from yoimem import RecordRule
from yoimem_rules.frontmatter.ambiguous_scalar import AmbiguousScalar
from yoimem_rules.frontmatter.byte_order_mark import ByteOrderMark
from yoimem_rules.frontmatter.delimiter_trailing_space import DelimiterTrailingSpace
from yoimem_rules.frontmatter.duplicate_key import DuplicateKey
from yoimem_rules.frontmatter.file_too_large import FileTooLarge
from yoimem_rules.frontmatter.frontmatter_not_a_mapping import FrontmatterNotAMapping
from yoimem_rules.frontmatter.identity_in_frontmatter import IdentityInFrontmatter
from yoimem_rules.frontmatter.invalid_field import InvalidField
from yoimem_rules.frontmatter.invalid_status import InvalidStatus
from yoimem_rules.frontmatter.invalid_timestamp import InvalidTimestamp
from yoimem_rules.frontmatter.merge_conflict_marker import MergeConflictMarker
from yoimem_rules.frontmatter.missing_field import MissingField
from yoimem_rules.frontmatter.missing_frontmatter import MissingFrontmatter
from yoimem_rules.frontmatter.not_utf8 import NotUtf8
from yoimem_rules.frontmatter.tab_in_frontmatter import TabInFrontmatter
from yoimem_rules.frontmatter.timestamp_without_timezone import TimestampWithoutTimezone
from yoimem_rules.frontmatter.unclosed_frontmatter import UnclosedFrontmatter
from yoimem_rules.frontmatter.unicode_line_break import UnicodeLineBreak
from yoimem_rules.frontmatter.unknown_key import UnknownKey
from yoimem_rules.frontmatter.unreadable_file import UnreadableFile
from yoimem_rules.frontmatter.updated_before_created import UpdatedBeforeCreated
from yoimem_rules.frontmatter.value_truncated_by_comment import ValueTruncatedByComment
from yoimem_rules.frontmatter.yaml_alias import YamlAlias
from yoimem_rules.frontmatter.yaml_syntax import YamlSyntax
from yoimem_rules.frontmatter.yaml_too_deep import YamlTooDeep

RULES: tuple[type[RecordRule], ...] = (
    MissingFrontmatter,
    UnclosedFrontmatter,
    YamlSyntax,
    FrontmatterNotAMapping,
    DuplicateKey,
    YamlAlias,
    YamlTooDeep,
    TabInFrontmatter,
    UnicodeLineBreak,
    MergeConflictMarker,
    NotUtf8,
    ByteOrderMark,
    DelimiterTrailingSpace,
    FileTooLarge,
    UnreadableFile,
    MissingField,
    InvalidField,
    AmbiguousScalar,
    InvalidTimestamp,
    TimestampWithoutTimezone,
    InvalidStatus,
    IdentityInFrontmatter,
    UnknownKey,
    ValueTruncatedByComment,
    UpdatedBeforeCreated,
)
