"""`yoimem offers`: the workflows that models offer, for a person to accept or to reject."""

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from yoimem.formatters.visible import visible, visible_block, visible_lines
from yoimem.interfaces.cli.output import fail, off_stdout, write
from yoimem.lint.config import load_config
from yoimem.lint.host import load_plugins
from yoimem.pipeline.offers import accept_offer
from yoimem.records.reader import Reader
from yoimem.sessions.transcript import one_line
from yoimem.tools import MemoryToolError, MemoryTools
from yoimem.tools.offers import Offer, Offers, Proposal, offers, proposed, settle_offer
from yoimem.tools.unified import unified
from yoimem.workspace.folder import LinkError
from yoimem.workspace.index import Index
from yoimem.workspace.layout import Root, find_root
from yoimem.workspace.store import Store

_VERSION = 1
_NOT_CONFIRMED = 1
_LONGEST_WHY = 100
"""How many characters of a reason a list shows."""
_root = click.option(
    "--root", type=click.Path(path_type=Path), help="The memory, if not the one here."
)
_output_format = click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text"
)
_id = click.argument("offer_id", metavar="ID")


@click.group(name="offers", invoke_without_command=True, short_help="List the offered workflows.")
@_root
@_output_format
@click.pass_context
def command(context: click.Context, root: Path | None, output_format: str) -> int:
    """List the workflows that models offer, oldest first.

    Workflows are written by people alone: you accept an offer, which writes it, or reject it.
    """
    context.obj = root
    if context.invoked_subcommand is not None:
        return 0
    found = _offers(find_root(Path.cwd(), given=root))
    content = {"offers": [asdict(offer) for offer in found.open]}
    lines = "".join(f"{_line(offer)}\n" for offer in found.open)
    write(_json(content) if output_format == "json" else lines or "nothing is offered\n")
    return 0


@command.command(name="show", short_help="Show an offer, and what it would change.")
@_id
@_root
@_output_format
@click.pass_obj
def show(outer: Path | None, offer_id: str, root: Path | None, output_format: str) -> int:
    """Show the offer whose id begins with ID: why it was made, and what it would change."""
    place = find_root(Path.cwd(), given=root or outer)
    offer = _chosen(place, offer_id)
    with off_stdout():
        _, diff = _proposal(place, offer)
    content = {"offer": asdict(offer), "diff": diff}
    write(_json(content) if output_format == "json" else _text(offer, diff))
    return 0


@command.command(name="accept", short_help="Write what is offered, as your own change.")
@_id
@_root
@click.pass_obj
def accept(outer: Path | None, offer_id: str, root: Path | None) -> int:
    """Write what the offer whose id begins with ID asks for, as your own change.

    You are shown what it changes, and type the workflow's slug. Exit code: 0, or 1 when you did
    not; 2 away from a terminal, or when the rules refuse it.
    """
    place = find_root(Path.cwd(), given=root or outer)
    offer = _chosen(place, offer_id)
    _require_terminal("accept")
    with off_stdout():
        proposal, diff = _proposal(place, offer)
    write(_text(offer, diff))
    if not _is_confirmed("accept", offer):
        return _NOT_CONFIRMED
    try:
        with off_stdout():
            config = load_config(place)
            plugins = load_plugins(place, config)
            tools = MemoryTools(place, actor="human", config=config, plugins=plugins)
            accept_offer(tools, offer, proposal, datetime.now(UTC))
    except (MemoryToolError, LinkError) as error:
        raise click.ClickException(str(error)) from error
    write(f"wrote {proposal.path}\n")
    return 0


@command.command(name="reject", short_help="Take an offer away.")
@_id
@click.option("--why", default="", help="What a model is told that makes the offer again.")
@_root
@click.pass_obj
def reject(outer: Path | None, offer_id: str, why: str, root: Path | None) -> int:
    """Take the offer whose id begins with ID away, so that it is not made again.

    You type the workflow's slug. Exit code: 0, or 1 when you did not; 2 away from a terminal.
    """
    place = find_root(Path.cwd(), given=root or outer)
    offer = _chosen(place, offer_id)
    _require_terminal("reject")
    write(f"{_line(offer)}\n")
    if not _is_confirmed("reject", offer):
        return _NOT_CONFIRMED
    try:
        settle_offer(place.path, offer, "rejected", datetime.now(UTC), why)
    except LinkError as error:
        raise click.ClickException(str(error)) from error
    write(f"rejected the offer for {offer.slug}\n")
    return 0


def _offers(root: Root) -> Offers:
    try:
        found = offers(root.path)
    except LinkError as error:
        raise click.ClickException(str(error)) from error
    for fault in found.faults:
        fail(visible(fault))
    return found


def _chosen(root: Root, offer_id: str) -> Offer:
    found = [offer for offer in _offers(root).open if offer.id.startswith(offer_id)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise click.ClickException(f"nothing is offered whose id begins with `{visible(offer_id)}`")
    ids = ", ".join(visible(offer.id) for offer in found)
    raise click.ClickException(f"several ids begin with `{visible(offer_id)}`: {ids}")


def _proposal(root: Root, offer: Offer) -> tuple[Proposal, str]:
    """Return what accepting `offer` would write, and its diff."""
    kinds = load_plugins(root, load_config(root)).kinds
    snapshot = Index(Store(root.path), kinds, Reader(kinds)).snapshot()
    try:
        proposal = proposed(offer, snapshot)
    except MemoryToolError as error:
        raise click.ClickException(str(error)) from error
    return proposal, unified(proposal.path, proposal.before, proposal.after)


def _require_terminal(what: str) -> None:
    """Leave it to a person: an agent's shell has no terminal to type at."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.ClickException(
            f"only a person at a terminal can {what} an offer: workflows are written by people"
        )


def _is_confirmed(what: str, offer: Offer) -> bool:
    typed = click.prompt(f"Type the slug to {what} the offer", default="", show_default=False)
    if typed.strip() == offer.slug:
        return True
    write(f"that is not `{offer.slug}`: nothing was done\n")
    return False


def _line(offer: Offer) -> str:
    what = f"{offer.change} on" if offer.change else "text"
    why = visible(one_line(offer.why, _LONGEST_WHY))
    return f"{visible(offer.id)}  {visible(offer.created_at)}  {offer.slug}  {what}  {why}"


def _text(offer: Offer, diff: str) -> str:
    by = ["by", offer.actor]
    by += ["session", offer.session] if offer.session else []
    by += ["run", offer.run] if offer.run else []
    head = [f"offer {offer.id} of {offer.created_at} for {offer.slug}", " ".join(by)]
    lines = [*map(visible, head), *visible_lines(offer.why), ""]
    return "\n".join(lines) + f"\n{visible_block(diff) if diff else 'it stands there already'}\n"


def _json(content: dict[str, Any]) -> str:
    return json.dumps({"version": _VERSION, **content}, indent=2, ensure_ascii=False) + "\n"
