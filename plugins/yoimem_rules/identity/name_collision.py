import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator

from yoimem import Context, Finding, NoOptions, ProjectRule, RuleMeta, Severity, Snapshot
from yoimem_rules.wording import shorten

_SECOND_WORKFLOW_PLACE = "memory/workflow/"


class NameCollision(ProjectRule):
    """Two records would be one file on some systems, or one workflow is there twice."""

    meta = RuleMeta(
        code="ID005",
        name="name-collision",
        severity=Severity.ERROR,
        since="0.1",
        depends_on=("slugs",),
    )

    def check(self, snapshot: Snapshot, ctx: Context[NoOptions]) -> Iterable[Finding]:
        asked = None if ctx.changed is None else {_common_name(path) for path in ctx.changed}
        groups: dict[str, list[str]] = defaultdict(list)
        for path in snapshot.facts:
            name = _common_name(path)
            if asked is None or name in asked:
                groups[name].append(path)
        for group in groups.values():
            yield from _findings(sorted(group))


def _common_name(path: str) -> str:
    """Return what all the paths that meet `path` share."""
    folded = path.lower() if path.isascii() else _fold(path)
    if folded.startswith(_SECOND_WORKFLOW_PLACE):
        return folded.removeprefix("memory/")
    return folded


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _findings(group: list[str]) -> Iterator[Finding]:
    first, *others = group
    for path in others:
        if _fold(path) == _fold(first):
            message = f"`{shorten(path)}` and `{shorten(first)}` are one file on some systems"
            advice = "rename one of the two, or merge both into one record"
        else:
            message = f"the workflow stands in two places; the other is `{shorten(first)}`"
            advice = "keep one of the two files: nobody can tell which of them `/slug` means"
        yield Finding(message, path=path, help=advice)
