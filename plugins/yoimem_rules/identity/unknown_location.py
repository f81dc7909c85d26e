from collections.abc import Iterable
from pathlib import PurePosixPath

from yoimem import Context, Finding, NoOptions, Record, RecordRule, RuleMeta, Severity
from yoimem.lint.words import nearest
from yoimem.records.kinds import BUILTIN_KINDS, SLUG_MARK, Kinds
from yoimem_rules.wording import shorten

_KINDS = Kinds()
_PLACES = tuple(place for kind in BUILTIN_KINDS for place in kind.places)
_FOLDERS = tuple(place.rpartition("/")[0] for place in _PLACES if SLUG_MARK in place)
_FILES = tuple(place for place in _PLACES if SLUG_MARK not in place)


class UnknownLocation(RecordRule):
    """A file lies where no kind of record lives."""

    meta = RuleMeta(code="ID002", name="unknown-location", severity=Severity.ERROR, since="0.1")

    def check(self, record: Record, ctx: Context[NoOptions]) -> Iterable[Finding]:
        unreadable = any(problem.name == "unreadable-file" for problem in record.problems)
        if record.kind is None and not unreadable:
            yield Finding(
                f"no kind of record lives at `{shorten(record.path)}`", help=_help(record.path)
            )


def _help(path: str) -> str:
    places = ", ".join(f"`{place}`" for place in _PLACES)
    guess = _guess(path)
    move = f"move the file to `{guess}`; " if guess else "move the file to its kind's place; "
    return f"{move}records live at {places}"


def _guess(path: str) -> str:
    """Return where the file at `path` was likely meant to be; empty when there is no saying."""
    folder, _, name = path.rpartition("/")
    name = PurePosixPath(name).stem + ".md"
    if _KINDS.of(f"{folder}/{name}"):
        return f"{folder}/{name}"
    fixed = next((file for file in _FILES if file.endswith(f"/{name.lower()}")), "")
    if fixed:
        return fixed
    steps = folder.split("/")
    # Of two folders with one name the one in the same part of the memory counts.
    nearby = sorted(_FOLDERS, key=lambda home: home.startswith(f"{steps[0]}/"))
    homes = {home.rpartition("/")[2]: home for home in nearby}
    for step in reversed(steps):
        home = nearest(step.lower(), homes)
        if home:
            return f"{homes[home]}/{name}"
    return ""
