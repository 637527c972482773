"""Retrievals: questions to a knowledge graph (GraphRAG) or to documents, and how they were answered.

A question, the concepts that it is about (grounding), what was found (exploration), what was selected of that and why
(focus), and the answer (synthesis), each a node that derives from the one before it. Two layouts are in the world:
TrustGraph's own since 2.3 (``trustgraph/provenance/triples.py`` in trustgraph-base 2.11.1), and that of the second
technical specification ("Entity types", "Document RAG provenance model"), where the question is an activity, nodes have
no labels, and there is no grounding. The first specification has none for retrievals.

What they don't know of is added beside it: the answer's text as ``tg:content``, also where a librarian has it; in the
specification's layout the grounding; what a selected chunk is about, and why it was selected. Where chunks of documents
were selected, the answer derives from the exploration, too: TrustGraph's command line doesn't find it otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from otel_prov import names
from otel_prov.describe import uris
from otel_prov.describe import vocabulary as v
from otel_prov.describe.nodes import each
from otel_prov.describe.nodes import node as described
from otel_prov.describe.quads import Literal, Quad, QuotedTriple
from otel_prov.describe.times import written
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

__all__ = ["SPECIFICATION", "TRUSTGRAPH", "Layout", "describe"]


class Layout(NamedTuple):
    """How the second technical specification and TrustGraph differ."""

    question: str
    """What a question is, besides a question."""
    synthesis: tuple[str, ...]
    is_labelled: bool
    exploration: tuple[str, str]
    """What leads from the exploration to which stage; none is the question."""
    document: bool
    """Whether the answer links to its text in TrustGraph's librarian."""


TRUSTGRAPH: Final = Layout(
    v.PROV_ENTITY, (v.PROV_ENTITY, v.SYNTHESIS, v.ANSWER), True, (v.PROV_DERIVED, uris.GROUNDING), True
)
SPECIFICATION: Final = Layout(v.PROV_ACTIVITY, (v.PROV_ENTITY, v.SYNTHESIS), False, (v.PROV_GENERATED, ""), False)

_QUESTIONS: Final = {
    names.GRAPH_RAG: (v.GRAPH_RAG_QUESTION, "GraphRAG Question"),
    names.DOCUMENT_RAG: (v.DOC_RAG_QUESTION, "DocumentRAG Question"),
}


def describe(session: Session, layout: Layout) -> Iterator[tuple[Step, list[Quad]]]:
    """Each step of a retrieval with its quads."""
    for step in session.steps:
        yield step, list(_step(step, session, layout))


def _step(step: Step, session: Session, layout: Layout) -> Iterator[Quad]:
    match step:
        case Question():
            return _question(step, session, layout)
        case Grounding():
            return _grounding(step, session.uri, layout)
        case Exploration():
            return _exploration(step, session.uri, layout)
        case Focus():
            return _focus(step, session, layout)
        case Synthesis():
            return _synthesis(step, session, layout)
    return iter(())


def _question(step: Question, session: Session, layout: Layout) -> Iterator[Quad]:
    kind, label = _QUESTIONS[session.kind]
    texts = {
        v.RDFS_LABEL: label if layout.is_labelled else None,
        v.PROV_STARTED: written(step.started) if step.started else None,
        v.TG_QUERY: step.text,
    }
    caller = uris.legal(session.caller) if session.caller else None
    return described(session.uri, (layout.question, v.QUESTION, kind), texts, {v.PROV_DERIVED: caller})


def _grounding(step: Grounding, session: str, layout: Layout) -> Iterator[Quad]:
    uri = uris.stage(session, uris.GROUNDING)
    texts = {v.RDFS_LABEL: "Grounding" if layout.is_labelled else None}
    yield from described(uri, (v.PROV_ENTITY, v.GROUNDING), texts, {v.PROV_DERIVED: session})
    yield from each(uri, v.TG_CONCEPT, map(Literal, step.concepts))


