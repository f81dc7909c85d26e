"""What a reader of session logs is: it turns the log of one host into entries with an index."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Role = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """One entry of a session log.

    `index` is its number in the log, from 0: the line it stands on, which is what the range of a
    source counts. `role` says who speaks, `text` what; of a tool's result it is a summary.
    `input_tokens` are those that the model newly read for this entry, 0 where the log does not say.
    An entry without text only tells tokens, and is shown to nobody.
    """

    index: int
    role: Role
    text: str
    input_tokens: int = 0


class SessionReader(Protocol):
    """Reads the session logs of one host. `name` is what people call the host's format by.

    `keeps_pointer` tells whether the log takes entries of yoimem's own: the pointer of the last
    extract then stands in the log itself, and in a file beside it otherwise.
    """

    name: str
    keeps_pointer: bool

    def recognises(self, lines: Sequence[str]) -> bool:
        """Tell whether the first `lines` of a log are of this format."""
        ...

    def entries(self, lines: Sequence[str]) -> Sequence[SessionEntry]:
        """Return the entries that `lines`, the whole lines of a log, hold, by their index.

        A line that is no entry is passed over, and counts all the same.
        """
        ...

    def session_id(self, lines: Sequence[str]) -> str | None:
        """Return the id that the log gives itself; None where it has none."""
        ...

    def find(self, session_id: str, workspace: Path) -> Path | None:
        """Return where the host keeps the log of a session of `workspace`; None if it has none."""
        ...
