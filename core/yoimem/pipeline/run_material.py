"""What a run of the consolidator is given to read: staged activity, records, use, findings."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from yoimem.lint.api import lint
from yoimem.lint.config import Config
from yoimem.lint.plugin import Plugins
from yoimem.pipeline.activity import activity_dict
from yoimem.pipeline.prompt import render
from yoimem.pipeline.staging import StagedEntry, source_dict
from yoimem.recall.library import described
from yoimem.recall.usage import CANDIDATE_KINDS, Usage, UsageLog, Use, measure
from yoimem.records.reader import MAX_BYTES, Reader
from yoimem.records.record import Record
from yoimem.tools.catalogue import searched_kinds
from yoimem.tools.errors import violation
from yoimem.tools.offers import Offer, Rejection, offers, rejections
from yoimem.tools.recall import utc_now
from yoimem.tools.results import sendable
from yoimem.workspace.audit import sha256
from yoimem.workspace.index import Index
from yoimem.workspace.layout import Root
from yoimem.workspace.snapshot import Facts, Snapshot
from yoimem.workspace.store import Store, UnreadableError

_NONE = "There are none."


@dataclass(frozen=True, slots=True)
class RunMaterial:
    """What one run is given. Each part is made when it is asked for, of what stands then.

    `entries` are the staged ones that the run takes in, `usage` how much the records are used.
    """

    root: Root
    config: Config
    plugins: Plugins
    entries: tuple[StagedEntry, ...]
    usage: Usage

    @property
    def instructions(self) -> str:
        """What the model is told to do, and by which principles."""
        return render("consolidate")

    def integrate(self) -> str:
        """Return the first step: the staged entries, the memory in full, the candidates."""
        snapshot = self._snapshot()
        text = render(
            "integrate",
            entries="\n".join(map(_entry, self.entries)) or _NONE,
            records="\n\n".join(self._records(snapshot)) or _NONE,
            candidates=self._candidates(snapshot),
        )
        return sendable(text)

    def tidy(self) -> str:
        """Return the second step: use, findings, replaced decisions, workflows and offers."""
        snapshot = self._snapshot()
        text = render(
            "tidy",
            usage=self._use(snapshot),
            findings=self._findings(),
            chains="\n".join(_chains(snapshot)) or _NONE,
            offers="\n".join(self._workflows(snapshot)) or _NONE,
        )
        return sendable(text)

    def _snapshot(self) -> Snapshot:
        kinds = self.plugins.kinds
        return Index(Store(self.root.path), kinds, Reader(kinds)).snapshot()

    def _records(self, snapshot: Snapshot) -> Iterator[str]:
        """Yield each record of the memory, whole; knowledge is left to the search."""
        store, shown = Store(self.root.path), searched_kinds(self.plugins.kinds)
        for path, facts in snapshot.facts.items():
            if facts.kind not in shown:
                continue
            try:
                data = store.read(path)
            except UnreadableError as error:
                yield f"{path} cannot be read: {error}"
                continue
            if data is not None:
                yield _record(path, data)

    def _candidates(self, snapshot: Snapshot) -> str:
        lines = [
            f"- {use.path}: {_frequency(use)}, from {use.sessions} sessions"
            for use in candidates_of(self.usage, snapshot.facts)
        ]
        if self.config.consolidate.cold_start:
            lines.append("- The memory is new: knowledge may come from any staged entry as well.")
        if not lines and self.usage.now is None:
            return "How much records are used is not known yet, so there are none."
        return "\n".join(lines) or _NONE

    def _use(self, snapshot: Snapshot) -> str:
        known = (
            "How much records are used is not known: no session has told how many tokens it spent."
            " Nothing is dropped."
            if self.usage.now is None
            else f"Frequencies are in reads per million tokens; from"
            f" {self.usage.settings.protect:g} a record is protected."
        )
        lines = (self._use_line(facts) for facts in snapshot.facts.values() if _is_tidied(facts))
        return "\n".join([known, "", *lines])

    def _use_line(self, facts: Facts) -> str:
        use = self.usage.of(facts.path)
        told = [_frequency(use), f"{use.invokes} reads", f"{len(facts.sources)} sources"]
        if use.exposures:
            told.append(f"shown to models at a cost of {use.exposure_tokens:,} tokens")
        if self.usage.protected([facts.path]):
            told.append("protected")
        return f"- {facts.path}: {', '.join(told)}"

    def _findings(self) -> str:
        report = lint(self.root, config=self.config, plugins=self.plugins)
        return "\n".join(map(violation, report.diagnostics)) or _NONE

    def _workflows(self, snapshot: Snapshot) -> Iterator[str]:
        for path, facts in snapshot.facts.items():
            record = snapshot.record(path) if facts.kind == "workflow" else None
            if record is not None:
                yield _workflow(record)
        for offer in offers(self.root.path).open:
            yield f"- offered, and not answered yet: {_offered(offer)}"
        for rejected in rejections(self.root.path):
            yield f"- rejected by a person{_reason(rejected)}: {_offered(rejected.offer)}"


def material_of(
    root: Root, config: Config, plugins: Plugins, entries: tuple[StagedEntry, ...]
) -> RunMaterial:
    """Return what a run that takes in `entries` is given, by how the records are used now.

    Raises:
        LinkError: the folder of the usage is a link.
        OSError: it cannot be read.
    """
    usage = measure(UsageLog(root.path, utc_now).history(), config.usage)
    return RunMaterial(root, config, plugins, entries, usage)


def candidates_of(usage: Usage, facts: Mapping[str, Facts]) -> tuple[Use, ...]:
    """Return the candidates to become knowledge among the records that `facts` tell of."""
    return usage.candidates(path for path, known in facts.items() if known.kind in CANDIDATE_KINDS)


def _is_tidied(facts: Facts) -> bool:
    """Tell whether the consolidator may tidy a record: workflows belong to people."""
    return facts.kind not in {"", "workflow"}


def _entry(entry: StagedEntry) -> str:
    content = {
        "at": entry.created_at,
        "source": source_dict(entry.source),
        "activity": activity_dict(entry.activity),
    }
    return json.dumps(content, ensure_ascii=False)


def _record(path: str, data: bytes) -> str:
    """Return a record between two lines that it cannot hold itself: they name its own hash."""
    if len(data) > MAX_BYTES:
        return f"{path} has {len(data):,} bytes, too many to be a record: a person must mend it"
    text, sha = data.decode("utf-8", "backslashreplace"), sha256(data)
    line_end = "" if text.endswith("\n") else "\n"
    return f"===== {path} sha256 {sha}\n{text}{line_end}===== end of {sha}"


def _frequency(use: Use) -> str:
    return "frequency not known" if use.frequency is None else f"frequency {use.frequency:.3g}"


def _chains(snapshot: Snapshot) -> Iterator[str]:
    """Yield each chain of replaced decisions, from its first one."""
    replaced = {
        facts.slug: edge.slug
        for facts in snapshot.facts.values()
        for edge in facts.edges
        if facts.kind == "decision" and edge.field == ("replaced_by",)
    }
    firsts = sorted(replaced.keys() - set(replaced.values()))
    for first in firsts or sorted(replaced)[:1]:
        yield f"- {' → '.join(_followed(first, replaced))}"


def _followed(slug: str, replaced: dict[str, str]) -> Iterable[str]:
    chain = [slug]
    while (after := replaced.get(chain[-1])) is not None and after not in chain:
        chain.append(after)
    return chain


def _workflow(record: Record) -> str:
    shown = ", shown to models" if record.invoked_by_model else ""
    return f"- {record.path}{shown}: {described(record)}"


def _reason(rejected: Rejection) -> str:
    return f" ({' '.join(rejected.why.split())})" if rejected.why else ""


def _offered(offer: Offer) -> str:
    what = f"to switch {offer.change} on" if offer.change else "a text"
    return f"{what} for `{offer.slug}`, because: {' '.join(offer.why.split())}"
