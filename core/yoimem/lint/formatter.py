"""What a formatter is: it turns a report into text for one kind of reader."""

from dataclasses import dataclass
from typing import Protocol

from yoimem.lint.report import Report


@dataclass(frozen=True, slots=True)
class Presentation:
    """How a report is to be shown.

    `prefix` leads from the working folder to the root, with a `/` at its end, or is empty;
    formats that show paths of the working folder put it before them. `colour` allows terminal
    colours. `quiet` leaves out the summary of a run without a finding.
    """

    prefix: str = ""
    colour: bool = False
    quiet: bool = False


class Formatter(Protocol):
    """Turns a report into text. `name` is what `--output-format` takes."""

    name: str

    def format(self, report: Report, shown: Presentation) -> str:
        """Return the whole text of `report`, with a line end at its end unless it is empty."""
        ...
