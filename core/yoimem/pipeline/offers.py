"""What a person answers to an offer: it is written through the gate as theirs, or taken away."""

from datetime import datetime

from yoimem.tools.memory_tools import MemoryTools
from yoimem.tools.offers import Offer, Proposal, settle_offer
from yoimem.workspace.audit import sha256


def accept_offer(tools: MemoryTools, offer: Offer, proposal: Proposal, now: datetime) -> None:
    """Write what `offer` asks for, as the person whose `tools` these are, and take it away.

    `proposal` is what that person was shown. An offer whose text stands there already, since an
    earlier answer was cut short, is only taken away.

    Raises:
        MemoryToolError: the rules refuse it, or the workflow has changed since it was shown; the
            offer stays.
        LinkError: the folder of the offers is a link.
        OSError: the offer cannot be taken away.
    """
    before = proposal.before
    if before is None:
        tools.memory_write(proposal.path, proposal.after)
    elif before != proposal.after:
        expect = sha256(before.encode("utf-8", "surrogateescape"))
        tools.memory_write(proposal.path, proposal.after, "update", expect)
    settle_offer(tools.root.path, offer, "accepted", now)
