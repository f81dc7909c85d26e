"""Offers: what a model proposes for the workflows, which people alone write (section 13).

Each open offer is a file, `memory/_offers/<UUIDv7>.json`, written whole or not at all. What a
person answered leaves a line in `memory/_logs/offers.jsonl`, so that what was rejected is not
offered again.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from uuid6 import uuid7

from yoimem.lint.engine import Change, Engine
from yoimem.records.composer import Scalar
from yoimem.records.record import Record
from yoimem.records.slug import is_slug, slug_fault
from yoimem.records.text import Span
from yoimem.tools.errors import MemoryToolError, refusal
from yoimem.workspace.folder import Folder, LinkError, open_folder
from yoimem.workspace.json_lines import append, raw_lines
from yoimem.workspace.layout import Root
from yoimem.workspace.snapshot import Snapshot
from yoimem.workspace.writer import Author

OFFERS_PATH = "memory/_offers"
MODEL_INVOKATION = "model_invokation"
"""The one change that is offered by its name: a workflow's description is shown to models."""

_FOLDER = ("memory", "_offers")
_LEDGER_FOLDER = ("memory", "_logs")
_LEDGER = "offers.jsonl"
_SUFFIX = ".json"
_LONGEST_WHY = 2_000
_MOST_OPEN = 100
"""More than a person looks through: a model that goes on offering is stopped here."""
_OLDER_NAME = "auto_invoke"
_RETRY = "Mend all of them, then offer it again."

