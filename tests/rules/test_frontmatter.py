"""What the pages of the frontmatter rules cannot show: messages, helps, fixes, and order."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from yoimem import Context, Finding, Fix, RecordRule, lint_text
from yoimem.lint.words import nearest
from yoimem.records.kinds import Kinds
from yoimem.records.reader import Limits, Reader
from yoimem.records.record import Record
from yoimem_rules import frontmatter
from yoimem_rules.frontmatter.ambiguous_scalar import AmbiguousScalar
from yoimem_rules.frontmatter.byte_order_mark import ByteOrderMark
from yoimem_rules.frontmatter.delimiter_trailing_space import DelimiterTrailingSpace
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
from yoimem_rules.frontmatter.unknown_key import UnknownKey
from yoimem_rules.frontmatter.unreadable_file import UnreadableFile
from yoimem_rules.frontmatter.updated_before_created import UpdatedBeforeCreated
from yoimem_rules.frontmatter.value_truncated_by_comment import ValueTruncatedByComment
from yoimem_rules.frontmatter.yaml_alias import YamlAlias
from yoimem_rules.frontmatter.yaml_syntax import YamlSyntax
from yoimem_rules.frontmatter.yaml_too_deep import YamlTooDeep
from yoimem_rules.wording import shorten

DECISION = "memory/decisions/use-sqlite.md"
KNOWLEDGE = "knowledge/run-migrations.md"
NOW = datetime(2026, 2, 1, tzinfo=UTC)
READER = Reader(Kinds())


def decision(fields: str = "status: open\nsources: []\n", body: str = "Why.\n") -> str:
    times = "created_at: 2026-01-10T09:00:00Z\nupdated_at: 2026-01-10T09:00:00Z\n"
    return f"---\n{times}{fields}---\n{body}"


def knowledge(line: str) -> str:
    """Return a knowledge record with `line` in the place of its description, on line 4."""
    return (
        "---\ncreated_at: 2026-01-10T09:00:00Z\nupdated_at: 2026-01-10T09:00:00Z\n"
        f"{line}\nkind: convention\nmodel_invokation: true\nuser_invocable: true\n"
        "last_sources: []\n---\nBody.\n"
    )


def judge(rule: type[RecordRule], record: Record) -> list[Finding]:
    return list(rule().check(record, Context(rule.Options(), NOW)))


def findings(rule: type[RecordRule], text: str, path: str = DECISION) -> list[Finding]:
    return judge(rule, READER.read_text(path, text))


def only(rule: type[RecordRule], text: str, path: str = DECISION) -> Finding:
    (finding,) = findings(rule, text, path)
    return finding


def helps(rule: type[RecordRule], text: str, path: str = DECISION) -> str:
    return only(rule, text, path).help or ""


def apply(text: str, fix: Fix | None) -> str:
    assert fix is not None
    for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


# The bundle


def test_rules_stand_in_order_of_their_codes() -> None:
    codes = [rule.meta.code for rule in frontmatter.RULES]

    assert codes == [
        *(f"FM{number:03}" for number in range(1, 16)),
        *(f"FM{number}" for number in range(101, 111)),
    ]


def test_five_faults_give_five_findings_in_file_order(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    text = (
        "---\nid: use-sqlite\ncreated_at: 2026-02-30T09:00:00Z\nupdated_at: yesterday\n"
        "status: done\nsources: [{session_id: 0010, range: [0, 1]}]\n---\nWhy.\n"
    )

    report = lint_text(tmp_path, DECISION, text)

    assert report.failures == ()
    assert [(d.start.line, d.code) for d in report.diagnostics] == [
        (2, "FM107"),
        (3, "FM104"),
        (4, "FM104"),
        (5, "FM106"),
        (6, "FM103"),
    ]


def test_a_good_record_has_no_finding() -> None:
    record = READER.read_text(DECISION, decision())

    assert [f for rule in frontmatter.RULES for f in judge(rule, record)] == []


# The frame


@pytest.mark.parametrize(
    ("text", "message", "mend"),
    [
        ("", "line 1 is empty", "`created_at`, `updated_at`, `sources`, `status`"),
        ("# Notes\n", "line 1 is `# Notes`", "begin the file with a line `---`"),
        ("----\nstatus: open\n", "`----`", "three hyphens"),
        (" ---\nstatus: open\n---\n", "` ---`", "three hyphens"),
        ("<!-- x -->\n---\nstatus: open\n---\n", "`<!-- x -->`", "on line 2"),
    ],
)
def test_missing_frontmatter_says_what_stands_there(text: str, message: str, mend: str) -> None:
    finding = only(MissingFrontmatter, text)

    assert message in finding.message
    assert mend in (finding.help or "")


@pytest.mark.parametrize(
    ("below", "mend"),
    [
        ("status: open\nBody.\n", "above line 3, `Body.`"),
        ("sources:\n  - session_id: s1\n\nBody.\n", "above line 5, `Body.`"),
        ("status: open\n ---\nBody.\n", "line 3, ` ---`"),
        ("status: open\n...\nBody.\n", "line 3, `...`"),
        ("status: open\r\n----\r\nBody.\r\n", "line 3, `----`"),
        ("status: open\n", "below the last field"),
        ("", "below the last field"),
    ],
)
def test_unclosed_frontmatter_points_at_its_end(below: str, mend: str) -> None:
    line_end = "\r\n" if "\r" in below else "\n"

    assert mend in helps(UnclosedFrontmatter, f"---{line_end}{below}")


def test_byte_order_mark_is_deleted_and_nothing_else() -> None:
    text = "\ufeff" + decision(body="The mark \ufeff in the text stays.\r\n")

    mended = apply(text, only(ByteOrderMark, text).fix)

    assert mended == text[1:]
    assert findings(ByteOrderMark, mended) == []


def test_delimiters_lose_their_trailing_spaces_and_nothing_else() -> None:
    good = decision(body="A line with spaces  \n").replace("\n", "\r\n")
    text = good.replace("---\r\n", "--- \t\r\n")

    found = findings(DelimiterTrailingSpace, text)
    mended = apply(text, found[1].fix)
    mended = apply(mended, found[0].fix)

    assert len(found) == 2
    assert mended == good


# YAML


@pytest.mark.parametrize(
    ("line", "message", "mended"),
    [
        (
            "description: Two modes: fast and safe",
            "a `: ` stands inside a value that has no quotes",
            "description: 'Two modes: fast and safe'",
        ),
        ("description: end:", "a `: ` stands inside", "description: 'end:'"),
        ("description: @alice", "may not begin with `@`", "description: '@alice'"),
        ("description: %20 off", "may not begin with `%`", "description: '%20 off'"),
        ("description: `make` it", "may not begin with ```", "description: '`make` it'"),
        ("description: **bold**", "may not begin with `*`", "description: '**bold**'"),
        ("description: - a dash", "may not begin with `- `", "description: '- a dash'"),
        ("description: ? what", "may not begin with `? `", "description: '? what'"),
        ("description: > 5 tables", "begins with `|` or `>`", "description: '> 5 tables'"),
        ("description: !%x", "may not begin with `!`", "description: '!%x'"),
        ("description: ,a", "may not begin with `,`", "description: ',a'"),
        ("description: 'it's done'", "text stands behind", "description: 'it''s done'"),
        ("description: 'a' or 'b'", "text stands behind", "description: '''a'' or ''b'''"),
        ("description: [WIP] cut", "text stands behind", "description: '[WIP] cut'"),
        ("description: {{ name }}", "a list or a mapping", "description: '{{ name }}'"),
        ('description: "C:\\Users"', "hexadecimal digits", "description: 'C:\\Users'"),
        ('description: "a \\d"', "`\\d` is no escape", "description: 'a \\d'"),
        ('description: "\\ud800"', "names no character", "description: '\\ud800'"),
        ('description: "\\U00110000"', "names no character", ""),
        ("description: 'never ends", "never close", "description: 'never ends'"),
        ("description:glued", "the line is no field", "description: glued"),
    ],
)
def test_yaml_syntax_gives_the_line_to_paste(line: str, message: str, mended: str) -> None:
    text = knowledge(line)

    finding = only(YamlSyntax, text, KNOWLEDGE)

    assert message in finding.message
    if mended:
        assert f"`{mended}`" in (finding.help or "")
        assert findings(YamlSyntax, text.replace(line, mended), KNOWLEDGE) == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("sources: [{session_id: s1, range: [0, 1]}\n", "lacks a `,` or its `]`"),
        ("sources:\n  - session_id: s1\n    range: [0, 1\n", "`    range: [0, 1`"),
        ("sources: []]\n", "a `]` closes what was never opened"),
        ("sources: [\n", "a `[` or `{` never closes"),
        ("sources:\n- session_id: s1\n range: [0, 1]\n", "indented as no line above it"),
        ("- status\n", "a list item stands where a field was to come"),
        (": open\n", "a key is missing before the `:`"),
        ("status: open\n...\nsources: []\n", "the frontmatter ends here for YAML"),
        ("status: open\n? [a]\n: b\n", "a list or a mapping stands where a key"),
    ],
)
def test_yaml_syntax_offers_no_quotes_where_they_would_not_help(fields: str, message: str) -> None:
    finding = only(YamlSyntax, decision(fields))

    assert message in finding.message
    assert finding.help
    assert "quote the value: `" not in finding.help


def test_yaml_syntax_shows_words_of_its_own_for_a_list_before_fields() -> None:
    finding = only(YamlSyntax, "---\n- a\nstatus: open\n---\n")

    assert "a field stands where a list item was to come: `status: open`" in finding.message


def test_a_line_that_runs_on_is_mended_where_it_begins() -> None:
    finding = only(YamlSyntax, "---\nstatus:open\nsources: []\n---\n")

    assert "the line above runs on into this one: `sources: []`" in finding.message
    assert "`status: open`" in (finding.help or "")


def test_yaml_syntax_does_not_hide_behind_the_next_fault() -> None:
    text = knowledge("description: one: two").replace("kind: convention", "kind: a: b")

    assert "`description: 'one: two'`" in helps(YamlSyntax, text, KNOWLEDGE)


def test_a_long_line_of_spaces_is_no_trap() -> None:
    text = knowledge("description: a" + " " * 60_000 + "b: c")

    started = datetime.now(UTC)
    only(YamlSyntax, text, KNOWLEDGE)

    assert (datetime.now(UTC) - started).total_seconds() < 5


def test_frontmatter_of_one_glued_line_gets_its_space() -> None:
    assert "`status: open`" in helps(FrontmatterNotAMapping, "---\nstatus:open\n---\n")


@pytest.mark.parametrize(
    ("line", "sign", "mended"),
    [
        ("description: &x", "`&x` is an anchor", "description: '&x'"),
        ("description: *x", "`*x` is an alias", "description: '*x'"),
        ("description: !do it", "`!do` is a tag", "description: '!do it'"),
        ("<<: {a: b}", "`<<` is a merge key", ""),
    ],
)
def test_yaml_alias_names_the_sign(line: str, sign: str, mended: str) -> None:
    finding = only(YamlAlias, knowledge(line), KNOWLEDGE)

    assert sign in finding.message
    assert mended in (finding.help or "")


def test_yaml_too_deep_names_the_limit_and_the_field() -> None:
    reader = Reader(Kinds(), Limits(max_depth=3))
    record = reader.read_text(DECISION, decision("status: open\nsources: []\nnotes: [[[x]]]\n"))

    (finding,) = judge(YamlTooDeep, record)

    assert "deeper than 3 levels: `notes: [[[x]]]`" in finding.message
    assert finding.subject == "notes"


def test_a_tab_is_shown_as_an_escape_with_its_field() -> None:
    finding = only(TabInFrontmatter, decision("status: open\t# note\nsources: []\n"))

    assert "`status: open\\t# note`" in finding.message
    assert finding.subject == "status"


# Merge conflicts in the body

CONFLICT = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (CONFLICT, [7]),
        ("Text.\n" + CONFLICT + "\n" + CONFLICT, [8, 14]),
        ("<<<<<<< ours\na\n||||||| base\n=======\nb\n>>>>>>> theirs\n", [7]),
        ("<<<<<<< ours\n" + CONFLICT, [8]),
        ("<<<<<<< ours\na\n>>>>>>> theirs\n=======\n", []),
        ("Title\n=======\n", []),
        ("<<<<<<<< eight\n=======\n>>>>>>> theirs\n", []),
        ("  <<<<<<< indented\n=======\n>>>>>>> theirs\n", []),
        (f"```\n{CONFLICT}```\n", []),
        ("".join(f"    {line}\n" for line in CONFLICT.splitlines()), []),
        (f"```\n{CONFLICT}```\n\n{CONFLICT}", [15]),
    ],
)
def test_conflicts_in_the_body_are_full_sets_outside_code(body: str, lines: list[int]) -> None:
    text = decision(body=body)
    record = READER.read_text(DECISION, text)

    found = judge(MergeConflictMarker, record)

    assert [record.lines.place(f.span.start).line for f in found if f.span] == lines


def test_conflicts_are_found_at_every_kind_of_line_end() -> None:
    text = decision(body=CONFLICT).replace("\n", "\r\n")

    finding = only(MergeConflictMarker, text)

    assert finding.span is not None
    assert text[finding.span.start : finding.span.end] == "<<<<<<< ours"


# Files


def test_not_utf8_names_byte_offset_and_line() -> None:
    record = READER.read_bytes(DECISION, decision(body="caf\u00e9\n").encode("latin-1"))

    (finding,) = judge(NotUtf8, record)

    assert "byte 0xe9 at offset 102" in finding.message
    assert "on line 7" in finding.message


def test_not_utf8_recognises_utf_16() -> None:
    record = READER.read_bytes(DECISION, b"\xff\xfe" + decision().encode("utf-16-le"))

    (finding,) = judge(NotUtf8, record)

    assert "UTF-16" in (finding.help or "")


def test_file_too_large_names_both_sizes() -> None:
    record = Reader(Kinds(), Limits(max_bytes=2_000)).read_text(DECISION, "a" * 3_000)
    context = Context(FileTooLarge.Options(max_bytes=2_000), NOW)

    (finding,) = FileTooLarge().check(record, context)

    assert "3,000 bytes, and 2,000 is the most" in finding.message


def test_unreadable_file_gives_the_reason() -> None:
    record = READER.unreadable(DECISION, "permission denied")

    (finding,) = judge(UnreadableFile, record)

    assert finding.message == "the file cannot be read: permission denied"


# Fields


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        (DECISION, ["created_at", "updated_at", "sources", "status"]),
        ("memory/requests/dark-mode.md", ["created_at", "updated_at", "sources"]),
        ("memory/summary.md", ["updated_at"]),
        ("workflow/release.md", ["description"]),
        (
            KNOWLEDGE,
            [
                "created_at",
                "updated_at",
                "last_sources",
                "kind",
                "description",
                "model_invokation",
                "user_invocable",
            ],
        ),
    ],
)
def test_missing_field_gives_lines_that_make_a_good_record(path: str, fields: list[str]) -> None:
    found = findings(MissingField, "---\n---\nBody.\n", path)
    pasted = "".join((f.help or "").split("`")[1] + "\n" for f in found)

    assert sorted(f.subject for f in found) == sorted(fields)
    assert READER.read_text(path, f"---\n{pasted}---\nBody.\n").problems == ()


@pytest.mark.parametrize(
    ("fields", "raw", "mend"),
    [
        ("status: open\nsources: 12\n", "`sources` is `12`", "a list of sources"),
        ("status: open\nsources: null\n", "`sources` is `null`: it is empty", "a list of sources"),
        ("status:\nsources: []\n", "`status`: it is empty", ""),
        (
            "status: open\nsources: [{session_id: s1, range: [1:30, 2]}]\n",
            "`sources[0].range` is `[1:30, 2]`",
            "like [0, 12]",
        ),
    ],
)
def test_invalid_field_shows_the_raw_text(fields: str, raw: str, mend: str) -> None:
    finding = only(InvalidField, decision(fields))

    assert raw in finding.message
    assert mend in (finding.help or "")


@pytest.mark.parametrize(
    ("raw", "taken_for"),
    [
        ("no", "true or false"),
        ("0010", "a number"),
        ("12:30", "a number"),
        ("1e3", "a number"),
        ("2026-01-10", "a date"),
        ("true", "true or false"),
        ("42", "a number"),
    ],
)
def test_ambiguous_scalar_is_quoted_and_nothing_else_changes(raw: str, taken_for: str) -> None:
    text = knowledge(f"description:  {raw}  # a note").replace("\n", "\r\n")

    finding = only(AmbiguousScalar, text, KNOWLEDGE)
    mended = apply(text, finding.fix)

    assert f"`{raw}`" in finding.message
    assert taken_for in finding.message
    assert finding.fix is not None
    assert finding.fix.safe
    assert mended == text.replace(f"description:  {raw}", f"description:  '{raw}'")
    assert READER.read_text(KNOWLEDGE, mended).values["description"] == raw


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        ("2026-01-10", "2026-01-10T00:00:00Z"),
        ("2026-01-10 09:00:00Z", "2026-01-10T09:00:00Z"),
        ("2026-01-10T09:00Z", "2026-01-10T09:00:00Z"),
        ("2026/01/10 09:00:00 +09:00", "2026-01-10T09:00:00+09:00"),
        ("'2026-01-10'", "2026-01-10T00:00:00Z"),
        ("2026-02-30", "an RFC 3339 time"),
        ("yesterday", "an RFC 3339 time"),
        ("[2026]", "an RFC 3339 time"),
    ],
)
def test_invalid_timestamp_says_what_was_meant(raw: str, meant: str) -> None:
    finding = only(InvalidTimestamp, decision().replace("2026-01-10T09:00:00Z", raw, 1))

    assert f"`created_at` is `{raw}`" in finding.message
    assert meant in (finding.help or "")


def test_timestamp_without_timezone_gives_the_time_with_its_offset() -> None:
    text = decision().replace("2026-01-10T09:00:00Z", '"2026-01-10T09:00:00"', 1)

    assert "`2026-01-10T09:00:00Z` for UTC" in helps(TimestampWithoutTimezone, text)


@pytest.mark.parametrize(
    ("raw", "meant"),
    [
        ("done", "did you mean `resolved`?"),
        ("closed", "did you mean `resolved`?"),
        ("'wip'", "did you mean `open`?"),
        ("TODO", "did you mean `open`?"),
        ("superseded", "did you mean `replaced`? it also needs `replaced_by: <slug>`"),
        ("deprecated", "did you mean `replaced`?"),
        ("reslved", "did you mean `resolved`?"),
        ("zzz", "write one of `open`, `resolved`, `replaced`"),
        ("[open]", "did you mean `open`?"),
    ],
)
def test_invalid_status_says_what_was_meant(raw: str, meant: str) -> None:
    finding = only(InvalidStatus, decision(f"status: {raw}\nsources: []\n"))

    assert f"the status `{raw}` is none of `open`, `resolved`, `replaced`" in finding.message
    assert meant in (finding.help or "")


def test_identity_in_frontmatter_names_the_file() -> None:
    found = findings(IdentityInFrontmatter, decision("id: a\nname: b\nstatus: open\nsources: []\n"))

    assert [f.subject for f in found] == ["id", "name"]
    assert all("`use-sqlite`" in (f.help or "") for f in found)


@pytest.mark.parametrize(
    ("key", "mend"),
    [
        ("replacedBy", "did you mean `replaced_by`?"),
        ("replaced-by", "did you mean `replaced_by`?"),
        ("superseded_by", "did you mean `replaced_by`?"),
        ("replace_by", "did you mean `replaced_by`?"),
        ("createdAt", "delete it"),
        ("title", "delete it; the fields are `created_at`"),
    ],
)
def test_unknown_key_names_a_field_that_is_free(key: str, mend: str) -> None:
    finding = only(UnknownKey, decision(f"status: open\nsources: []\n{key}: x\n"))

    assert f"`{key}`" in finding.message
    assert mend in (finding.help or "")


@pytest.mark.parametrize("key", ["model_invocation", "modelInvokation", "auto_invoke"])
def test_unknown_key_tells_of_the_spelling_with_k(key: str) -> None:
    text = knowledge("description: a").replace("model_invokation", key)

    assert helps(UnknownKey, text, KNOWLEDGE) == (
        "did you mean `model_invokation`? The format spells it with `k`."
    )


def test_a_cut_text_is_quoted_whole_and_nothing_else_changes() -> None:
    text = knowledge("description: It's PR #81, tests missing").replace("\n", "\r\n")

    finding = only(ValueTruncatedByComment, text, KNOWLEDGE)
    mended = apply(text, finding.fix)

    assert "`#81, tests missing`" in finding.message
    assert finding.subject == "description"
    assert finding.fix is not None
    assert not finding.fix.safe
    assert mended == text.replace("It's PR #81, tests missing", "'It''s PR #81, tests missing'")
    assert READER.read_text(KNOWLEDGE, mended).values["description"] == (
        "It's PR #81, tests missing"
    )


def test_a_comment_behind_a_value_that_is_no_text_is_not_quoted() -> None:
    finding = only(ValueTruncatedByComment, decision("status: open #for now\nsources: []\n"))

    assert finding.fix is None
    assert "`# for now`" in (finding.help or "")


@pytest.mark.parametrize(
    ("updated", "count"),
    [
        ("2026-01-10T08:59:59Z", 1),
        ("2026-01-10T09:30:00+01:00", 1),
        ("2026-01-10T09:00:00Z", 0),
        ("2026-01-10T08:00:00-02:00", 0),
        ("yesterday", 0),
    ],
)
def test_times_are_compared_as_instants(updated: str, count: int) -> None:
    text = decision().replace("updated_at: 2026-01-10T09:00:00Z", f"updated_at: {updated}")

    assert len(findings(UpdatedBeforeCreated, text)) == count


# Wording


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("a\nb\n", "a\\nb"),
        ("a\tb\x00", "a\\tb\\x00"),
        ("\u202eabc\u2028", "\\u202eabc\\u2028"),
        ("caf\udce9", "caf\\udce9"),
        ("日本語\u3000です", "日本語\u3000です"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("x" * 81, "x" * 79 + "…"),
        ("x" * 80, "x" * 80),
    ],
)
def test_shorten_makes_one_visible_line(raw: str, shown: str) -> None:
    assert shorten(raw) == shown


def test_nearest_finds_a_slip_and_nothing_far() -> None:
    assert nearest("use-sqltie", ["use-sqlite", "run-tests"]) == "use-sqlite"
    assert nearest("use-sqltie", ["run-tests"]) == ""
    assert nearest("anything", []) == ""
