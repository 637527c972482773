"""The IRIs of a session's nodes in the graph, S being the session's own (:func:`otel_prov.names.session_uri`).

Of an agent's session, ``S/i{n}`` is iteration n, ``S/i{n}/thought`` and ``S/i{n}/observation`` are its thought and
observation, ``S/final`` is the answer. Ours is ``S/i{n}/observation/{k}``, for the k-th tool call of one iteration,
from the second.

Of one that works by a plan, ``S/plan`` is the plan and ``S/step/{i}`` the result of a step; of one that works by
delegation, ``S/decompose`` is what there is to do and ``S/finding/{i}`` what a part came to, i counted from 0. Their
answer is ``S/synthesis``. ``S/pattern-decision`` is the choice of how to work.

Of a question to a knowledge graph, ``urn:trustgraph:question:{id}``, stages are ``urn:trustgraph:prov:{stage}:{id}``;
of a question to documents, ``urn:trustgraph:docrag:{id}``, they are ``S/{stage}``. What was selected is
``urn:trustgraph:prov:edge:{id}:{i}`` and ``urn:trustgraph:prov:chunk:{id}:{i}``, i counted from 0.

(Technical specifications, "Provenance Model"; ``trustgraph/provenance/uris.py`` in trustgraph-base 2.11.1.)
"""

from __future__ import annotations

import re
from typing import Final

from otel_prov.names import DOCUMENT_RAG, GRAPH_RAG, URI_STARTS

GRAPH: Final = URI_STARTS[GRAPH_RAG]
"""What the IRI of a question to a knowledge graph starts with."""
DOCUMENTS: Final = URI_STARTS[DOCUMENT_RAG]
"""What the IRI of a question to documents starts with."""
PROV: Final = "urn:trustgraph:prov:"
"""What the IRIs of the stages of a question to a knowledge graph start with."""

GROUNDING: Final = "grounding"
EXPLORATION: Final = "exploration"
FOCUS: Final = "focus"
SYNTHESIS: Final = "synthesis"
PLAN: Final = "plan"
STEP: Final = "step"
DECOMPOSITION: Final = "decompose"
FINDING: Final = "finding"
PATTERN_DECISION: Final = "pattern-decision"

_PART: Final = r"(?:[\w.~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})"
_ABSOLUTE: Final = f"[A-Za-z][A-Za-z0-9+.-]*:{_PART}+(?:#{_PART}*)?"


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI, or a blank node, that can stand in a graph as it is."""
    return text.startswith("_:") or re.fullmatch(_ABSOLUTE, text) is not None  # not compiled before it is needed


def iteration(session: str, number: int) -> str:
    """``S/i{n}``"""
    return f"{session}/i{number}"


def observation(session: str, number: int, call: int = 1) -> str:
    """``S/i{n}/observation``, or ``S/i{n}/observation/{k}`` for a further call."""
    first = f"{session}/i{number}/observation"
    return first if call == 1 else f"{first}/{call}"


def final(session: str) -> str:
    """``S/final``"""
    return f"{session}/final"


def plan(session: str) -> str:
    """``S/plan``"""
    return f"{session}/{PLAN}"


def decomposition(session: str) -> str:
    """``S/decompose``"""
    return f"{session}/{DECOMPOSITION}"


def part(session: str, kind: str, index: int) -> str:
    """``S/step/{i}`` or ``S/finding/{i}``, by the kind: :data:`STEP` or :data:`FINDING`."""
    return f"{session}/{kind}/{index}"


def pattern_decision(session: str) -> str:
    """``S/pattern-decision``"""
    return f"{session}/{PATTERN_DECISION}"


def thought(thinker: str) -> str:
    """``S/i{n}/thought``, ``S/final/thought``: the thought of an iteration, or before the answer."""
    return f"{thinker}/thought"


def answer(session: str) -> str:
    """``S/answer``: where TrustGraph's librarian keeps the answer; not a node of the graph."""
    return f"{session}/answer"


def stage(session: str, name: str) -> str:
    """A stage of a retrieval, by its name: :data:`GROUNDING`, :data:`EXPLORATION`, :data:`FOCUS`, :data:`SYNTHESIS`."""
    if session.startswith(GRAPH):
        return f"{PROV}{name}:{session[len(GRAPH) :]}"
    return f"{session}/{name}"


def selection(session: str, kind: str, index: int) -> str:
    """What a retrieval has selected, ``edge`` or ``chunk``, counted from 0."""
    for start in (GRAPH, DOCUMENTS):
        if session.startswith(start):
            return f"{PROV}{kind}:{session[len(start) :]}:{index}"
    return f"{session}/{kind}/{index}"


def synthesised(session: str) -> str:
    """Where TrustGraph's librarian keeps the answer of a retrieval; not a node of the graph."""
    if session.startswith(GRAPH):
        return f"urn:trustgraph:synthesis:{session[len(GRAPH) :]}"
    return answer(session)
