"""Where the nodes of agents stand in anybody's graph: in which session, at which iteration, at which tool call.

A node is known by its type, and placed by its IRI where that follows the pattern ``S/i{n}``; otherwise by the chain of
``prov:wasDerivedFrom`` (and ``prov:wasGeneratedBy``) that leads from the question to it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from graphlib import CycleError, TopologicalSorter
from typing import Final, NamedTuple

from otel_prov.describe import uris
from otel_prov.describe import vocabulary as v
from otel_prov.describe.graph import Graph
from otel_prov.describe.times import parsed
from otel_prov.names import session_uri
from otel_prov.steps import Question, in_line


class _Role(Enum):
    ITERATION = "iteration"
    OBSERVATION = "observation"
    CONCLUSION = "conclusion"


_TYPES: Final[dict[_Role, frozenset[str]]] = {
    _Role.ITERATION: frozenset({v.AGENT_ITERATION, v.ANALYSIS}),
    _Role.OBSERVATION: frozenset({v.OBSERVATION}),
    _Role.CONCLUSION: frozenset({v.AGENT_FINAL, v.CONCLUSION}),
}
_NAMES: Final = {
    _Role.ITERATION: uris.ITERATION,
    _Role.OBSERVATION: uris.OBSERVATION,
    _Role.CONCLUSION: uris.CONCLUSION,
}
_NAMED: Final = (*_NAMES.values(), uris.PART, uris.WHOLE)
_AGENT: Final = session_uri("")


@dataclass
class Chain:
    """A graph, and the place of each node of an agent in it."""

    graph: Graph
    sessions: set[str]
    iterations: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Session and number of each iteration."""
    observations: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    """Session, number of the iteration, and call of each observation that is a node."""
    conclusions: dict[str, str] = field(default_factory=dict)
    """Session of each conclusion."""
    _lasts: dict[str, int] = field(default_factory=dict)
    _lanes: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def questions(self, kind: str) -> Iterator[tuple[str, Question]]:
        """The question of each session of one type, or of none at all; in every shape it is told alike."""
        for session in sorted(self.sessions):
            types = self.graph.types(session)
            if kind in types or not types:
                times = [time for text in self.graph.texts(session, v.PROV_STARTED) if (time := parsed(text))]
                yield session, Question(self.graph.text(session, v.TG_QUERY), min(times, default=None))

    def sub_trace(self, observation: str, session: str) -> str | None:
        """What an observation, or a result, comes from that is no node of its session: the last node of one inside of
        the call."""
        parents = [*self.graph.parents(observation), *self.graph.links(observation, v.PROV_INFLUENCED)]
        return next((parent for parent in parents if self._session_of(parent) != session), None)

    def within(self, iteration: str, session: str) -> str | None:
        """The step of a plan, or the part of the work, that an iteration is for."""
        found = map(uris.PART.fullmatch, self.graph.links(iteration, v.PART_OF))
        return next((match[2] for match in found if match and match[1] == session), None)

    def uses(self, node: str, session: str, number: int | None = None) -> tuple[int, ...] | None:
        """The iterations that a node derives from, the conclusion without a number; ``None`` where it is just the one
        before it, or where that isn't known."""
        before = self._after_last(session) if number is None else number
        parents = self.graph.parents(node)
        numbers = {found for parent in parents if (found := self._number(parent, session)) is not None}
        if not numbers or max(numbers) >= before:
            return None
        uses = tuple(sorted(numbers - {0}))
        within = None if number is None else self.within(node, session)
        return None if uses == (in_line(before) if within is None else self._in_lane(session, within, before)) else uses

    def _in_lane(self, session: str, within: str, number: int) -> tuple[int, ...] | None:
        """What an iteration within a step or a part uses where nothing was told; ``None`` for the first one there."""
        if not self._lanes:
            for node, (own, each) in self.iterations.items():
                self._lanes.setdefault((own, self.within(node, own) or ""), []).append(each)
            for lane in self._lanes.values():
                lane.sort()
        lane = self._lanes[session, within]
        place = bisect_left(lane, number)
        return (lane[place - 1],) if place else None

    def detected(self, node: str, session: str, number: int | None = None) -> tuple[int, ...] | None:
        """The iterations whose results a node was seen to use; ``None`` for none."""
        before = self._after_last(session) if number is None else number
        found = {self._number(target, session) or 0 for target in self.graph.links(node, v.DETECTED_USE)}
        return tuple(sorted(number for number in found if 0 < number < before)) or None

    def _number(self, node: str, session: str) -> int | None:
        """The number of the iteration that a node of a session belongs to; 0 for the session itself."""
        place = self.iterations.get(node) or self.observations.get(node)
        if place is None and node == session:
            return 0
        if self._session_of(node) != session:
            return None
        match = uris.ITERATION.fullmatch(node) or uris.OBSERVATION.fullmatch(node)
        return place[1] if place else int(match[2]) if match else None

    def _after_last(self, session: str) -> int:
        """The number that the iteration after the last one would have."""
        if not self._lasts:
            observed = [(session, number) for session, number, _ in self.observations.values()]
            for session_of, number in [*self.iterations.values(), *observed]:
                self._lasts[session_of] = max(number, self._lasts.get(session_of, 0))
        return self._lasts.get(session, 0) + 1

    def _session_of(self, node: str) -> str | None:
        if node in self.sessions:
            return node
        place = self.iterations.get(node) or self.observations.get(node)
        if place or node in self.conclusions:
            return place[0] if place else self.conclusions[node]
        return next((match[1] for name in _NAMED if (match := name.fullmatch(node))), None)


