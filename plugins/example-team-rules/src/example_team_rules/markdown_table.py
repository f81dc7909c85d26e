"""An output format: the report as a Markdown table, for a comment on a change."""

from yoimem import Presentation, Report

_HEAD = "| place | rule | severity | message |\n|---|---|---|---|\n"


class MarkdownTable:
    """Shows one row a finding and one row a failure; nothing when there is none."""

    name = "markdown-table"

    def format(self, report: Report, shown: Presentation) -> str:
        """Return the whole text of `report`."""
        rows = [
            _row(f"{shown.prefix}{d.path}:{d.start.line}", d.code, d.severity, d.message)
            for d in report.diagnostics
        ]
        rows += [_row(f.path or "", f.where, "failure", f.message) for f in report.failures]
        return _HEAD + "".join(rows) if rows else ""


def _row(*cells: str) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |\n"


def _cell(text: str) -> str:
    """Keep a text within its cell: on one line, with no bar and no character that is unseen."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(line.split()).replace("\\", "\\\\").replace("|", "\\|")
