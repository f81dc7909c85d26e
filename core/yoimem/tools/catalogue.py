"""The memory tools, as a model is told of them (design, section 10)."""

from yoimem.lint.rule import Actor
from yoimem.records.kinds import Kinds
from yoimem.tools.definitions import Argument, ToolDefinition

REASONS = ("integrate", "outdated", "superseded", "unused", "noisy")
"""Why a consolidator changes a record: new material, or a reason to tidy (seed 003)."""

_PATH = Argument(
    "path",
    "string",
    "The record's path below the memory's root, like memory/decisions/use-sqlite.md.",
    required=True,
)
_EXPECT = Argument(
    "expect",
    "string",
    "The sha256 that your last read of the record returned. If the record has changed since,"
    " nothing is written and the error gives the current hash.",
)
_REASONS = Argument(
    "reasons",
    "strings",
    "Why the record is changed: integrate for new material; outdated, superseded, unused or noisy"
    " when tidying.",
    required=True,
    choices=REASONS,
)
_RULES = (
    " Every rule of the memory is checked before anything is written; a refusal lists every"
    " violation with its line and the way to mend it."
)


_SEARCH = " Read a record with memory_read before you rely on an excerpt."
_SEARCHED = (
    Argument("query", "string", "What to look for."),
    Argument("slug", "string", "The slug of one record, to be returned whole."),
)
_HITS = (
    Argument("limit", "integer", "How many matches to return at most.", minimum=1),
    Argument(
        "order",
        "string",
        "`relevance` puts the best first, `file` returns every literal match in order of paths.",
        choices=("relevance", "file"),
    ),
)


def definitions(actor: Actor, kinds: Kinds) -> tuple[ToolDefinition, ...]:
    """Return the tools that `actor` has, in a memory with these `kinds` of record."""
    reasons = (_REASONS,) if actor == "consolidator" else ()
    kind_names = tuple(kind.name for kind in kinds.all)
    return (
        ToolDefinition(
            "memory_read",
            "Read one record of the project's memory. Returns its lines with their numbers, and the"
            " sha256 of the whole record, which memory_write, memory_edit and memory_delete take as"
            " `expect`.",
            (
                _PATH,
                Argument("offset", "integer", "The first line to show, from 1.", minimum=1),
                Argument("limit", "integer", "How many lines to show.", minimum=1),
            ),
            read_only=True,
        ),
        ToolDefinition(
            "memory_write",
            "Write one record whole: YAML frontmatter between two `---` lines, then Markdown. Use"
            " mode `create` for a new record and `update`, with `expect`, to replace one. Prefer"
            " memory_edit for small changes." + _RULES,
            (
                _PATH,
                Argument("content", "string", "The whole text of the record.", required=True),
                Argument(
                    "mode",
                    "string",
                    "`create` (the default) makes a new record, `update` replaces one.",
                    choices=("create", "update"),
                ),
                _EXPECT,
                *reasons,
            ),
        ),
        ToolDefinition(
            "memory_edit",
            "Replace exact text in one record. `old_string` must occur exactly once, unless"
            " `replace_all` is true." + _RULES,
            (
                _PATH,
                Argument(
                    "old_string", "string", "The text to replace, as it stands.", required=True
                ),
                Argument("new_string", "string", "The text to put in its place.", required=True),
                Argument("replace_all", "boolean", "Replace every occurrence."),
                _EXPECT,
                *reasons,
            ),
        ),
        ToolDefinition(
            "memory_delete",
            "Delete one record. Refused while other records refer to it. A decision that gave way"
            " to another is not deleted: set `status: replaced` and `replaced_by`.",
            (_PATH, _EXPECT, *reasons),
        ),
        ToolDefinition(
            "memory_list",
            "List the records of the memory: path, description or first heading, and the status of"
            " decisions.",
            (Argument("record_kind", "string", "Only records of this kind.", choices=kind_names),),
            read_only=True,
        ),
        ToolDefinition(
            "memory_search",
            "Search what the project decided, what was asked for, and the summary. Returns the best"
            " matches with path, description and an excerpt. Any text is a query, in any script;"
            " without `query`, `slug` returns the one record whole." + _SEARCH,
            (
                *_SEARCHED,
                Argument(
                    "record_kind",
                    "string",
                    "Only records of this kind.",
                    choices=searched_kinds(kinds),
                ),
                Argument(
                    "status",
                    "string",
                    "Only decisions with this status.",
                    choices=kinds.choices("status"),
                ),
                Argument(
                    "since",
                    "string",
                    "Only records updated at this date or time or later, like 2026-01-31.",
                ),
                *_HITS,
            ),
            read_only=True,
        ),
        ToolDefinition(
            "knowledge_search",
            "Search the project's knowledge: terms, rules, facts and know-how worth reading again."
            " Returns the best matches with slug, kind, description and an excerpt. Any text is a"
            " query, in any script; without `query`, `slug` returns the one record whole, which is"
            " how a `#slug` is looked up." + _SEARCH,
            (
                *_SEARCHED,
                Argument("kind", "string", "Only knowledge of this `kind`, like guide or rule."),
                *_HITS,
            ),
            read_only=True,
        ),
        ToolDefinition(
            "memory_sources",
            "Show the entries of the session logs that a record came from. A log that is not there"
            " any more is told.",
            (
                _PATH,
                Argument(
                    "index",
                    "integer",
                    "Which of its sources, from 0; all of them if not given.",
                    minimum=0,
                ),
            ),
            read_only=True,
        ),
        ToolDefinition(
            "workflow_offer",
            "Offer a workflow to the people of the project: a new one or a better text for one that"
            " is there, as `content`, or with `change` that models may see one. Workflows are"
            " written by people alone: a person accepts the offer or rejects it." + _RULES,
            (
                Argument("slug", "string", "The slug of the workflow.", required=True),
                Argument("content", "string", "The whole text of the workflow as it should be."),
                Argument(
                    "change",
                    "string",
                    "`model_invokation` switches it on: its description is then shown to models.",
                    choices=("model_invokation",),
                ),
                Argument("why", "string", "Why this is worth a person's time.", required=True),
            ),
        ),
    )


def searched_kinds(kinds: Kinds) -> tuple[str, ...]:
    """Return the kinds that memory_search looks in: what lives below `memory/`, but workflows."""
    return tuple(
        kind.name
        for kind in kinds.all
        if kind.name != "workflow" and any(place.startswith("memory/") for place in kind.places)
    )
