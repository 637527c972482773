"""Steps become triples, and triples become steps again.

There are two views of a session. The explanation view is what TrustGraph reads; it stands in the named graph
``urn:graph:retrieval``. There are three shapes of it in the world, one module each: a session can be described in any
of them, and is recognised in all of them, whoever wrote them. The PROV view (:mod:`otel_prov.describe.prov`) is valid
PROV, and stands in a named graph of each session's own.

    >>> from otel_prov.steps import Question, Session
    >>> session = Session("urn:trustgraph:agent:1", (Question("Who wrote this?"),))
    >>> recognise(describe(session)) == [session]
    True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from datetime import datetime, timezone
from itertools import chain as chained
from typing import TYPE_CHECKING, Final, Protocol

from otel_prov.describe import agent_session, planned, question_analysis, rdf, retrieval, retrievals, trustgraph
from otel_prov.describe.chain import Chain, find
from otel_prov.describe.graph import Graph
from otel_prov.describe.prov import describe_prov
from otel_prov.describe.quads import Literal, Quad, QuotedTriple
from otel_prov.describe.uris import legal
from otel_prov.describe.vocabulary import PROV_DERIVED
from otel_prov.names import AGENT, session_uri
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Finding,
    Observation,
    PatternDecision,
    Plan,
    Question,
    Session,
    Step,
    StepResult,
    Synthesis,
)

if TYPE_CHECKING:
    import rdflib

__all__ = [
    "DEFAULT_SHAPE",
    "DEFAULT_VIEW",
    "SHAPES",
    "VIEWS",
    "Literal",
    "Quad",
    "QuotedTriple",
    "dataset",
    "describe",
    "describe_prov",
    "describe_steps",
    "recognise",
]


class _Shape(Protocol):
    """What the module of a shape can do."""

    def describe(self, session: Session) -> Iterator[tuple[Step, list[Quad]]]: ...

    def recognise(self, places: Chain, /) -> Iterator[tuple[str, Step]]: ...


_SHAPES: Final[dict[str, _Shape]] = {
    "agent-session": agent_session,
    "question-analysis": question_analysis,
    "trustgraph": trustgraph,
}
_RETRIEVALS: Final = {
    "agent-session": retrieval.SPECIFICATION,
    "question-analysis": retrieval.SPECIFICATION,
    "trustgraph": retrieval.TRUSTGRAPH,
}
"""How retrievals are laid out beside each shape."""
SHAPES: Final = tuple(_SHAPES)
"""The names of the shapes."""
DEFAULT_SHAPE: Final = "trustgraph"
"""The shape that TrustGraph 2.3 to 2.11 reads."""
VIEWS: Final = ("explanation", "prov", "both")
"""What can be said of a session: what TrustGraph reads, the same as valid PROV, or one after the other."""
DEFAULT_VIEW: Final = "explanation"


def describe(session: Session, shape: str = DEFAULT_SHAPE, view: str = DEFAULT_VIEW) -> list[Quad]:
    """A session as quads, each once.

    Described again when more is known, a session has the same quads and more; only what a step of the explanation view
    derives from can change, if a step before it was missing. What is known of the run as a whole (end, outcome, agent)
    is part of the PROV view only. A first observation with neither text nor error can be expressed in the shape
    ``trustgraph`` and in the PROV view only.

    Args:
        session: What happened.
        shape: One of :data:`SHAPES`; what the explanation view looks like.
        view: One of :data:`VIEWS`.

    Raises:
        ValueError: There is no such shape, or no such view.
    """
    check(shape, view)
    explanation = [] if view == "prov" else [quad for _, quads in describe_steps(session, shape) for quad in quads]
    return explanation if view == "explanation" else explanation + describe_prov(session)


def describe_steps(session: Session, shape: str = DEFAULT_SHAPE) -> Iterator[tuple[Step, list[Quad]]]:
    """The explanation view step by step: each step of the session with its quads, what it is mainly about first.

    A step that its shape can't express has none.

    Raises:
        ValueError: There is no such shape.
    """
    session = replace(session, uri=legal(session.uri))
    if session.kind == AGENT:
        return _shape(shape).describe(session)
    _shape(shape)
    return retrieval.describe(session, _RETRIEVALS[shape])


def recognise(quads: Iterable[Quad]) -> list[Session]:
    """The sessions of agents and retrievals in anybody's explanation view: earliest first, then those without a time.

    All shapes are looked for, in whichever graph they stand; what several of them say of one step is put together.
    Nothing in the quads makes this fail.
    """
    graph = Graph(quads)
    chain = find(graph)
    found: dict[str, dict[tuple[int, int, int], Step]] = {}
    callers: dict[str, str | None] = {}
    for uri, step in chained(planned.recognise(chain), *(shape.recognise(chain) for shape in _SHAPES.values())):
        own = session_uri(uri[2:]) if uri.startswith("_:") else uri
        steps = found.setdefault(own, {})
        callers[own] = next(iter(graph.links(uri, PROV_DERIVED)), None) if uri in chain.sessions else None
        place = _place(step)
        steps[place] = _completed(steps[place], step) if place in steps else step
    sessions = list(retrievals.recognise(graph, chain.sessions))
    for uri in found.keys() - {session.uri for session in sessions}:
        steps = found[uri]
        sessions.append(Session(uri, tuple(steps[place] for place in sorted(steps)), caller=callers[uri]))
    return sorted(sessions, key=_begin)


def dataset(sessions: Iterable[Session], shape: str = DEFAULT_SHAPE, view: str = DEFAULT_VIEW) -> rdflib.Dataset:
    """The sessions as an rdflib dataset, with the prefixes of :data:`~otel_prov.describe.vocabulary.PREFIXES` bound.

    Raises:
        ValueError: There is no such shape, or no such view.
    """
    check(shape, view)
    return rdf.to_rdflib(quad for session in sessions for quad in describe(session, shape, view))


def check(shape: str, view: str) -> None:
    """Raises:
    ValueError: There is no such shape, or no such view.
    """
    _shape(shape)
    if view not in VIEWS:
        raise ValueError(f"there is no view {view!r}; there are {', '.join(VIEWS)}")


def _shape(name: str) -> _Shape:
    if name not in _SHAPES:
        raise ValueError(f"there is no shape {name!r}; there are {', '.join(SHAPES)}")
    return _SHAPES[name]


_FIRST: Final = (Question, PatternDecision, Plan, Decomposition)
_ONCE: Final = (*_FIRST, Conclusion, Synthesis)


def _place(step: Step) -> tuple[int, int, int]:
    """Where a step stands in its session."""
    match step:
        case Analysis():
            return 1, step.number, 0
        case Observation():
            return 1, step.number, step.call
        case StepResult():
            return 2, step.index, 0
        case Finding():
            return 3, step.index, 0
    return (0 if type(step) in _FIRST else 4), _ONCE.index(type(step)), 0


def _completed(step: Step, other: Step) -> Step:
    """The step, with what only the other one knows."""
    missing = {f.name: getattr(other, f.name) for f in fields(step) if getattr(step, f.name) in (None, ())}
    return replace(step, **missing)


_NEVER: Final = datetime.max.replace(tzinfo=timezone.utc)


def _begin(session: Session) -> tuple[datetime, str]:
    return session.question.started or _NEVER, session.uri
