"""TrustGraph's statements: asked for by subject, predicate and object, and walked from one node to the next."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from otel_prov.describe import Quad, uris
from otel_prov.describe import vocabulary as v
from otel_prov.describe.pattern import Pattern
from otel_prov.fetch.gateway import FetchError, Gateway
from otel_prov.fetch.terms import quad, term
from otel_prov.names import session_uri

__all__ = ["MOST", "RemoteGraph"]

_log = logging.getLogger("otel_prov")

MOST: Final = 5_000
"""Statements that TrustGraph on Cassandra gives for one pattern: the first page of its driver, and nothing tells."""

_LIMIT: Final = 1_000_000  # of stores without that page; on Cassandra, too, it has to cover what is in other graphs
_BATCH: Final = 100  # statements of at most 8,000 bytes in one message of a broker that takes 5 MiB
_QUESTIONS: Final = {v.AGENT_SESSION, v.AGENT_QUESTION, v.QUESTION, v.GRAPH_RAG_QUESTION, v.DOC_RAG_QUESTION}
_PARENTS: Final = (v.PROV_DERIVED, v.PROV_GENERATED)
_PARTS: Final = (v.TG_THOUGHT, v.TG_OBSERVATION, v.TG_SELECTED_EDGE)
_LEADING: Final = (*_PARENTS, v.PART_OF)
_PLANNED: Final = {v.PATTERN_DECISION, v.PLAN, v.STEP_RESULT, v.DECOMPOSITION, v.FINDING}
_OF_AGENTS: Final = {v.AGENT_ITERATION, v.ANALYSIS, v.OBSERVATION, v.AGENT_FINAL, v.CONCLUSION, *_PLANNED}
_NAMES: Final = (uris.ITERATION, uris.OBSERVATION, uris.CONCLUSION, uris.PART, uris.WHOLE)
_RETRIEVALS: Final = {v.GRAPH_RAG_QUESTION, v.DOC_RAG_QUESTION}
_AGENT: Final = session_uri("")
_STAGES: Final = (uris.GROUNDING, uris.EXPLORATION, uris.FOCUS, uris.SYNTHESIS)


class RemoteGraph:
    """The graph of a collection, in all named graphs: not every store keeps their names."""

    def __init__(self, gateway: Gateway, collection: str, flow: str) -> None:
        self._gateway = gateway
        self._collection = collection
        self._flow = flow

    def match(self, patterns: Sequence[Pattern]) -> list[list[Quad]]:
        """The statements that match each pattern.

        Raises:
            FetchError: TrustGraph can't be asked, or can't tell.
        """
        answers = self._gateway.ask("triples", [self._request(pattern) for pattern in patterns], self._flow)
        return [[*self._quads(answer.parts, answer.error)] for answer in answers]

    def _quads(self, parts: Iterable[dict[str, object]], error: str | None) -> Iterable[Quad]:
        if error is not None:
            where = f"workspace {self._gateway.workspace!r}, flow {self._flow!r}"
            raise FetchError(f"{self._gateway.url}: cannot tell its triples ({where}): {error}")
        for part in parts:
            triples = part.get("response")
            for triple in triples if isinstance(triples, list) else ():
                if (known := quad(triple)) is not None:
                    yield known

    def _request(self, pattern: Pattern) -> dict[str, object]:
        asked: dict[str, object] = {"collection": self._collection, "limit": _LIMIT}
        asked |= {"streaming": True, "batch-size": _BATCH}
        asked |= {key: term(value) for key, value in zip("spo", pattern, strict=False) if value is not None}
        return asked if pattern.graph is None else asked | {"g": pattern.graph}

    def stream(self, pattern: Pattern, limit: int | None) -> Iterator[Quad]:
        """The statements that match a pattern, as they come in.

        A ``limit`` is told where it can be: on Cassandra it counts statements of other graphs, too.

        Raises:
            FetchError: TrustGraph can't be asked, or can't tell.
        """
        request = self._request(pattern)
        if limit is not None and pattern.graph is None:
            request["limit"] = min(limit, _LIMIT)
        found = 0
        for answer in self._gateway.stream("triples", request, self._flow):
            for known in self._quads(answer.parts, answer.error):
                found += 1
                yield known
        if found == MOST and request["limit"] != MOST:
            _log.warning("TrustGraph gives %d statements at once; there may be more, ask for fewer", MOST)

    def about(self, nodes: Sequence[str]) -> list[Quad]:
        """All that is said of these nodes."""
        return [known for quads in self.match([Pattern(subject=node) for node in nodes]) for known in quads]

    def above(self, quads: Iterable[Quad], nodes: Iterable[str]) -> list[Quad]:
        """All that is said of nodes and of what they come from, as far as the way up goes."""
        seen = {known.subject for known in quads} - set(nodes)
        found: list[Quad] = []
        wave = sorted(set(nodes))
        while wave:
            seen.update(wave)
            told = self.about(wave)
            found += told
            wave = sorted({str(q.object) for q in told if q.predicate in _PARENTS} - seen)
        return found

    def below(self, session: str) -> tuple[list[Quad], list[str]]:
        """All that is said of a session and of what comes from it, and the questions that were asked inside of it.

        Where another question is asked, it ends; and that of what ran inside of an agent where that one goes on.
        Nodes that go by their usual names are looked for as well, so that a missing one doesn't hide those behind it.
        """
        found: list[Quad] = []
        inside: list[str] = []
        seen: set[str] = set()
        wave = {session, uris.iteration(session, 1), uris.observation(session, 1), uris.final(session)}
        wave |= {uris.plan(session), uris.decomposition(session), uris.stage(session, uris.SYNTHESIS)}
        ends = _QUESTIONS
        if session.startswith((uris.GRAPH, uris.DOCUMENTS)):
            wave = {session, *(uris.stage(session, name) for name in _STAGES)}
        while wave:
            seen |= wave
            nodes = sorted(wave)
            answers = self.match([pattern for node in nodes for pattern in (Pattern(node), Pattern(object=node))])
            wave = set()
            for node, said, pointing in zip(nodes, answers[::2], answers[1::2], strict=True):
                types = {q.object for q in said if q.predicate == v.RDF_TYPE}
                if node == session and (types & _RETRIEVALS or node.startswith((uris.GRAPH, uris.DOCUMENTS))):
                    ends = _QUESTIONS | _OF_AGENTS
                if node != session and (types & ends or (types & _OF_AGENTS and _is_of_another(node, session))):
                    inside += [node] if types & _QUESTIONS else []
                    continue
                found += said
                wave.update(q.subject for q in pointing if q.predicate in _LEADING)
                parts = (*_PARTS, v.TG_SELECTED_CHUNK) if v.FOCUS in types else _PARTS
                wave.update(q.object for q in said if q.predicate in parts and isinstance(q.object, str))
                wave.update(_next(node) if said else ())
            wave -= seen
        return found, inside


def _is_of_another(node: str, session: str) -> bool:
    """Whether a node of an agent's goes by the name of another session."""
    found = (pattern.fullmatch(node) for pattern in _NAMES)
    owners = {match[1] for match in found if match}
    return any(owner != session and owner.startswith(_AGENT) for owner in owners)


def _next(iteration: str) -> Iterable[str]:
    """The names of nodes that usually come after an iteration; none for another node."""
    if match := uris.ITERATION.fullmatch(iteration):
        session, number = match[1], int(match[2])
        yield from (uris.thought(iteration), uris.observation(session, number))
        yield from (uris.iteration(session, number + 1), uris.observation(session, number + 1))
