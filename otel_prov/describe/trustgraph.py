"""The shape ``trustgraph``: what TrustGraph itself writes, 2.3.1 to 2.11.1 (``trustgraph/provenance/agent.py``).

Thoughts and observations are nodes of their own, every node has a label, and an iteration derives from the observation
before it. Where another session ran inside of a tool call, its question derives from the iteration, and the call's
observation from its last node. TrustGraph keeps all texts in its librarian, which ``tg:document`` points to; here the
text also stands on the node, as ``tg:content``, so that the graph can be read without a librarian.

What TrustGraph doesn't know of is added beside it: an iteration's further tool calls as observations that carry their
own ``tg:action`` and ``tg:arguments``, and derive each from the one before; the thought before the answer as a node
like the others.

Recognised are also the layouts of older versions: sessions that are activities (before 2.2.13), ``tg:thoughtDocument``
and ``tg:observationDocument`` on the iteration (2.1.18 to 2.1.21), ``tg:observation`` leading to a ``tg:Reflection``
(2.1.22 to 2.2.12). Texts that only the librarian has are ``None``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from otel_prov.describe import plans, uris
from otel_prov.describe import vocabulary as v
from otel_prov.describe.chain import Chain
from otel_prov.describe.graph import Graph
from otel_prov.describe.line import Line
from otel_prov.describe.measures import (
    candidates,
    recognised_candidates,
    recognised_count,
    recognised_usage,
    termination,
    usage,
)
from otel_prov.describe.nodes import each
from otel_prov.describe.nodes import node as described
from otel_prov.describe.quads import Quad
from otel_prov.describe.times import written
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

_QUESTION: Final = (v.PROV_ENTITY, v.QUESTION, v.AGENT_QUESTION)
_ANALYSIS: Final = (v.PROV_ENTITY, v.ANALYSIS, v.TOOL_USE)
_THOUGHT: Final = (v.REFLECTION, v.THOUGHT)
_OBSERVATION: Final = (v.PROV_ENTITY, v.OBSERVATION)
_CONCLUSION: Final = (v.PROV_ENTITY, v.CONCLUSION, v.ANSWER)
_IN_LINE: Final = 20
"""Which of very many calls of an iteration the next one derives from at the latest. TrustGraph's command line follows
50 derivations from the question: 200 calls one after the other would keep it from the answer."""


def describe(session: Session) -> Iterator[tuple[Step, list[Quad]]]:
    """Each step of the session with its quads."""
    calls = _Calls(session)
    line = Line(session, calls.end)
    quads: list[Quad] = []
    for position, step in enumerate(session.steps, 1):
        quads = list(_step(step, session, line, calls))
        if position == len(session.steps) and not session.answered:
            quads += described(session.uri, (), {v.TG_TERMINATION_REASON: termination(session)}, {})
        yield step, quads


def _step(step: Step, whole: Session, line: Line, calls: _Calls) -> Iterator[Quad]:
    match step:
        case Question():
            return _question(step, whole)
        case Analysis():
            return _analysis(step, whole.uri, line)
        case Observation():
            return _observation(step, whole.uri, calls.origin(step))
        case Conclusion():
            return _conclusion(step, whole, line)
    return plans.describe(step, whole, line, plans.TRUSTGRAPH)


class _Calls:
    """The tool calls of each iteration, in their order."""

    def __init__(self, session: Session) -> None:
        self._session = session.uri
        self._analyses = {step.number for step in session.of(Analysis)}
        self._calls: dict[int, list[int]] = {}
        for step in session.of(Observation):
            self._calls.setdefault(step.number, []).append(step.call)
        for calls in self._calls.values():
            calls.sort()

    def end(self, number: int) -> str:
        """What an iteration ends with: its last observation, or the last in line; itself while it has none; where it is
        missing, the observation that it would have."""
        if number in self._analyses and number not in self._calls:
            return uris.iteration(self._session, number)
        return uris.observation(self._session, number, self._calls.get(number, [1])[:_IN_LINE][-1])

    def origin(self, step: Observation) -> str:
        """What an observation comes after: its iteration, or the observation of the call before it.

        TrustGraph's command line goes depth first, in whatever order its store has, to at most 20 nodes that derive
        from one. So several calls are shown whole and in their order where each follows from the one before it.
        """
        calls = self._calls[step.number]
        before = bisect_left(calls, step.call) - 1
        if before < 0:
            return uris.iteration(self._session, step.number)
        return uris.observation(self._session, step.number, calls[before])


def _question(step: Question, session: Session) -> Iterator[Quad]:
    texts = {
        v.RDFS_LABEL: "Agent Question",
        v.PROV_STARTED: written(step.started) if step.started else None,
        v.TG_QUERY: step.text,
    }
    caller = uris.legal(session.caller) if session.caller else None
    return described(session.uri, _QUESTION, texts, {v.PROV_DERIVED: caller})


def _analysis(step: Analysis, session: str, line: Line) -> Iterator[Quad]:
    uri = uris.iteration(session, step.number)
    texts = {
        v.RDFS_LABEL: f"Analysis: {step.action}" if step.action else None,
        v.TG_ACTION: step.action,
        v.TG_ARGUMENTS: step.arguments,
        v.TG_STEP_NUMBER: str(step.number),
        v.TG_LLM_DURATION: None if step.thinking_ms is None else str(step.thinking_ms),
    }
    yield from described(uri, _ANALYSIS, texts, {})
    yield from chain(candidates(uri, step), usage(uri, step.usage), plans.within(uri, session, step.within))
    yield from each(uri, v.PROV_DERIVED, line.iteration(step))
    yield from each(uri, v.DETECTED_USE, line.detected(step))
    yield from _thought(step.thought, uri)


def _thought(text: str | None, thinker: str) -> Iterator[Quad]:
    if text is not None:
        uri = uris.thought(thinker)
        yield from described(thinker, (), {}, {v.TG_THOUGHT: uri})
        texts = {v.RDFS_LABEL: "Thought", v.TG_CONTENT: text}
        yield from described(uri, _THOUGHT, texts, {v.PROV_DERIVED: thinker, v.TG_DOCUMENT: uri})


def _observation(step: Observation, session: str, origin: str) -> Iterator[Quad]:
    uri = uris.observation(session, step.number, step.call)
    further = step.call > 1
    texts = {
        v.RDFS_LABEL: "Observation",
        v.TG_ACTION: step.action if further else None,
        v.TG_ARGUMENTS: step.arguments if further else None,
        v.TG_CONTENT: step.text,
        v.TG_TOOL_ERROR: step.error,
        v.TG_TOOL_DURATION: None if step.acting_ms is None else str(step.acting_ms),
    }
    types = _OBSERVATION if step.error is None else (*_OBSERVATION, v.ERROR)
    yield from described(uri, types, texts, {v.TG_DOCUMENT: None if step.text is None else uri})
    yield from each(uri, v.PROV_DERIVED, _origins(step, origin))


def _origins(step: Observation, origin: str) -> list[str]:
    """What an observation derives from.

    TrustGraph's command line goes from an iteration through the trace of a retrieval to its answer, and on from there:
    an observation that also derived from what it comes after would be printed twice. Into other traces it doesn't go.
    """
    if step.sub_trace is None:
        return [origin]
    last = uris.legal(step.sub_trace)
    return [last] if uris.is_synthesis(last) else [origin, last]


def _conclusion(step: Conclusion, session: Session, line: Line) -> Iterator[Quad]:
    uri, origin = uris.final(session.uri), line.answer(step.uses)
    document = None if step.answer is None else uris.answer(session.uri)
    texts = {
        v.RDFS_LABEL: "Conclusion",
        v.TG_CONTENT: step.answer,
        v.TG_TERMINATION_REASON: termination(session),
    }
    yield from described(uri, _CONCLUSION, texts, {v.TG_DOCUMENT: document})
    yield from usage(uri, step.usage)
    yield from each(uri, v.PROV_DERIVED, origin.derived)
    yield from each(uri, v.PROV_INFLUENCED, origin.influenced)
    yield from each(uri, v.DETECTED_USE, line.detected(step))
    yield from _thought(step.thought, uri)


def recognise(places: Chain) -> Iterator[tuple[str, Step]]:
    """Each step that a graph tells of in this shape, with the IRI of its session."""
    graph = places.graph
    yield from places.questions(v.AGENT_QUESTION)
    for node, (session, number) in places.iterations.items():
        if v.ANALYSIS in graph.types(node):
            yield session, _recognised_analysis(places, node, session, number)
            for target in graph.links(node, v.TG_OBSERVATION, v.TG_OBSERVATION_DOCUMENT):
                if target not in places.observations:
                    yield session, Observation(number, graph.text(target, v.TG_CONTENT))
    for node, (session, number, call) in places.observations.items():
        if v.OBSERVATION in graph.types(node):
            yield (
                session,
                replace(_recognised_observation(graph, node, number, call), sub_trace=places.sub_trace(node, session)),
            )
    for node, session in places.conclusions.items():
        if v.CONCLUSION in graph.types(node):
            answer, thought = graph.text(node, v.TG_CONTENT), _recognised_thought(graph, node)
            uses, detected = places.uses(node, session), places.detected(node, session)
            yield session, Conclusion(answer, thought, uses, detected=detected, usage=recognised_usage(graph, node))


def _recognised_analysis(places: Chain, node: str, session: str, number: int) -> Analysis:
    graph = places.graph
    return Analysis(
        number,
        thought=_recognised_thought(graph, node),
        action=graph.text(node, v.TG_ACTION),
        arguments=graph.text(node, v.TG_ARGUMENTS),
        uses=places.uses(node, session, number),
        within=places.within(node, session),
        candidates=recognised_candidates(graph, node),
        usage=recognised_usage(graph, node),
        thinking_ms=recognised_count(graph, node, v.TG_LLM_DURATION),
    )


def _recognised_thought(graph: Graph, thinker: str) -> str | None:
    thoughts = graph.links(thinker, v.TG_THOUGHT, v.TG_THOUGHT_DOCUMENT)
    return max((text for node in thoughts for text in graph.texts(node, v.TG_CONTENT)), default=None)


def _recognised_observation(graph: Graph, node: str, number: int, call: int) -> Observation:
    further = call > 1
    return Observation(
        number,
        text=graph.text(node, v.TG_CONTENT),
        error=graph.text(node, v.TG_TOOL_ERROR),
        call=call,
        action=graph.text(node, v.TG_ACTION) if further else None,
        arguments=graph.text(node, v.TG_ARGUMENTS) if further else None,
        acting_ms=recognised_count(graph, node, v.TG_TOOL_DURATION),
    )
