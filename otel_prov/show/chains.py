"""A session's graph in a few lines of text, where it isn't one chain from the question to the answer::

Question → Iteration 1
Question → Iteration 2
Iteration 1, Iteration 2 → Iteration 3 → Conclusion
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import groupby
from typing import Final

from otel_prov.describe import uris
from otel_prov.show.drawing import Drawing, Node, draw
from otel_prov.show.nested import Tree
from otel_prov.show.table import type_of
from otel_prov.uris import pattern_decision

__all__ = ["chains"]

_MOST: Final = 8
"""Names that stand side by side; of a longer chain its beginning and its end do."""

_BESIDE: Final = ", "
"""Between the names of nodes that stand side by side; none has it in it."""

_Links = Mapping[str, Sequence[str]]


def chains(tree: Tree) -> list[str]:
    """The lines; none of a session that is one chain.

    What a single tool call brought is told as a part of its iteration, and so is a session that ran inside of it.
    """
    names, edges = _folded(tree)
    above, below = _links(names, edges)
    if all(len(nodes) <= 1 for links in (above, below) for nodes in links.values()):
        return []
    names, edges = _side_by_side(names, above, below)
    above, below = _links(names, edges)
    lines = []
    for run in _runs(names, above, below):
        if len(run) > 1 or above[run[0]] or not below[run[0]]:  # else it begins the lines of others
            begin = _listed([names[node] for node in above[run[0]]])
            lines.append(" → ".join(filter(None, [begin, _run([names[node] for node in run])])))
    return lines


def _links(nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> tuple[_Links, _Links]:
    """What each node comes from, and what comes from it."""
    above: dict[str, list[str]] = {node: [] for node in nodes}
    below: dict[str, list[str]] = {node: [] for node in above}
    for origin, derived in edges:
        above[derived].append(origin)
        below[origin].append(derived)
    return above, below


def _side_by_side(
    names: Mapping[str, str], above: _Links, below: _Links
) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The nodes, with all those told as one that come from the same, and that the same comes from."""
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for node in names:
        alike.setdefault((tuple(above[node]), tuple(below[node])), []).append(node)
    first = {node: group[0] for group in alike.values() for node in group}
    told = {group[0]: _listed([names[node] for node in group]) for group in alike.values()}
    return told, list(dict.fromkeys((first[node], first[derived]) for node in names for derived in below[node]))


def _runs(nodes: Iterable[str], above: _Links, below: _Links) -> Iterable[list[str]]:
    """The nodes as they follow one from the other alone, in order."""
    runs: dict[str, list[str]] = {}  # by their last node
    for node in nodes:
        before = above[node][0] if len(above[node]) == 1 else ""
        follows = before in runs and len(below[before]) == 1
        runs[node] = [*runs.pop(before), node] if follows else [node]
    return runs.values()


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST
    return _BESIDE.join(names) if more <= 1 else f"{_BESIDE.join(names[:_MOST])} and {more:,} more"


def _run(names: Sequence[str]) -> str:
    """A run, each stretch of it where one node follows another cut where it is long."""
    parts: list[str] = []
    for _, stretch in groupby(names, lambda name: _BESIDE in name):
        each = list(stretch)
        parts += each if len(each) <= _MOST else [each[0], "…", each[-1]]
    return " → ".join(parts)


def _folded(tree: Tree) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The nodes to tell of, with their names, and from which one comes which."""
    drawing = draw(tree)
    place = _places(drawing.cluster.nodes)
    names = {node.uri: node.name for node in drawing.cluster.nodes if place[node.uri] == node.uri}
    inner: dict[str, str] = {}
    sessions = (*(each.session for each in tree.inner), *tree.deeper)
    for session, cluster in zip(sessions, drawing.cluster.inner, strict=True):
        uri, caller = uris.legal(session.uri), uris.legal(session.caller or "")
        is_call = uris.ITERATION.fullmatch(caller) is not None and caller in place
        place |= {node.uri: caller if is_call else uri for node in cluster.all_nodes()}
        if not is_call:
            inner[uri] = f"{type_of(session.kind, session.pattern)} {session.uri.rpartition(':')[2][:8]}"
    edges = dict.fromkeys(_edges(drawing, place, uris.legal(tree.session.uri)))
    missing = {node.uri: f"{node.name} (not here)" for node in drawing.others}
    names = {**{uri: missing[uri] for uri, _ in edges if uri in missing}, **names, **inner}
    names.pop(pattern_decision(uris.legal(tree.session.uri)), None)  # how it was to be done, not what was
    above, below = _links(names, edges := {edge: None for edge in edges if edge[1] in names})
    around = {(origin, derived) for node in inner for origin in above[node] for derived in below[node]}
    return {node: names[node] for node in _in_order(names, above)}, [edge for edge in edges if edge not in around]


def _in_order(nodes: Iterable[str], above: _Links) -> Iterable[str]:
    """The nodes, each behind those that it comes from, else as they are; that is so, too, where they go in circles."""
    place = {node: number for number, node in enumerate(nodes)}
    sorter = TopologicalSorter(above)
    try:
        sorter.prepare()
    except CycleError:
        return list(place)
    ready: list[tuple[int, str]] = []
    found: list[str] = []
    while sorter.is_active():
        for node in sorter.get_ready():
            heappush(ready, (place[node], node))
        found.append(heappop(ready)[1])
        sorter.done(found[-1])
    return found


def _edges(drawing: Drawing, place: Mapping[str, str], question: str) -> Iterator[tuple[str, str]]:
    """From node to node, but for what the session ran inside of, and for what a tool call brought from elsewhere."""
    missing = {node.uri for node in drawing.others}
    for origin, derived in drawing.edges:
        seen = uris.OBSERVATION.fullmatch(derived)
        if origin in missing and seen:
            origin = uris.iteration(seen[1], int(seen[2]))
        above, below = place.get(origin, origin), place[derived]
        if derived == question or above == below:
            continue
        if above in place or (above in missing and below == derived):
            yield above, below


def _places(nodes: Sequence[Node]) -> dict[str, str]:
    """The node that each is told with: an iteration, of its only observation; else it itself."""
    place = {node.uri: node.uri for node in nodes}
    observed: dict[str, list[str]] = {}
    for node in nodes:
        if match := uris.OBSERVATION.fullmatch(node.uri):
            observed.setdefault(uris.iteration(match[1], int(match[2])), []).append(node.uri)
    return place | {seen[0]: iteration for iteration, seen in observed.items() if len(seen) == 1 and iteration in place}