def find(graph: Graph) -> Chain:
    """Find the agents' nodes in a graph, and their places. Whatever the graph says, this doesn't fail."""
    roles = {node: role for node in graph.subjects if (role := _role(graph, node))}
    named = {node: match for node, role in roles.items() if (match := _NAMES[role].fullmatch(node))}
    chain = Chain(graph, _sessions(graph, roles, named))
    lines: dict[str, _Line] = {}
    if any(node not in named or named[node][1] not in chain.sessions for node in roles):
        lines = _lines(graph, roles, chain.sessions)

    def session(node: str) -> str:
        by_name: str | None = named[node][1] if node in named else None
        if by_name is None or (by_name not in chain.sessions and lines[node].root in chain.sessions):
            return lines[node].root
        return by_name

    def turn(node: str) -> tuple[bool, int, str]:  # those that have a number by name take it before the others
        return node not in named, lines[node].position if node in lines else 0, node

    _place({node: session(node) for node in sorted(roles, key=turn)}, roles, named, lines, chain)
    return chain


def _place(
    sessions: Mapping[str, str],
    roles: Mapping[str, _Role],
    named: Mapping[str, re.Match[str]],
    lines: Mapping[str, _Line],
    chain: Chain,
) -> None:
    """Give each node its place in its session, no two nodes the same, iterations before their observations."""
    numbers, calls = _Numbers(), _Numbers()
    for node, session in sessions.items():
        if roles[node] is _Role.ITERATION:
            number = numbers.take(session, int(named[node][2]) if node in named else 0)
            chain.iterations[node] = session, number
    for node, session in sessions.items():
        if roles[node] is _Role.CONCLUSION:
            chain.conclusions[node] = session
        elif roles[node] is _Role.OBSERVATION and node in named:
            number, call = int(named[node][2]), int(named[node][3] or 1)
            chain.observations[node] = session, number, calls.take((session, number), call)
        elif roles[node] is _Role.OBSERVATION:
            near = chain.iterations.get(lines[node].iteration)
            number = near[1] if near and near[0] == session else numbers.take(session)
            chain.observations[node] = session, number, calls.take((session, number))


class _Numbers:
    """Hands out numbers from 1, each once within something."""

    def __init__(self) -> None:
        self._taken: dict[object, set[int]] = {}
        self._next: dict[object, int] = {}

    def take(self, within: object, wanted: int = 0) -> int:
        """The number wanted, or the first that is free if that is taken or 0."""
        taken = self._taken.setdefault(within, {0})
        if wanted in taken:
            wanted = self._next.get(within, 1)
            while wanted in taken:
                wanted += 1
            self._next[within] = wanted + 1
        taken.add(wanted)
        return wanted


def _role(graph: Graph, node: str) -> _Role | None:
    """What a node is to an agent: by its types, or, where its types are missing, by its name and what is said of it."""
    types = graph.types(node)
    for role, kinds in _TYPES.items():
        if types & kinds:
            return role
    if types:
        return None
    if uris.ITERATION.fullmatch(node) and (graph.texts(node, v.TG_OBSERVATION) or graph.texts(node, v.TG_TOOL_ERROR)):
        return _Role.ITERATION
    match = uris.OBSERVATION.fullmatch(node)
    if match and uris.iteration(match[1], int(match[2])) in graph.parents(node):
        return _Role.OBSERVATION
    return None


def _sessions(graph: Graph, roles: Mapping[str, _Role], named: Mapping[str, re.Match[str]]) -> set[str]:
    """The sessions of agents among all questions.

    ``tg:Question`` alone may also be a question to GraphRAG; then the IRI tells them apart, or what derives from it: an
    analysis, or an exploration (second technical specification, "Detection").
    """
    planned = [node for node in graph.subjects if graph.types(node) & {v.PLAN, v.DECOMPOSITION}]
    origins = {parent for node in (*roles, *planned) for parent in graph.parents(node)}
    origins |= {match[1] for match in named.values()}
    sessions = set()
    for node in graph.subjects:
        types = graph.types(node)
        if types & {v.AGENT_SESSION, v.AGENT_QUESTION}:
            sessions.add(node)
        elif v.QUESTION in types or (not types and graph.texts(node, v.TG_QUERY)):
            other = types & {v.GRAPH_RAG_QUESTION, v.DOC_RAG_QUESTION}
            if not other and (node.startswith(_AGENT) or node in origins):
                sessions.add(node)
    return sessions


class _Line(NamedTuple):
    """What the chain says of a node."""

    position: int
    """Place in an order in which everything stands after what it comes from."""
    root: str
    """The session that the chain starts from, or whatever it starts from."""
    iteration: str
    """The nearest iteration on the way there, the node itself included; empty if there is none."""


def _lines(graph: Graph, roles: Mapping[str, _Role], sessions: set[str]) -> dict[str, _Line]:
    lines: dict[str, _Line] = {}
    for position, node in enumerate(_parents_first(graph)):
        above = [lines[parent] for parent in graph.parents(node) if parent in lines]
        if node in sessions or not above:
            root, iteration = node, ""
        else:
            _, root, iteration = max(above, key=lambda line: (line.root in sessions, line.position))
        lines[node] = _Line(position, root, node if roles.get(node) is _Role.ITERATION else iteration)
    return lines


def _parents_first(graph: Graph) -> Iterator[str]:
    """All nodes, each after those it comes from; what goes round in circles comes last."""
    sorter = TopologicalSorter({node: graph.parents(node) for node in graph.subjects})
    with suppress(CycleError):
        sorter.prepare()
    done: set[str] = set()
    while ready := sorter.get_ready():
        yield from sorted(ready)
        done.update(ready)
        sorter.done(*ready)
    yield from (node for node in graph.subjects if node not in done)
