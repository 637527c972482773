"""The texts that TrustGraph keeps in its librarian, found in quads: of what links to a document and tells its text.

Ids and titles are those of TrustGraph's own agents (``trustgraph/agent/react/service.py`` and
``trustgraph/agent/orchestrator/pattern_base.py`` in trustgraph-flow 2.11.1).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Final, NamedTuple

from otel_prov.describe import vocabulary as v
from otel_prov.describe.quads import Literal, Quad
from otel_prov.uris import DOCUMENTS, PROV

__all__ = ["Document", "documents", "linked"]

_SELECTED: Final = (f"{PROV}edge:", f"{PROV}chunk:")  # nodes that say why something was selected
_OF_GRAPH: Final = f"{PROV}synthesis:"

_RESULTS: Final = {
    v.STEP_RESULT: ("Step result", v.TG_PLAN_STEP),
    v.FINDING: ("Finding", v.TG_SUBAGENT_GOAL),
}
_QUESTION_IN_TITLE: Final = 50  # characters
_GOAL_IN_TITLE: Final = 60


class Document(NamedTuple):
    """A text of the librarian's."""

    id: str
    title: str
    text: str


def documents(quads: Sequence[Quad]) -> list[Document]:
    """The documents that the quads link to and know the text of."""
    links = {quad.subject: quad.object for quad in quads if quad.predicate == v.TG_DOCUMENT}
    if not links:
        return []
    texts = {(quad.subject, quad.predicate): quad.object.text for quad in quads if isinstance(quad.object, Literal)}
    types = {(quad.subject, quad.object) for quad in quads if quad.predicate == v.RDF_TYPE}
    thinkers = {quad.object: quad.subject for quad in quads if quad.predicate == v.TG_THOUGHT}
    question = next((text for (_, predicate), text in texts.items() if predicate == v.TG_QUERY), "")

    def title(node: str) -> str:
        if (node, v.THOUGHT) in types:
            action = texts.get((thinkers.get(node, ""), v.TG_ACTION))
            return f"Agent Thought: {action}" if action else "Agent Thought"
        if (node, v.OBSERVATION) in types:
            return "Agent Observation"
        for result, (name, predicate) in _RESULTS.items():
            if (node, result) in types:
                return f"{name}: {texts.get((node, predicate), '')[:_GOAL_IN_TITLE]}"
        kind = "Agent"
        if (node, v.SYNTHESIS) in types:
            if not node.startswith((_OF_GRAPH, DOCUMENTS)):
                return "Synthesis"
            kind = "GraphRAG" if node.startswith(_OF_GRAPH) else "DocumentRAG"
        return f"{kind} Answer: {question[:_QUESTION_IN_TITLE]}..." if question else f"{kind} Answer"

    return [
        Document(link, title(node), texts[node, v.TG_CONTENT])
        for node, link in links.items()
        if isinstance(link, str) and (node, v.TG_CONTENT) in texts
    ]


def linked(quads: Iterable[Quad], known: Container[str]) -> list[Quad]:
    """The quads, without links to documents that the librarian doesn't have: TrustGraph's programs fail at those.

    A chunk that a retrieval selected is not ours to keep there, and looked for by none of them.
    """
    return [quad for quad in quads if quad[1] != v.TG_DOCUMENT or quad[2] in known or quad[0].startswith(_SELECTED)]
