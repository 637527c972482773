"""Retrievals in anybody's graph. Both layouts of :mod:`otel_prov.describe.retrieval` are recognised alike.

A question is one to a knowledge graph or to documents by its IRI, else by its types, else by what derives from it
(second technical specification, "Detection"; ``trustgraph/api/explainability.py``). A stage is known by its type, and
belongs to the retrieval that its IRI names, or that the chain of ``prov:wasDerivedFrom`` leads to.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from otel_prov import names
from otel_prov.describe import uris
from otel_prov.describe import vocabulary as v
from otel_prov.describe.graph import Graph
from otel_prov.describe.quads import Literal
from otel_prov.describe.times import parsed
from otel_prov.names import session_uri
from otel_prov.steps import (
    Exploration,
    Focus,
    Grounding,
    Question,
    Selection,
    Session,
    Step,
    Synthesis,
    Text,
    Triple,
)

__all__ = ["recognise"]

_STAGES: Final = {
    v.GROUNDING: uris.GROUNDING,
    v.EXPLORATION: uris.EXPLORATION,
    v.FOCUS: uris.FOCUS,
    v.SYNTHESIS: uris.SYNTHESIS,
}
_PREFIXES: Final = {uris.GRAPH: names.GRAPH_RAG, uris.DOCUMENTS: names.DOCUMENT_RAG}
_INDEX: Final = re.compile(r"[0-9]{1,18}\Z")

Nodes = Mapping[str, list[str]]
"""The nodes of each stage of one retrieval."""


def recognise(graph: Graph, agents: Collection[str]) -> Iterator[Session]:
    """The retrievals that a graph tells of.

    Args:
        agents: Questions that are known to be asked of agents.
    """
    stages = {node: name for node in graph.subjects if (name := _stage(graph, node))}
    kinds = _kinds(graph, stages, agents)
    found: dict[str, dict[str, list[str]]] = {question: {} for question in kinds}
    for node, name in stages.items():
        if (question := _question_of(node, graph, stages, kinds)) is not None:
            found.setdefault(question, {}).setdefault(name, []).append(node)
    for question, nodes in found.items():
        kind = kinds.get(question) or _by_iri(question) or names.GRAPH_RAG
        uri = session_uri(question[2:], kind) if question.startswith("_:") else question
        steps = tuple(_steps(graph, question if question in kinds else None, nodes))
        yield Session(uri, steps, kind=kind, caller=next(iter(graph.links(question, v.PROV_DERIVED)), None))


def _stage(graph: Graph, node: str) -> str | None:
    types = graph.types(node)
    return next((name for kind, name in _STAGES.items() if kind in types), None)


def _kinds(graph: Graph, stages: Mapping[str, str], agents: Collection[str]) -> dict[str, str]:
    """The questions that are asked of retrievals, and of which kind."""
    first = [node for node, name in stages.items() if name in (uris.GROUNDING, uris.EXPLORATION)]
    origins = {parent for node in first for parent in graph.parents(node)}
    about_chunks = {
        parent
        for node in first
        if graph.values(node, v.TG_CHUNK_COUNT, v.TG_SELECTED_CHUNK)
        for parent in graph.parents(node)
    }
    about_chunks |= {above for node in about_chunks if node in stages for above in graph.parents(node)}
    kinds = {}
    for node in graph.subjects:
        types = graph.types(node)
        is_question = v.QUESTION in types or (not types and bool(graph.texts(node, v.TG_QUERY)))
        if node in agents or not (is_question or types & {v.GRAPH_RAG_QUESTION, v.DOC_RAG_QUESTION}):
            continue
        if kind := _by_iri(node):
            kinds[node] = kind
        elif v.GRAPH_RAG_QUESTION in types:
            kinds[node] = names.GRAPH_RAG
        elif v.DOC_RAG_QUESTION in types:
            kinds[node] = names.DOCUMENT_RAG
        elif node in origins:
            kinds[node] = names.DOCUMENT_RAG if node in about_chunks else names.GRAPH_RAG
    return kinds


def _by_iri(question: str) -> str | None:
    return next((kind for prefix, kind in _PREFIXES.items() if question.startswith(prefix)), None)


def _question_of(node: str, graph: Graph, stages: Mapping[str, str], kinds: Mapping[str, str]) -> str | None:
    """The question that a stage belongs to; one that isn't in the graph is known by the stage's name alone."""
    name = uris.retrieval_of(node)
    if name and name[0] in kinds:
        return name[0]
    seen = {node}
    wave = [node]
    while wave:
        above = [parent for each in wave for parent in graph.parents(each) if parent not in seen]
        if questions := sorted(parent for parent in above if parent in kinds):
            return questions[0]
        seen.update(above)
        wave = [parent for parent in dict.fromkeys(above) if parent in stages]
    return name[0] if name else None


def _steps(graph: Graph, question: str | None, nodes: Nodes) -> Iterator[Step]:
    if question is not None:
        times = [time for text in graph.texts(question, v.PROV_STARTED) if (time := parsed(text))]
        yield Question(graph.text(question, v.TG_QUERY), min(times, default=None))
    if grounding := nodes.get(uris.GROUNDING):
        yield Grounding(_values(graph, grounding, v.TG_CONCEPT))
    if exploration := nodes.get(uris.EXPLORATION):
        yield Exploration(
            edges=_count(graph, exploration, v.TG_EDGE_COUNT),
            entities=_values(graph, exploration, v.TG_ENTITY),
            chunks=_count(graph, exploration, v.TG_CHUNK_COUNT),
            chunk_ids=_values(graph, exploration, v.TG_SELECTED_CHUNK),
        )
    if focus := nodes.get(uris.FOCUS):
        chosen = [node for each in focus for node in graph.values(each, v.TG_SELECTED_EDGE, v.TG_SELECTED_CHUNK)]
        yield Focus(tuple(_selection(graph, node) for node in sorted(set(chosen), key=_order)))
    if synthesis := nodes.get(uris.SYNTHESIS):
        texts = [text for node in synthesis for text in graph.texts(node, v.TG_CONTENT)]
        texts = texts or [text for node in synthesis for text in graph.texts(node, v.TG_ANSWER)]
        yield Synthesis(max(texts, default=None))


def _values(graph: Graph, nodes: list[str], predicate: str) -> tuple[str, ...]:
    return tuple(value for node in nodes for value in graph.values(node, predicate))


def _count(graph: Graph, nodes: list[str], predicate: str) -> int | None:
    """A number that stands there; of several the greatest, for it may have grown."""
    texts = [text for node in nodes for text in graph.texts(node, predicate)]
    return max((int(text) for text in texts if _INDEX.fullmatch(text)), default=None)


def _order(selection: str) -> tuple[float, str]:
    match = _INDEX.search(selection)
    return (int(match[0]) if match else math.inf), selection


def _selection(graph: Graph, node: str) -> Selection:
    if not graph.knows(node):  # the chunk itself
        return Selection(chunk=node)
    quoted = graph.triple(node, v.TG_EDGE)
    return Selection(
        edge=None if quoted is None else Triple(uris.plain(quoted[0]), uris.plain(quoted[1]), _object(quoted[2])),
        chunk=next(iter(graph.values(node, v.TG_DOCUMENT)), None),
        concept=graph.text(node, v.TG_CONCEPT),
        score=_score(graph.text(node, v.TG_SCORE)),
        reasoning=graph.text(node, v.TG_REASONING),
    )


def _object(term: str | Literal) -> str | Text:
    return Text(*term) if isinstance(term, Literal) else term


def _score(text: str | None) -> float | None:
    try:
        score = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return score if math.isfinite(score) else None
