"""The IRIs of :mod:`otel_prov.uris` the other way round: what a node is, by its name; and those of the PROV view.

These are the fragments of a session's own IRI, S: ``S#prov`` is the graph of the PROV view, and the others are the
nodes in it.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote

from otel_prov.uris import (
    DECOMPOSITION,
    DOCUMENTS,
    EXPLORATION,
    FINDING,
    FOCUS,
    GRAPH,
    GROUNDING,
    PATTERN_DECISION,
    PLAN,
    PROV,
    STEP,
    SYNTHESIS,
    answer,
    decomposition,
    final,
    is_iri,
    iteration,
    observation,
    part,
    pattern_decision,
    plan,
    selection,
    stage,
    synthesised,
    thought,
)

__all__ = [
    "CONCLUSION",
    "DECOMPOSITION",
    "DOCUMENTS",
    "EXPLORATION",
    "FINDING",
    "FOCUS",
    "GRAPH",
    "GROUNDING",
    "ITERATION",
    "OBSERVATION",
    "PART",
    "PATTERN_DECISION",
    "PLAN",
    "STEP",
    "SYNTHESIS",
    "WHOLE",
    "answer",
    "decomposition",
    "final",
    "fragments",
    "is_iri",
    "is_synthesis",
    "iteration",
    "legal",
    "named",
    "observation",
    "part",
    "pattern_decision",
    "plain",
    "plan",
    "retrieval_of",
    "selection",
    "stage",
    "synthesised",
    "thought",
]

_NUMBER: Final = "([1-9][0-9]{0,8})"

ITERATION: Final = re.compile(f"(.+)/i{_NUMBER}", re.DOTALL)
"""Session and number of an iteration."""

OBSERVATION: Final = re.compile(f"(.+)/i{_NUMBER}/observation(?:/{_NUMBER})?", re.DOTALL)
"""Session, number of the iteration, and call (none for the first) of an observation."""

CONCLUSION: Final = re.compile("(.+)/final", re.DOTALL)
"""Session of a conclusion."""

PART: Final = re.compile(f"(.+)/(({STEP}|{FINDING})/(0|{_NUMBER}))", re.DOTALL)
"""Session, what is ``within`` it, kind and index of a step of a plan or a part of the work."""

WHOLE: Final = re.compile(f"(.+)/({PLAN}|{DECOMPOSITION}|{PATTERN_DECISION}|{SYNTHESIS})", re.DOTALL)
"""Session of an agent, and which of those nodes it is that there is but one of."""

_STAGES: Final = f"({GROUNDING}|{EXPLORATION}|{FOCUS}|{SYNTHESIS})"
_OF_GRAPH: Final = re.compile(f"{PROV}{_STAGES}:(.+)", re.DOTALL)
_OF_DOCUMENTS: Final = re.compile(f"({DOCUMENTS}.+)/{_STAGES}", re.DOTALL)

_ILLEGAL: Final = re.compile(r'[\x00-\x20<>"{}|\\^`]')
_NAME: Final = "urn:otel-prov:name:"


def legal(uri: str) -> str:
    """The IRI, with characters that no IRI can hold percent-encoded (W3C RDF 1.1 N-Quads, grammar of ``IRIREF``)."""
    return _ILLEGAL.sub(lambda found: quote(found[0]), uri)


def named(name: str) -> str:
    """The IRI of what only has a name, such as a node of a property graph; an IRI stays as it is."""
    return name if is_iri(name) and not name.startswith(_NAME) else _NAME + quote(name, safe="")


def plain(uri: str) -> str:
    """The name that :func:`named` was given."""
    return unquote(uri[len(_NAME) :]) if uri.startswith(_NAME) else uri


def retrieval_of(node: str) -> tuple[str, str] | None:
    """The retrieval that a stage belongs to, and the name of the stage; ``None`` where its name doesn't tell."""
    if match := _OF_GRAPH.fullmatch(node):
        return GRAPH + match[2], match[1]
    if match := _OF_DOCUMENTS.fullmatch(node):
        return match[1], match[2]
    return None


def fragments(session: str) -> str:
    """``S#``, what the IRIs of the PROV view begin with. A ``#`` within S is percent-encoded, since only one can be."""
    return f"{session.replace('#', '%23')}#"


def is_synthesis(node: str) -> bool:
    """Whether this is the answer of a retrieval, by its name."""
    found = retrieval_of(node)
    return found is not None and found[1] == SYNTHESIS
