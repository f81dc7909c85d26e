"""Which words of many are similar, without comparing all pairs.

Two words are *near* when their Levenshtein distance is at most `distance` and they are of different
*families*: words of one family are alike on purpose and are never compared. Words that are joined
by a chain of near ones are a group.

An edit destroys one of several disjoint parts of a word at most, so of `distance + 1` parts one is
left whole, shifted by `distance` places at most. Every long word is therefore filed under that many
of its trigrams, those that are rarest among all words, and looked up under all of its trigrams;
what the look-ups find is compared. Trigrams that too many words share (`use-…-for-cache`) say
nothing: their words make a *crowd*. In a crowd, and among words too short for trigrams, near ones
are found by their deletions: they become the same text when at most `distance` characters are taken
from each. What all of them begin and end with is left out first; it does not change a distance.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, combinations, product

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

_GRAM = 3
_CROWD = 60
_NO_DIGITS = str.maketrans("", "", "0123456789")


def similar_groups(
    words: Collection[str], distance: int, family: Callable[[str], str]
) -> list[list[str]]:
    """Return every group of two or more of `words`, each sorted, in the order of their first."""
    comparable = _comparable(sorted(set(words)), distance, family)
    return _Search(comparable, distance, family).groups()


def _comparable(words: Sequence[str], distance: int, family: Callable[[str], str]) -> Sequence[str]:
    """Leave out the words that are near none, as their outlines show at once.

    An outline is a word without its digits. Taking the digits from two words brings them no further
    apart, so near words have near outlines: of thousands of numbered slugs few outlines are left to
    be searched.
    """
    outlines: dict[str, list[str]] = defaultdict(list)
    for word in words:
        outlines[word.translate(_NO_DIGITS)].append(word)
    if len(outlines) > len(words) // 2:
        return words
    near = _Search(sorted(outlines), distance, lambda outline: outline).groups()
    kept = {outline for group in near for outline in group}
    kept |= {outline for outline, alike in outlines.items() if len(set(map(family, alike))) > 1}
    return sorted(word for outline in kept for word in outlines[outline])


def group_of(
    word: str, words: Collection[str], distance: int, family: Callable[[str], str]
) -> list[str]:
    """Return the group that `word` belongs to, sorted; it costs one pass over `words` a member."""
    group = [word]
    others = dict.fromkeys(set(words) - {word})
    for member in group:
        near = [
            other
            for other, _, _ in process.extract(
                member, list(others), scorer=Levenshtein.distance, score_cutoff=distance, limit=None
            )
            if family(other) != family(member)
        ]
        group += near
        for other in near:
            del others[other]
    return sorted(group)


class _Search:
    """One search for the groups of `words`, which are known here by their numbers."""

    def __init__(self, words: Sequence[str], distance: int, family: Callable[[str], str]) -> None:
        self._words = words
        self._distance = distance
        self._families = [family(word) for word in words]
        self._parents = list(range(len(words)))

    def groups(self) -> list[list[str]]:
        shortest_long = _GRAM * (self._distance + 1)
        numbers = range(len(self._words))
        short = [n for n in numbers if len(self._words[n]) < shortest_long + self._distance]
        long = [n for n in numbers if len(self._words[n]) >= shortest_long]
        self._join_by_deletions(short)
        for crowd in _merged(self._join_by_grams(long), self._words):
            self._join_by_deletions(sorted(crowd))
        members: dict[int, list[str]] = defaultdict(list)
        for n in numbers:
            members[self._root(n)].append(self._words[n])
        return [group for group in members.values() if len(group) > 1]

    def _join_by_grams(self, numbers: Sequence[int]) -> Iterable[set[int]]:
        """Join near words by the trigrams they share; return the crowds that are left."""
        grams = {n: _grams_of(self._words[n]) for n in numbers}
        frequency = Counter(chain.from_iterable(grams.values()))
        shelves = _Shelves(self._distance, max(map(len, self._words), default=0))
        for n in numbers:
            self._join_near(n, shelves.look_up(n, grams[n]))
            parts = _rarest_parts(grams[n], frequency, self._distance + 1)
            shelves.file(n, grams[n], parts)
        return shelves.crowds()

    def _join_near(self, n: int, candidates: Iterable[int]) -> None:
        family = self._families[n]
        others = {m: self._words[m] for m in candidates if self._families[m] != family}
        if not others:
            return
        near = process.extract(
            self._words[n],
            others,
            scorer=Levenshtein.distance,
            score_cutoff=self._distance,
            limit=None,
        )
        for _, _, m in near:
            self._join(n, m)

    def _join_by_deletions(self, numbers: Sequence[int]) -> None:
        if len({self._families[n] for n in numbers}) < 2:  # noqa: PLR2004 - nothing to compare
            return
        start, end = _common_ends([self._words[n] for n in numbers])
        first: dict[str, int] = {}
        shared: dict[str, list[int]] = {}
        for n in numbers:
            word = self._words[n]
            for left in _deletions(word[start : len(word) - end], self._distance):
                m = first.setdefault(left, n)
                if m != n:
                    shared.setdefault(left, [m]).append(n)
        for meeting in shared.values():
            self._join_within(meeting)

    def _join_within(self, numbers: Sequence[int]) -> None:
        """Compare words that meet, all pairs of different families that are not joined yet."""
        if len({self._root(n) for n in numbers}) == 1:
            return
        families: dict[str, list[int]] = defaultdict(list)
        for n in numbers:
            families[self._families[n]].append(n)
        for some, others in combinations(families.values(), 2):
            for n, m in product(some, others):
                if self._root(n) != self._root(m) and self._are_near(n, m):
                    self._join(n, m)

    def _are_near(self, n: int, m: int) -> bool:
        limit = self._distance
        found = Levenshtein.distance(self._words[n], self._words[m], score_cutoff=limit)
        return found <= limit

    def _root(self, n: int) -> int:
        parents = self._parents
        while parents[n] != n:
            parents[n] = n = parents[parents[n]]
        return n

    def _join(self, n: int, m: int) -> None:
        low, high = sorted((self._root(n), self._root(m)))
        self._parents[high] = low


class _Shelves:
    """Words filed under trigrams, apart by where in the word the trigram stands.

    A word is looked up on one shelf a trigram, and filed on each that a shift may lead to.
    """

    def __init__(self, distance: int, length: int) -> None:
        """Make room for words of up to `length` characters."""
        width = max(2 * distance, 1)
        self._distance = distance
        self._shelves: list[dict[str, list[int]]] = [{} for _ in range(length // width + 2)]
        self._crowds: dict[tuple[int, str], set[int]] = {}
        self._numbers = [at // width for at in range(length + distance)]

    def look_up(self, n: int, grams: Sequence[str]) -> set[int]:
        """Return the words filed so far that share one of the `grams` of `n`.

        Those that are in a crowd with it are left out: they are compared there.
        """
        found: set[int] = set()
        crowded: list[tuple[int, str]] = []
        for place in zip(self._numbers, grams, strict=False):
            filed = self._shelves[place[0]].get(place[1])
            if filed is None:
                continue
            if len(filed) < _CROWD:
                found.update(filed)
            else:
                crowded.append(place)
        for place in crowded:
            crowd = self._crowds.setdefault(place, set())
            found -= crowd
            crowd.add(n)
        return found

    def file(self, n: int, grams: Sequence[str], parts: Iterable[int]) -> None:
        """File `n` under those of its trigrams that begin at `parts`."""
        for at in parts:
            first = self._numbers[max(at - self._distance, 0)]
            last = self._numbers[at + self._distance]
            for shelf in self._shelves[first : last + 1]:
                shelf.setdefault(grams[at], []).append(n)

    def crowds(self) -> Iterator[set[int]]:
        """Yield the words of each trigram that too many are filed under."""
        for (shelf, gram), crowd in self._crowds.items():
            yield crowd.union(self._shelves[shelf][gram])


def _merged(crowds: Iterable[set[int]], words: Sequence[str]) -> Iterable[set[int]]:
    """Return the crowds, those merged that begin and end alike: few words are searched twice."""
    merged: dict[tuple[str, str], set[int]] = {}
    for crowd in sorted(crowds, key=len, reverse=True):
        members = [words[n] for n in crowd]
        home = next((ends for ends in merged if _have_ends(members, ends)), None)
        merged.setdefault(home or _ends_of(members), set()).update(crowd)
    return merged.values()


def _ends_of(words: Sequence[str]) -> tuple[str, str]:
    start, end = _common_ends(words)
    return words[0][:start], words[0][len(words[0]) - end :]


def _have_ends(words: Sequence[str], ends: tuple[str, str]) -> bool:
    start, end = ends
    return any(ends) and all(word.startswith(start) and word.endswith(end) for word in words)


def _grams_of(word: str) -> list[str]:
    return [word[at : at + _GRAM] for at in range(len(word) - _GRAM + 1)]


def _rarest_parts(grams: Sequence[str], frequency: Counter[str], count: int) -> list[int]:
    """Return where `count` trigrams begin that do not overlap, rare ones first."""
    chosen: list[int] = []
    covered: set[int] = set()
    length = len(grams) + _GRAM - 1
    roomy = len(grams) > (count - 1) * (2 * _GRAM - 1)
    rarity = [frequency[gram] for gram in grams]
    for at in sorted(range(len(grams)), key=rarity.__getitem__):
        if at in covered or not (roomy or _leaves_room((*chosen, at), length, count)):
            continue
        chosen.append(at)
        if len(chosen) == count:
            break
        covered.update(range(at - _GRAM + 1, at + _GRAM))
    return chosen


def _leaves_room(parts: Sequence[int], length: int, count: int) -> bool:
    """Tell whether a word of `length` holds `count` trigrams, those at `parts` among them."""
    room = len(parts)
    end = 0
    for part in sorted(parts):
        room += (part - end) // _GRAM
        end = part + _GRAM
    return room + (length - end) // _GRAM >= count


def _deletions(text: str, distance: int) -> Iterator[str]:
    """Yield `text`, and what is left of it when up to `distance` characters are taken out."""
    sizes = range(max(len(text) - distance, 0), len(text) + 1)
    return chain.from_iterable(map("".join, combinations(text, size)) for size in sizes)


def _common_ends(words: Sequence[str]) -> tuple[int, int]:
    """Return how many characters all `words` begin with alike, and how many they end with alike."""
    start = _common_start(words)
    end = _common_start([word[::-1] for word in words])
    return start, min(end, min(map(len, words)) - start)


def _common_start(words: Sequence[str]) -> int:
    """Return how far the first and the last of `words` agree: all between them agree so far too."""
    first, last = min(words), max(words)
    pairs = enumerate(zip(first, last, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(first), len(last)))