def _exploration(step: Exploration, session: str, layout: Layout) -> Iterator[Quad]:
    uri = uris.stage(session, uris.EXPLORATION)
    predicate, before = layout.exploration
    texts = {
        v.RDFS_LABEL: "Exploration" if layout.is_labelled else None,
        v.TG_EDGE_COUNT: None if step.edges is None else str(step.edges),
        v.TG_CHUNK_COUNT: None if step.chunks is None else str(step.chunks),
    }
    links = {predicate: uris.stage(session, before) if before else session}
    yield from described(uri, (v.PROV_ENTITY, v.EXPLORATION), texts, links)
    yield from each(uri, v.TG_ENTITY, map(_resource, step.entities))
    yield from each(uri, v.TG_SELECTED_CHUNK, map(_resource, step.chunk_ids))


def _focus(step: Focus, session: Session, layout: Layout) -> Iterator[Quad]:
    uri = uris.stage(session.uri, uris.FOCUS)
    label = "Focus" if session.kind == names.GRAPH_RAG else "Chunk Selection"
    texts = {v.RDFS_LABEL: label if layout.is_labelled else None}
    links = {v.PROV_DERIVED: uris.stage(session.uri, uris.EXPLORATION)}
    yield from described(uri, (v.PROV_ENTITY, v.FOCUS), texts, links)
    chosen = [(selection, _is_edge(selection, session)) for selection in step.selections]
    nodes = [uris.selection(session.uri, "edge" if edge else "chunk", i) for i, (_, edge) in enumerate(chosen)]
    for node, (_, is_edge) in zip(nodes, chosen, strict=True):
        yield from each(uri, v.TG_SELECTED_EDGE if is_edge else v.TG_SELECTED_CHUNK, [node])
    for node, (selection, is_edge) in zip(nodes, chosen, strict=True):
        yield from _selection(selection, node, v.EDGE_SELECTION if is_edge else v.CHUNK_SELECTION)


def _is_edge(selection: Selection, session: Session) -> bool:
    return selection.edge is not None or (selection.chunk is None and session.kind == names.GRAPH_RAG)


def _selection(step: Selection, uri: str, kind: str) -> Iterator[Quad]:
    """Why something was selected: a node between the focus and the thing itself."""
    texts = {
        v.TG_CONCEPT: step.concept,
        v.TG_SCORE: None if step.score is None else str(step.score),
        v.TG_REASONING: step.reasoning,
    }
    yield from described(uri, (kind,), texts, {})
    if step.edge is not None:
        yield from each(uri, v.TG_EDGE, [_quoted(step.edge)])
    if step.chunk is not None:
        yield from each(uri, v.TG_DOCUMENT, [_resource(step.chunk)])


def _synthesis(step: Synthesis, session: Session, layout: Layout) -> Iterator[Quad]:
    uri = uris.stage(session.uri, uris.SYNTHESIS)
    texts = {v.RDFS_LABEL: "Synthesis" if layout.is_labelled else None, v.TG_CONTENT: step.text}
    has_document = layout.document and step.text is not None
    yield from described(
        uri, layout.synthesis, texts, {v.TG_DOCUMENT: uris.synthesised(session.uri) if has_document else None}
    )
    before = [uris.FOCUS]
    if session.kind == names.DOCUMENT_RAG:
        before = [uris.EXPLORATION, *(uris.FOCUS for _ in session.of(Focus))]
    yield from each(uri, v.PROV_DERIVED, [uris.stage(session.uri, name) for name in before])


def _resource(name: str) -> str | Literal:
    """What an id stands for: an IRI, or a text, as the second specification has it."""
    return name if uris.is_iri(name) else Literal(name)


def _quoted(edge: Triple) -> QuotedTriple:
    target = edge.object
    if isinstance(target, Text):
        return QuotedTriple(
            uris.named(edge.subject),
            uris.named(edge.predicate),
            Literal(target.value, "" if target.language else target.datatype, target.language),
        )
    return QuotedTriple(uris.named(edge.subject), uris.named(edge.predicate), _resource(target))
