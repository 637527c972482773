"""Cycles in a graph of what comes before what."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

__all__ = ["components", "way"]

Node = TypeVar("Node", bound=Hashable)


def components(graph: Mapping[Node, Sequence[Node]]) -> Iterator[set[Node]]:
    """The strongly connected components of a graph, in linear time (Tarjan, 1972), without recursion.

    Args:
        graph: Each node with those that an edge leads to from it.
    """
    found: dict[Node, int] = {}
    low: dict[Node, int] = {}
    path: list[Node] = []
    for start in graph:
        if start in found:
            continue
        found[start] = low[start] = len(found)
        path.append(start)
        calls = [(start, iter(graph[start]))]
        while calls:
            node, rest = calls[-1]
            for target in rest:
                if target not in found:
                    found[target] = low[target] = len(found)
                    path.append(target)
                    calls.append((target, iter(graph.get(target, ()))))
                    break
                low[node] = min(low[node], low.get(target, len(found)))
            else:
                calls.pop()
                if calls:
                    above = calls[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == found[node]:
                    yield _taken(path, node, low)


def _taken(path: list[Node], root: Node, low: dict[Node, int]) -> set[Node]:
    """The component of this root, taken from the path; its nodes are out of the search from now on."""
    members = set()
    while True:
        node = path.pop()
        del low[node]
        members.add(node)
        if node == root:
            return members


def way(graph: Mapping[Node, Sequence[Node]], start: Node, end: Node, within: Iterable[Node]) -> list[Node]:
    """A shortest way from one node to another, both included, that leads only through certain nodes.

    There has to be one.
    """
    allowed = set(within)
    before: dict[Node, Node] = {}
    waiting = deque([start])
    while start != end and end not in before:
        node = waiting.popleft()
        for target in graph.get(node, ()):
            if target in allowed and target not in before and target != start:
                before[target] = node
                waiting.append(target)
    steps = [end]
    while steps[-1] != start:
        steps.append(before[steps[-1]])
    return steps[::-1]
