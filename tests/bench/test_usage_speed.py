"""Reading and measuring a million events of use: in one pass, near what parsing their JSON costs."""

import gc
import json
import time
from collections.abc import Callable
from pathlib import Path

from tests.recall.usage_events import invoke, lines, put, spent
from yoimem.lint.settings import UsageSettings
from yoimem.recall.usage import UsageLog, measure

_MANY, _FEW = 1_000_000, 100_000
_RECORDS, _SESSIONS = 10_000, 5_000


def test_a_million_events(tmp_path: Path) -> None:
    put(tmp_path / "few", _text(_FEW))
    many = put(tmp_path / "many", _text(_MANY))
    parsing = _seconds(lambda: _parse(many))
    small = _seconds(lambda: _measure(tmp_path / "few"))
    large = _seconds(lambda: _measure(tmp_path / "many"))
    print(
        f"\n{_MANY:,} events, {many.stat().st_size / 1e6:.0f} MB: {large:.1f} s,"
        f" {large / parsing:.1f} x json.loads of their lines ({parsing:.1f} s),"
        f" {large / small:.1f} x as long as {_FEW:,} of them ({small:.2f} s)"
    )
    assert large <= 5 * parsing
    assert large <= 13 * small


def _text(count: int) -> str:
    """Make events of which every fifth spends tokens; the rest read one record of many."""
    events = (
        spent(800, f"s{n % _SESSIONS}", until=n)
        if n % 5 == 0
        else invoke(f"s{n // 40 % _SESSIONS}", f"knowledge/r{n * 7919 % _RECORDS}.md")
        for n in range(count)
    )
    return "".join(f"{line}\n" for line in lines(list(events)))


def _parse(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def _measure(root: Path) -> None:
    usage = measure(UsageLog(root).history(), UsageSettings())
    assert usage.now
    assert len(usage.uses) == _RECORDS - _RECORDS // 5


def _seconds(work: Callable[[], None]) -> float:
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start
