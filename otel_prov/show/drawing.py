"""What there is to draw of a session: the nodes of its explanation graph, what derives from what, and, as clusters, the
sessions inside of it. Whatever nodes a session has are there; none is known by name here, but for how it is called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final

from otel_prov.describe import Literal, Quad, describe, uris
from otel_prov.describe import vocabulary as v
from otel_prov.read.nesting import last_node
from otel_prov.show.escape import one_line
from otel_prov.show.nested import Tree
from otel_prov.show.table import type_of
from otel_prov.steps import Session

__all__ = ["Cluster", "Drawing", "Node", "called", "draw", "shortened"]

_LONGEST: Final = 48
"""Characters of a text that a node shows."""
_TEXTS: Final = (v.TG_QUERY, v.TG_CONTENT, v.TG_ANSWER, v.TG_TOOL_ERROR)
_GENERAL: Final = {v.QUESTION, v.ANSWER, v.ERROR, v.TOOL_USE, v.REFLECTION}
"""Types that a node has beside the one that tells what it is."""
_COMES_FROM: Final = {v.PROV_DERIVED, v.PROV + "wasInfluencedBy"}
_INDEX: Final = re.compile(r"/([0-9]{1,9})\Z")
_WORD: Final = re.compile("(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the graph."""

    uri: str
    name: str
    """What it is, and which: ``Iteration 3``."""
    text: str = ""
    """The tool that was called, or the beginning of its text; on one line."""
    failed: bool = False
    is_here: bool = True
    """Whether anything is known of it but its name."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A session: its nodes, in the order of what happened, and the sessions inside of it."""

    title: str
    nodes: tuple[Node, ...]
    inner: tuple[Cluster, ...] = ()

    def all_nodes(self) -> Iterator[Node]:
        """Its nodes, and those inside."""
        yield from self.nodes
        for each in self.inner:
            yield from each.all_nodes()


@dataclass(frozen=True, slots=True)
class Drawing:
    """A session with all that is inside of it."""

    cluster: Cluster
    others: tuple[Node, ...]
    """What is derived from, and isn't here."""
    edges: tuple[tuple[str, str], ...]
    """From what was there first to what derives from it, by IRI."""

    def numbered(self) -> dict[str, int]:
        """A number for each node, by IRI."""
        nodes = (*self.cluster.all_nodes(), *self.others)
        return {uri: number for number, uri in enumerate(dict.fromkeys(node.uri for node in nodes))}


def draw(tree: Tree) -> Drawing:
    """What there is to draw of a session, with those inside of it, as deep as the tree goes."""
    cluster = _cluster(tree)
    known = dict.fromkeys(node.uri for node in cluster.all_nodes())
    edges = [edge for edge in dict.fromkeys(_beside(_edges(tree), known)) if edge[1] in known]
    missing = dict.fromkeys(parent for parent, _ in edges if parent not in known)
    return Drawing(cluster, tuple(Node(uri, called(uri, ()), is_here=False) for uri in missing), tuple(edges))


def _cluster(tree: Tree) -> Cluster:
    session = tree.session
    deeper = tuple(Cluster(_title(each), (_folded(each),)) for each in tree.deeper)
    return Cluster(_title(session), tuple(_nodes(session)), (*map(_cluster, tree.inner), *deeper))


def _title(session: Session) -> str:
    return shortened(": ".join(filter(None, [type_of(session.kind, session.pattern), session.agent])))


def _folded(session: Session) -> Node:
    """A session that is not looked into."""
    return Node(session.uri, "Question", shortened(session.question.text or ""))


def _nodes(session: Session) -> Iterator[Node]:
    """The nodes that derive from others, and the question; but for thoughts, which belong to what was done."""
    for uri, said in _by_subject(session):
        types = [str(quad.object) for quad in said if quad.predicate == v.RDF_TYPE]
        if uri == uris.legal(session.uri) or (_parents(said) and v.THOUGHT not in types):
            error = v.ERROR in types
            yield Node(uri, called(uri, types), _text(said), failed=error)


def _edges(tree: Tree) -> Iterator[tuple[str, str]]:
    folded = {uris.legal(last_node(each)): uris.legal(each.uri) for each in tree.deeper}
    for uri, said in _by_subject(tree.session):
        yield from ((folded.get(parent, parent), uri) for parent in _parents(said))
    for each in tree.deeper:
        if each.caller is not None:
            yield uris.legal(each.caller), uris.legal(each.uri)
    for inner in tree.inner:
        yield from _edges(inner)


def _beside(edges: Iterable[tuple[str, str]], known: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The edges, with the calls of an iteration side by side, and what comes after it derived from each of them.

    In the graph one of them may follow from the other, and the next iteration from the last: TrustGraph's command line
    prints what derives from several once for each.
    """
    iterations = {
        node: uris.iteration(match[1], int(match[2])) for node in known if (match := uris.OBSERVATION.fullmatch(node))
    }
    calls: dict[str, list[str]] = {}
    for node, iteration in iterations.items():
        calls.setdefault(iteration, []).append(node)
    for origin, derived in edges:
        iteration = iterations.get(origin, "")
        if not iteration:
            yield origin, derived
        elif iterations.get(derived) == iteration:
            yield iteration, derived
        else:
            yield from ((call, derived) for call in calls[iteration])


def _by_subject(session: Session) -> Iterator[tuple[str, list[Quad]]]:
    for uri, quads in groupby(describe(session), attrgetter("subject")):
        yield uri, list(quads)


def _parents(said: Sequence[Quad]) -> list[str]:
    return [q.object for q in said if q.predicate in _COMES_FROM and isinstance(q.object, str)]


def called(uri: str, types: Sequence[str]) -> str:
    """What a node is called: by its IRI, where that has a pattern, else by the type that says most."""
    if match := uris.ITERATION.fullmatch(uri):
        return f"Iteration {match[2]}"
    if match := uris.OBSERVATION.fullmatch(uri):
        return f"Observation {match[2]}{f'.{match[3]}' if match[3] else ''}"
    if retrieval := uris.retrieval_of(uri):
        return retrieval[1].capitalize()
    kinds = [kind.removeprefix(v.TG) for kind in types if kind.startswith(v.TG) and kind not in _GENERAL]
    if not kinds:
        return "Conclusion" if uris.CONCLUSION.fullmatch(uri) else shortened(uri)
    if kinds[-1].endswith("Question"):
        return "Question"
    index = _INDEX.search(uri)
    return _WORD.sub(" ", kinds[-1]).capitalize() + (f" {int(index[1]) + 1}" if index else "")


def _text(said: Sequence[Quad]) -> str:
    """The tool, and the text; where it has neither, what the node is called in the graph, if that says more."""
    texts = {q.predicate: q.object.text for q in said if isinstance(q.object, Literal)}
    found = [texts[predicate] for predicate in (v.TG_ACTION, *_TEXTS) if texts.get(predicate)][:2]
    label = texts.get(v.RDFS_LABEL, "")
    return shortened(": ".join(found) or (label if " " in label else ""))


def shortened(text: str) -> str:
    """The beginning of a text, on one line."""
    line = one_line(text[: 4 * _LONGEST])
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
