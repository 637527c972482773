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
from typing import Final

from otel_prov.describe import uris
from otel_prov.describe import vocabulary as v
from otel_prov.describe.chain import Chain
from otel_prov.describe.graph import Graph
from otel_prov.describe.nodes import each
from otel_prov.describe.nodes import node as described
from otel_prov.describe.quads import Quad
from otel_prov.describe.times import written
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step, in_line

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
    chain = _Ends(session)
    for step in session.steps:
        yield step, list(_step(step, session, chain))


def _step(step: Step, whole: Session, chain: _Ends) -> Iterator[Quad]:
    session = whole.uri
    match step:
        case Question():
            return _question(step, whole)
        case Analysis():
            return _analysis(step, session, chain)
        case Observation():
            return _observation(step, session, chain.origin(step))
        case Conclusion():
            return _conclusion(step, session, chain)
    return iter(())


class _Ends:
    """Where each iteration of a session ends, and what comes next derives from."""

    def __init__(self, session: Session) -> None:
        self._session = session.uri
        self._analyses = {step.number for step in session.of(Analysis)}
        self._calls: dict[int, list[int]] = {}
        for step in session.of(Observation):
            self._calls.setdefault(step.number, []).append(step.call)
        for calls in self._calls.values():
            calls.sort()
        self.last = max([*self._analyses, *self._calls], default=0)

    def ends(self, uses: tuple[int, ...] | None, in_line: tuple[int, ...]) -> list[str]:
        """Where those end that were used; the session, if there were none."""
        return [self._end(number) for number in (in_line if uses is None else uses)] or [self._session]

    def detected(self, numbers: tuple[int, ...] | None) -> list[str]:
        """Where those end that were seen to be used."""
        return [self._end(number) for number in numbers or ()]

    def _end(self, number: int) -> str:
        """Its last observation, or the last in line; itself while it has none; where it is missing, the observation
        that it would have."""
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


def _analysis(step: Analysis, session: str, chain: _Ends) -> Iterator[Quad]:
    uri = uris.iteration(session, step.number)
    texts = {
        v.RDFS_LABEL: f"Analysis: {step.action}" if step.action else None,
        v.TG_ACTION: step.action,
        v.TG_ARGUMENTS: step.arguments,
    }
    yield from described(uri, _ANALYSIS, texts, {})
    yield from each(uri, v.PROV_DERIVED, chain.ends(step.uses, in_line(step.number)))
    yield from each(uri, v.DETECTED_USE, chain.detected(step.detected))
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


def _conclusion(step: Conclusion, session: str, chain: _Ends) -> Iterator[Quad]:
    uri = uris.final(session)
    document = None if step.answer is None else uris.answer(session)
    texts = {v.RDFS_LABEL: "Conclusion", v.TG_CONTENT: step.answer}
    yield from described(uri, _CONCLUSION, texts, {v.TG_DOCUMENT: document})
    yield from each(uri, v.PROV_DERIVED, chain.ends(step.uses, in_line(chain.last + 1)))
    yield from each(uri, v.DETECTED_USE, chain.detected(step.detected))
    yield from _thought(step.thought, uri)


def recognise(chain: Chain) -> Iterator[tuple[str, Step]]:
    """Each step that a graph tells of in this shape, with the IRI of its session."""
    graph = chain.graph
    yield from chain.questions(v.AGENT_QUESTION)
    for node, (session, number) in chain.iterations.items():
        if v.ANALYSIS in graph.types(node):
            uses, detected = chain.uses(node, session, number), chain.detected(node, session, number)
            yield session, replace(_recognised_analysis(graph, node, number), uses=uses, detected=detected)
            for target in graph.links(node, v.TG_OBSERVATION, v.TG_OBSERVATION_DOCUMENT):
                if target not in chain.observations:
                    yield session, Observation(number, graph.text(target, v.TG_CONTENT))
    for node, (session, number, call) in chain.observations.items():
        if v.OBSERVATION in graph.types(node):
            yield (
                session,
                replace(_recognised_observation(graph, node, number, call), sub_trace=chain.sub_trace(node, session)),
            )
    for node, session in chain.conclusions.items():
        if v.CONCLUSION in graph.types(node):
            answer, thought = graph.text(node, v.TG_CONTENT), _recognised_thought(graph, node)
            uses, detected = chain.uses(node, session), chain.detected(node, session)
            yield session, Conclusion(answer, thought, uses, detected=detected)


def _recognised_analysis(graph: Graph, node: str, number: int) -> Analysis:
    return Analysis(
        number,
        thought=_recognised_thought(graph, node),
        action=graph.text(node, v.TG_ACTION),
        arguments=graph.text(node, v.TG_ARGUMENTS),
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
    )