Answer = Literal["accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A workflow that is offered: its whole `content`, or the name of a `change` to one.

    `why` is what the model says for it, `actor`, `session` and `run` tell who that was.
    """

    id: str
    created_at: str
    slug: str
    content: str | None
    change: str | None
    why: str
    actor: str
    session: str | None
    run: str | None

    @property
    def asks(self) -> tuple[str, str | None, str | None]:
        """What two offers share that ask for the same."""
        return self.slug, self.content, self.change


@dataclass(frozen=True, slots=True)
class Offers:
    """The open offers, oldest first; `faults` tells of files that are none."""

    open: tuple[Offer, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejection:
    """An offer that a person rejected, and the reason, empty when none was given."""

    offer: Offer
    why: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """What accepting an offer would write: the texts of `path` before and after."""

    path: str
    before: str | None
    after: str


def make_offer(
    root: Root,
    engine: Engine,
    author: Author,
    slug: str,
    why: str,
    content: str | None,
    change: str | None,
    now: datetime,
) -> Offer:
    """Offer a workflow; one that asks for the same as an open offer is that offer.

    `why` has 2,000 characters at most, and 100 offers at most are open at a time.

    Raises:
        MemoryToolError: a person could not accept it, or has rejected it, or enough is offered;
            nothing was offered.
        LinkError: the folder of the offers is a link.
        OSError: it cannot be written.
    """
    _require_whole(slug, why, content, change)
    offer = Offer(
        id=str(uuid7()),
        created_at=now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        slug=slug,
        content=content,
        change=change,
        why=why.strip(),
        actor=author.actor,
        session=author.session,
        run=author.run,
    )
    _require_new(root.path, offer)
    waiting = offers(root.path).open
    known = next((o for o in waiting if o.asks == offer.asks), None)
    if known is not None:
        return known
    if len(waiting) >= _MOST_OPEN:
        raise MemoryToolError(
            "denied", f"{len(waiting):,} offers wait for a person already: offer nothing more"
        )
    _require_acceptable(engine, offer)
    _keep(root.path, offer)
    return offer


def offers(root: Path) -> Offers:
    """Return the open offers of the memory at `root`, a resolved path.

    Raises:
        LinkError: the folder of the offers is a link.
        OSError: it cannot be read.
    """
    found: list[Offer] = []
    faults: list[str] = []
    try:
        with open_folder(root, _FOLDER) as folder:
            for name in sorted(filter(_is_offer, folder.names())):
                try:
                    found += _read(folder, name)
                except (ValueError, RecursionError, LinkError, OSError) as error:
                    faults.append(f"{OFFERS_PATH}/{name} is no offer: {error}")
    except FileNotFoundError:
        pass
    return Offers(tuple(found), tuple(faults))


def proposed(offer: Offer, snapshot: Snapshot) -> Proposal:
    """Return what accepting `offer` would write over what stands there now.

    Raises:
        MemoryToolError: there is no such workflow to change.
    """
    path = next(iter(snapshot.paths_of(offer.slug, ["workflow"])), f"workflow/{offer.slug}.md")
    record = snapshot.record(path)
    before = record.text if record else None
    if offer.content is not None:
        after = offer.content
    elif record is None:
        raise MemoryToolError(
            "not_found", f"there is no workflow `{offer.slug}` to change: offer one as `content`"
        )
    else:
        after = _shown_to_models(record)
    return Proposal(path, before, after)


def settle_offer(root: Path, offer: Offer, answer: Answer, now: datetime, why: str = "") -> None:
    """Note what a person answered to `offer`, and why, and take it away.

    Raises:
        LinkError: the folder of the offers, or of the log, is a link.
        OSError: the log cannot be written, or the file cannot be deleted.
    """
    at = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    line = {"answer": answer, "at": at, "why": why, "offer": asdict(offer)}
    append(root, _LEDGER_FOLDER, _LEDGER, line)
    with open_folder(root, _FOLDER) as folder, suppress(FileNotFoundError):
        folder.remove(offer.id + _SUFFIX)


def rejections(root: Path) -> tuple[Rejection, ...]:
    """Return what a person rejected, in that order.

    Raises:
        LinkError: the log is a link.
        OSError: it cannot be read.
    """
    return tuple(_rejections(root))


def _rejections(root: Path) -> Iterator[Rejection]:
    for raw in raw_lines(root, _LEDGER_FOLDER, _LEDGER):
        with suppress(ValueError, RecursionError):  # torn and foreign lines are passed over
            line = _object(raw)
            if line.get("answer") == "rejected":
                yield Rejection(_offer(line.get("offer")), str(line.get("why", "")))


def _require_whole(slug: str, why: str, content: str | None, change: str | None) -> None:
    faults = []
    if not is_slug(slug):
        faults.append(f"{slug[:80]!r} is no slug: {slug_fault(slug)}")
    if (content is None) == (change is None):
        faults.append("give either `content`, the whole text, or `change`")
    if change not in {None, MODEL_INVOKATION}:
        faults.append(f"`change` takes {MODEL_INVOKATION}")
    if not why.strip():
        faults.append("`why` is empty: say what a person gains by it")
    if len(why) > _LONGEST_WHY:
        faults.append(f"`why` has {len(why):,} characters, and {_LONGEST_WHY:,} are the most")
    if faults:
        raise MemoryToolError("invalid_argument", "\n".join(faults))


def _require_new(root: Path, offer: Offer) -> None:
    known = next((r for r in rejections(root) if r.offer.asks == offer.asks), None)
    if known is None:
        return
    reason = f" ({known.why})" if known.why else ""
    raise MemoryToolError(
        "denied",
        f"a person rejected this very offer for `{offer.slug}`{reason}: offer something else, or"
        " nothing",
    )


def _require_acceptable(engine: Engine, offer: Offer) -> None:
    """Refuse what the rules would refuse from a person, and what changes nothing."""
    proposal = proposed(offer, engine.snapshot())
    change = Change(
        proposal.path, proposal.after, "create" if proposal.before is None else "update"
    )
    report = engine.judge(change, actor="human")
    if report.errors or report.failures:
        raise refusal(report, (), _RETRY)
    if proposal.after == proposal.before:
        raise MemoryToolError(
            "invalid_argument", f"{proposal.path} is already what the offer asks for"
        )
    if engine.mask(proposal.path, offer.why):
        raise MemoryToolError("invalid_argument", "`why` holds a secret: leave it out")


def _shown_to_models(record: Record) -> str:
    """Return the text of a workflow with `model_invokation` switched on, and nothing else changed.

    Its older name is switched on with it, where it is there: the two must say the same. A text
    whose frontmatter takes no such edit is left to the rules, which say what is wrong with it.
    """
    root, frame = record.composition.root, record.frame
    if root is None or frame is None:
        return record.text
    values = [
        root.entries[key][1] for key in (MODEL_INVOKATION, _OLDER_NAME) if key in root.entries
    ]
    edits = [(value.span, _true_at(value)) for value in values if isinstance(value, Scalar)]
    if not values:
        line_end = "\r\n" if "\r\n" in record.text[: frame.body.start] else "\n"
        closer = frame.closer.start
        edits = [(Span(closer, closer), f"{MODEL_INVOKATION}: true{line_end}")]
    text = record.text
    for span, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text


def _true_at(value: Scalar) -> str:
    """Return what replaces `value`: one that is left empty stands right behind its colon."""
    return "true" if value.span.end > value.span.start else " true"


def _keep(root: Path, offer: Offer) -> None:
    data = (json.dumps(asdict(offer), indent=2) + "\n").encode()
    with open_folder(root, _FOLDER, create=True) as folder:
        folder.put(offer.id + _SUFFIX, data, f".{offer.id}.tmp")


def _is_offer(name: str) -> bool:
    return name.endswith(_SUFFIX) and not name.startswith(".")


def _read(folder: Folder, name: str) -> list[Offer]:
    """Return the offer in the file `name`; nothing when it was settled meanwhile.

    Raises:
        ValueError: it is no offer; the message says why.
    """
    stored = folder.read(name)
    if stored is None:
        return []
    offer = _offer(_object(stored.data))
    if offer.id + _SUFFIX != name:
        raise ValueError("its `id` is not its name")
    return [offer]


def _object(data: bytes) -> dict[str, Any]:
    content = json.loads(data)
    if not isinstance(content, dict):
        raise ValueError("it holds no JSON object")  # noqa: TRY004 - whatever is wrong is one error
    return content


def _offer(content: object) -> Offer:
    match content:
        case {
            "id": str(offer_id),
            "created_at": str(created_at),
            "slug": str(slug),
            "content": str() | None as text,
            "change": "model_invokation" | None as change,
            "why": str(why),
            "actor": str(actor),
            "session": str() | None as session,
            "run": str() | None as run,
        } if is_slug(slug) and (text is None) != (change is None):
            return Offer(offer_id, created_at, slug, text, change, why, actor, session, run)
    raise ValueError("a field of it is missing, or is something else")
