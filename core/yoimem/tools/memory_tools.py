"""The agent's tools: every change passes the rules before a byte reaches the disk (section 10)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path, PurePosixPath
from typing import Any

from yoimem.lint.config import Config, load_config
from yoimem.lint.engine import Change, Engine
from yoimem.lint.evidence import Evidence
from yoimem.lint.host import load_plugins
from yoimem.lint.plugin import Plugins
from yoimem.lint.report import Diagnostic, Report
from yoimem.lint.rule import Actor, Operation
from yoimem.lint.ruleset import build_ruleset
from yoimem.lint.settings import SearchOrder
from yoimem.recall.errors import SearchError
from yoimem.recall.query import Query, SearchResult
from yoimem.records.reader import Reader
from yoimem.records.record import Record
from yoimem.records.slug import slug_fault
from yoimem.records.text import LineIndex
from yoimem.tools.catalogue import definitions, searched_kinds
from yoimem.tools.definitions import definition_of
from yoimem.tools.edit import edit_text
from yoimem.tools.errors import MemoryToolError, refusal, violation
from yoimem.tools.offers import make_offer
from yoimem.tools.recall import Clock, Recall, utc_now
from yoimem.tools.requirements import (
    as_tool_errors,
    not_found,
    require_expected,
    require_free,
    require_place,
    require_unlocked,
)
from yoimem.tools.results import (
    DeleteResult,
    EditResult,
    ListEntry,
    ListResult,
    MoveResult,
    OfferResult,
    ReadResult,
    SourcesResult,
    ToolResult,
    WriteResult,
    sendable,
)
from yoimem.tools.stamp import as_given, stamp
from yoimem.workspace.audit import sha256
from yoimem.workspace.folder import StoredFile
from yoimem.workspace.json_lines import bounded_id
from yoimem.workspace.layout import Root, require_root
from yoimem.workspace.store import Store
from yoimem.workspace.writer import Author, Writer


class MemoryTools:
    """The tools of one actor over one memory.

    The configuration is read once, here, unless it is given: what is written to it later changes
    nothing for these tools. `session_id` and `run_id` go into the audit log. `evidence` is what a
    run of the consolidator is judged by.

    Raises:
        RootNotFoundError: there is no memory at `root`.
        ConfigError: the configuration cannot be used.
    """

    def __init__(
        self,
        root: Path | str | Root,
        *,
        actor: Actor = "agent",
        session_id: str | None = None,
        run_id: str | None = None,
        config: Config | None = None,
        plugins: Plugins | None = None,
        evidence: Evidence | None = None,
        clock: Clock = utc_now,
    ) -> None:
        place = require_root(root)
        config = config or load_config(place)
        found = plugins or load_plugins(place, config, trusted_only=True)
        rules = build_ruleset(found, config, actor)
        self.root = place
        self.plugins = found
        self.actor: Actor = actor
        self._settings = config.tools
        self._kinds = found.kinds
        self._reader = Reader(found.kinds, rules.limits)
        self._engine = Engine(Store(place.path), found.kinds, rules, clock)
        self._writer = Writer(place.path, config.tools.lock_timeout)
        self._author = Author(actor, bounded_id(session_id), bounded_id(run_id), config.sha256)
        self._evidence = evidence
        self._clock = clock
        self.recall = Recall(
            place,
            actor=actor,
            session_id=session_id,
            config=config,
            plugins=found,
            reader=self._reader,
            clock=clock,
        )
        self.definitions = definitions(actor, found.kinds)

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call the tool `name` with `arguments` as a model gave them.

        Raises:
            MemoryToolError: the tool is unknown, an argument is wrong, or the tool refused.
        """
        definition_of(name, self.definitions).check(arguments)
        result: ToolResult = getattr(self, name)(**arguments)
        return result

    def memory_read(self, path: str, offset: int = 1, limit: int | None = None) -> ReadResult:
        """Return a record's lines from `offset` (from 1), `limit` of them at most.

        Raises:
            MemoryToolError: `not_found`, `denied`, or `invalid_argument` for a path that is none.
        """
        self._check("memory_read", path=path, offset=offset, limit=limit)
        require_place(path, self._kinds)
        stored = self._stored(path)
        text = stored.data.decode("utf-8", "backslashreplace")
        lines = LineIndex(text)
        most = self._settings.max_read_lines
        last = min(len(lines), offset - 1 + min(limit or most, most))
        if offset > len(lines):
            raise MemoryToolError(
                "invalid_argument", f"`offset` is {offset}, and {path} has {len(lines)} lines"
            )
        shown = "\n".join(f"{number}\t{lines.text(number)}" for number in range(offset, last + 1))
        self.recall.note([self._reader.read_bytes(path, stored.data)])
        return ReadResult(path, shown, sha256(stored.data), len(lines), last < len(lines))

    def memory_write(
        self,
        path: str,
        content: str,
        mode: str = "create",
        expect: str | None = None,
        reasons: Sequence[str] = (),
    ) -> WriteResult:
        """Write a record whole.

        Raises:
            MemoryToolError: nothing was written; the message says why and how to mend it.
        """
        self._check(
            "memory_write", path=path, content=content, mode=mode, expect=expect, reasons=reasons
        )
        require_place(path, self._kinds)
        if mode == "update" and expect is None:
            raise MemoryToolError(
                "invalid_argument",
                "`update` needs `expect`: read the record first, and give the sha256 it returned",
            )
        with self._locked():
            before = self._writer.read(path)
            if mode == "update" and before is None:
                raise not_found(path, "write it with mode `create`")
            require_expected(path, before, expect)
            operation: Operation = "update" if mode == "update" else "create"
            data, report = self._judge_text(path, content, operation, before)
            if operation == "create":
                require_free(path, before)
            self._write(path, before, data, "memory_write", reasons)
        return WriteResult(path, sha256(data), _warnings(report))

    def memory_edit(
        self,
        path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,
        expect: str | None = None,
        reasons: Sequence[str] = (),
    ) -> EditResult:
        """Replace exact text in a record.

        Raises:
            MemoryToolError: nothing was written; the message says why and how to mend it.
        """
        self._check(
            "memory_edit",
            path=path,
            old_string=old_string,
            new_string=new_string,
            replace_all=replace_all,
            expect=expect,
            reasons=reasons,
        )
        require_place(path, self._kinds)
        with self._locked():
            before = self._stored(path)
            require_expected(path, before, expect)
            text = before.data.decode("utf-8", "surrogateescape")
            edited, count = edit_text(text, old_string, new_string, replace_all=replace_all)
            data, report = self._judge_text(path, edited, "update", before)
            self._write(path, before, data, "memory_edit", reasons)
        return EditResult(path, sha256(data), count, _warnings(report))

    def memory_delete(
        self, path: str, expect: str | None = None, reasons: Sequence[str] = ()
    ) -> DeleteResult:
        """Delete a record that no other refers to.

        Raises:
            MemoryToolError: nothing was deleted; the message says why.
        """
        self._check("memory_delete", path=path, expect=expect, reasons=reasons)
        require_place(path, self._kinds)
        with self._locked():
            before = self._stored(path)
            require_expected(path, before, expect)
            require_unlocked(path, before)
            report = self._judge(Change(path, None, "delete"))
            if report.errors or report.failures:
                retry = "Mend these first: take out what refers to the record, then delete it."
                raise refusal(report, (), retry)
            self._writer.remove(
                path, before, "memory_delete", self._time(), self._author, tuple(reasons)
            )
        return DeleteResult(path)

    def move(self, path: str, target: str, expect: str | None = None) -> MoveResult:
        """Give a record another place; refused while others refer to it by its slug.

        Raises:
            MemoryToolError: nothing was moved; the message says why.
        """
        require_place(path, self._kinds)
        require_place(target, self._kinds)
        with self._locked():
            before, there = self._stored(path), self._writer.read(target)
            require_expected(path, before, expect)
            require_unlocked(path, before)
            text = before.data.decode("utf-8", "surrogateescape")
            report = self._judge(Change(target, text, "create"), Change(path, None, "delete"))
            if report.errors or report.failures:
                raise refusal(report, (), "Mend these, then rename it again.")
            require_free(target, there)
            self._writer.move(path, target, before, "move", self._time(), self._author)
        return MoveResult(target, sha256(before.data))

    def memory_list(self, record_kind: str | None = None) -> ListResult:
        """List the records, by path, all or those of one kind."""
        self._check("memory_list", record_kind=record_kind)
        snapshot = self._engine.snapshot()
        records = (
            snapshot.record(path)
            for path, facts in sorted(snapshot.facts.items())
            if facts.kind and record_kind in {None, facts.kind}
        )
        return ListResult(tuple(_list_entry(record) for record in records if record is not None))

    def memory_search(
        self,
        query: str = "",
        slug: str | None = None,
        record_kind: str | None = None,
        status: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        order: SearchOrder | None = None,
    ) -> SearchResult:
        """Search the summary, decisions and requests, and what plugins add below `memory/`.

        Raises:
            MemoryToolError: the query cannot be answered; the message says why.
        """
        given = {"record_kind": record_kind, "status": status, "since": since}
        self._check("memory_search", query=query, slug=slug, limit=limit, order=order, **given)
        kinds = (record_kind,) if record_kind else searched_kinds(self._kinds)
        return self._search(
            query, slug, limit, order, record_kinds=kinds, status=status, since=since
        )

    def knowledge_search(
        self,
        query: str = "",
        slug: str | None = None,
        kind: str | None = None,
        limit: int | None = None,
        order: SearchOrder | None = None,
    ) -> SearchResult:
        """Search what stands below `knowledge/`; `kind` is the field of that name.

        Raises:
            MemoryToolError: the query cannot be answered; the message says why.
        """
        self._check("knowledge_search", query=query, slug=slug, kind=kind, limit=limit, order=order)
        return self._search(query, slug, limit, order, record_kinds=("knowledge",), kind=kind)

    def memory_sources(self, path: str, index: int | None = None) -> SourcesResult:
        """Return the entries of the session logs that a record came from.

        Raises:
            MemoryToolError: there is no such record, or no such source of it.
        """
        self._check("memory_sources", path=path, index=index)
        require_place(path, self._kinds)
        record = self._reader.read_bytes(path, self._stored(path).data)
        found = self.recall.sources(record)
        if index is not None and index >= len(found):
            raise MemoryToolError(
                "invalid_argument", f"`index` is {index}, and {path} has {len(found)} sources"
            )
        return SourcesResult(path, found if index is None else (found[index],))

    def workflow_offer(
        self, slug: str, why: str, content: str | None = None, change: str | None = None
    ) -> OfferResult:
        """Offer a new or a better workflow to the people of the project.

        Raises:
            MemoryToolError: it is no workflow that a person could accept; the message says why.
        """
        self._check("workflow_offer", slug=slug, content=content, change=change, why=why)
        with as_tool_errors():
            offer = make_offer(
                self.root, self._engine, self._author, slug, why, content, change, self._clock()
            )
        return OfferResult(offer.id, offer.slug)

    def masked(self, path: str, text: str, *records: str) -> str:
        """Return `text` without the secrets that it, or one of `records` at `path`, holds."""
        return self._engine.mask(path, text, *records).text(text)

    def _search(
        self,
        query: str,
        slug: str | None,
        limit: int | None,
        order: SearchOrder | None,
        **filters: Any,
    ) -> SearchResult:
        settings = self.recall.config.search
        asked = Query(
            text=query,
            slug=slug,
            limit=limit or settings.limit,
            order=order or settings.default_order,
            context_lines=settings.context_lines,
            **filters,
        )
        try:
            return self.recall.search(asked)
        except SearchError as error:
            raise MemoryToolError("invalid_argument", str(error)) from error

    def _judge_text(
        self, path: str, text: str, operation: Operation, before: StoredFile | None
    ) -> tuple[bytes, Report]:
        """Return the bytes to write, stamped and judged, and the report with its warnings."""
        if before is not None:
            require_unlocked(path, before)
        given = self._reader.read_text(path, text)
        # A record does not hold a text that was too large to be read.
        readable = given.text == text
        if self.actor != "human" and self._settings.stamp_times and readable:
            text = stamp(given, self._clock(), created=operation == "create")
        report = self._judge(Change(path, text, operation))
        if report.errors or report.failures:
            stood = self._stood_before(path, before)
            shown = as_given(report, given, text)
            raise refusal(shown, stood, "Mend all of them, then call the tool again.")
        return text.encode("utf-8", "surrogateescape"), report

    def _judge(self, *changes: Change) -> Report:
        return self._engine.judge(*changes, actor=self.actor, evidence=self._evidence)

    def _stood_before(self, path: str, before: StoredFile | None) -> tuple[Diagnostic, ...]:
        """Return what was wrong with the record as it stands."""
        if before is None:
            return ()
        text = before.data.decode("utf-8", "surrogateescape")
        report = self._judge(Change(path, text, "update"))
        return tuple(d for d in report.errors if d.path == path)

    def _write(
        self,
        path: str,
        before: StoredFile | None,
        data: bytes,
        tool: str,
        reasons: Sequence[str],
    ) -> None:
        self._writer.write(path, before, data, tool, self._time(), self._author, tuple(reasons))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with as_tool_errors(), self._writer.locked():
            yield

    def _stored(self, path: str) -> StoredFile:
        with as_tool_errors():
            stored = self._writer.read(path)
        slug = PurePosixPath(path).stem
        if slug_fault(slug) and path not in self._engine.snapshot().facts:
            # Some systems open a file by another spelling of its name.
            raise MemoryToolError(
                "invalid_argument",
                f"there is no record {path}, and {slug!r} is no slug: {slug_fault(slug)}",
            )
        if stored is None:
            raise not_found(path, "memory_list names the records that are there")
        return stored

    def _check(self, tool: str, **given: object) -> None:
        """Hold the arguments of a direct call against the definition that a model's call obeys."""
        definition = next(d for d in self.definitions if d.name == tool)
        if "reasons" in given:
            reasons = given.pop("reasons")
            if self.actor == "consolidator":
                given["reasons"] = list(reasons) if isinstance(reasons, tuple | list) else reasons
        definition.check({name: value for name, value in given.items() if value is not None})

    def _time(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="milliseconds")


def _warnings(report: Report) -> tuple[str, ...]:
    return tuple(violation(d).removeprefix("- ") for d in report.warnings)


def _list_entry(record: Record) -> ListEntry:
    heading = record.headings[0].text if record.body.lstrip().startswith("#") else ""
    description = record.values.get("description") or heading
    if not description:
        lines = (line.strip() for line in record.body.splitlines())
        description = next((line for line in lines if line), "")
    status = record.values.get("status")
    return ListEntry(sendable(record.path), sendable(description), status)
