"""Cycles in a directed graph, found without recursion: a chain may be as long as the memory."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

Successors = Callable[[str], Sequence[str]]


def components(starts: Iterable[str], successors: Successors) -> Iterator[frozenset[str]]:
    """Yield every strongly connected component that can be reached from `starts`."""
    walk = _Walk(successors)
    for start in starts:
        yield from walk.components_from(start)


def shortest_cycle(start: str, within: Collection[str], successors: Successors) -> list[str]:
    """Return a shortest way from `start` back to it inside the component `within`.

    The list begins and ends with `start`; it is empty when there is no way.
    """
    came_from: dict[str, str] = {}
    queue = [start]
    for node in queue:
        for successor in successors(node):
            if successor == start:
                return _way(node, start, came_from)
            if successor in within and successor not in came_from:
                came_from[successor] = node
                queue.append(successor)
    return []


def _way(last: str, start: str, came_from: dict[str, str]) -> list[str]:
    way = [start, last]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]


class _Walk:
    """Tarjan's algorithm, with the calls it would make on a list instead of the stack."""

    def __init__(self, successors: Successors) -> None:
        self._successors = successors
        self._numbers: dict[str, int] = {}
        self._lowest: dict[str, int] = {}
        self._open: dict[str, None] = {}

    def components_from(self, start: str) -> Iterator[frozenset[str]]:
        if start in self._numbers:
            return
        calls = [self._enter(start)]
        while calls:
            node, following = calls[-1]
            new = self._next_new(node, following)
            if new is not None:
                calls.append(self._enter(new))
                continue
            calls.pop()
            if calls:
                above = calls[-1][0]
                self._lowest[above] = min(self._lowest[above], self._lowest[node])
            if self._lowest[node] == self._numbers[node]:
                yield self._close(node)

    def _enter(self, node: str) -> tuple[str, Iterator[str]]:
        self._numbers[node] = self._lowest[node] = len(self._numbers)
        self._open[node] = None
        return node, iter(self._successors(node))

    def _next_new(self, node: str, following: Iterator[str]) -> str | None:
        """Return the next successor that was not entered yet, minding those that are open."""
        for successor in following:
            if successor not in self._numbers:
                return successor
            if successor in self._open:
                self._lowest[node] = min(self._lowest[node], self._numbers[successor])
        return None

    def _close(self, node: str) -> frozenset[str]:
        """Take the component off the open nodes: everything that was entered since `node`."""
        component: set[str] = set()
        while node not in component:
            component.add(self._open.popitem()[0])
        return frozenset(component)
