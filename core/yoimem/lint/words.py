"""Words for messages: what someone may have meant, what an exception says."""

from collections.abc import Iterable

_NEAR = 0.6


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the one of `known` that `word` was likely meant to be; empty when none is near.

    Of several that are as near the first counts.
    """
    from rapidfuzz import process  # noqa: PLC0415 - only a mistake needs it
    from rapidfuzz.distance import OSA  # noqa: PLC0415

    similarity = OSA.normalized_similarity
    best = process.extractOne(word, list(known), scorer=similarity, score_cutoff=_NEAR)
    return best[0] if best else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `, did you mean …?` with the known word nearest to `word`; empty when none is near."""
    best = nearest(word, sorted(known))
    return f", did you mean `{best}`?" if best else ""


def words(error: BaseException) -> str:
    """Return the type of `error` and what it says, whatever it raises when it is asked."""
    try:
        text = str(error).strip()
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever its `__str__` raises
        text = "(it cannot say why)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
