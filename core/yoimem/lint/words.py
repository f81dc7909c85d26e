"""Words for messages: what someone may have meant, what an exception says."""

from collections.abc import Iterable

_CLOSE_ENOUGH = 60.0


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `, did you mean …?` with the known word nearest to `word`; empty when none is near."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - only a mistake needs it

    best = process.extractOne(word, sorted(known), scorer=fuzz.ratio, score_cutoff=_CLOSE_ENOUGH)
    return f", did you mean `{best[0]}`?" if best else ""


def words(error: BaseException) -> str:
    """Return the type of `error` and what it says, whatever it raises when it is asked."""
    try:
        text = str(error).strip()
    except Exception:
        text = "(it cannot say why)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
