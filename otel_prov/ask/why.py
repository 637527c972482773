"""Backward: what an answer, or any step before it, rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from otel_prov.ask.node import FINAL, Node, parse
from otel_prov.describe import uris
from otel_prov.keep.sources import sources
from otel_prov.names import AGENT
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Exploration,
    Finding,
    Focus,
    Observation,
    Selection,
    Session,
    StepResult,
    Synthesis,
    Text,
)

__all__ = ["Reason", "Sessions", "why"]

_NAMED = "names"
_IN_REACH = "in reach"
_USED = "used"
_DETECTED = "detected"


class Sessions(Protocol):
    """Where sessions are kept; :class:`otel_prov.keep.Store`, or a place elsewhere."""

    def session(self, uri: str) -> Session | None: ...


@dataclass(frozen=True, slots=True)
class Reason:
    """Something that was said, done or seen, and what it rests on in turn."""

    kind: str
    """``answer``, ``question``, ``thought``, ``call``, ``observation``, ``source``, or ``edge`` of a knowledge graph;
    ``result`` of a step of a plan, ``finding`` of a part of the work, and the ``goal`` of either."""
    uri: str
    """Its IRI in the graph; of a source, its name."""
    text: str | None
    """What it says; of a call, the tool and its arguments. ``None`` where that was not recorded."""
    number: int | None = None
    """Number of the iteration that it belongs to."""
    how: str | None = None
    """Why it is listed, where that is more than a part of the record: ``used`` for an observation that was really used,
    as the agent told; where it didn't tell, ``detected`` for one that it was seen to use, and ``in reach`` for any
    other that it had; ``names`` for a source that is named."""
    error: str | None = None
    because: tuple[Reason, ...] = ()
    """What it rests on, the latest first."""


def why(sessions: Sessions, session: Session, at: Node, depth: int = 5) -> Reason | None:
    """What a place in a session rests on, as a tree; ``None`` where the session has nothing there.

    An answer, or an iteration, rests on the observations that it used, where the agent told; otherwise on all before
    it, for an agent decides with all that it has seen so far. An observation rests on the call that brought it, and on
    the answer of another session that it names, or that ran inside of the call. The answer of a retrieval rests on what
    that has selected. The answer of an agent that works by a plan, or gives work to others, rests on what came of it,
    and that on the iterations within, and on the answers of the sessions that did it. What several things rest on is
    told once, with all that is behind it.

    Args:
        sessions: Where other sessions are found.
        session: The session that is asked about.
        at: The place in it.
        depth: How many sessions deep answers of others are followed. Each session is told once.
    """
    tree = _Tree(sessions, depth)
    if at.part is not None:
        parts = (part for part in session.parts if part.place == at.part)
        return next((tree.part(session, part, how=None) for part in parts), None)
    if at.number == FINAL:
        return tree.answer(session)
    if at.call is not None:
        seen = (step for step in session.of(Observation) if (step.number, step.call) == (at.number, at.call))
        return next((tree.observation(session, step, how=None) for step in seen), None)
    return tree.iteration(session, at.number)


class _Tree:
    def __init__(self, sessions: Sessions, depth: int) -> None:
        self._sessions = sessions
        self._depth = depth
        self._told: set[str] = set()
        self._seen: set[str] = set()

    def answer(self, session: Session) -> Reason | None:
        conclusion = session.conclusion
        if conclusion is None:
            return self._retrieved(session) if session.kind != AGENT else self._synthesised(session)
        uri = uris.final(session.uri)
        because = []
        if conclusion.thought is not None:
            because.append(Reason("thought", uris.thought(uri), conclusion.thought))
        is_divided = conclusion.uses is None and bool(session.parts)
        because += self._done(session) if is_divided else self._before(session, None, conclusion)
        return Reason("answer", uri, conclusion.answer, because=(*because, _question(session)))

    def _synthesised(self, session: Session) -> Reason | None:
        """The answer of an agent that works by a plan, or gives work to others."""
        answer = next(session.of(Synthesis), None)
        if answer is None:
            return None
        uri = uris.stage(session.uri, uris.SYNTHESIS)
        return Reason("answer", uri, answer.text, because=(*self._done(session), _question(session)))

    def _done(self, session: Session) -> Iterator[Reason]:
        """What steps and parts came to, and the observations that belong to none; the latest first."""
        self._told.add(session.uri)
        parts = session.parts
        within = {part.place for part in parts}
        inside = {step.number for step in session.of(Analysis) if step.within in within}
        for part in reversed(parts):
            yield self.part(session, part, how=_IN_REACH)
        for step in reversed(list(session.of(Observation))):
            if step.number not in inside:
                yield self.observation(session, step, how=_IN_REACH)

    def part(self, session: Session, part: StepResult | Finding, how: str | None) -> Reason:
        self._told.add(session.uri)
        uri = f"{session.uri}/{part.place}"
        numbers = {step.number for step in session.of(Analysis) if step.within == part.place}
        because = list(self._sources(session, sources(part)))
        for step in reversed(list(session.of(Observation))):
            if step.number in numbers:
                because.append(self.observation(session, step, how=_IN_REACH))
        if part.goal is not None:
            because.append(Reason("goal", uri, part.goal))
        kind = "result" if isinstance(part, StepResult) else "finding"
        return Reason(kind, uri, part.text, how=how, error=part.error, because=tuple(because))

    def _retrieved(self, session: Session) -> Reason | None:
        """The answer of a retrieval: it rests on what was selected, else on all chunks that were found."""
        answer = next(session.of(Synthesis), None)
        if answer is None:
            return None
        self._told.add(session.uri)
        selections = [selection for step in session.of(Focus) for selection in step.selections]
        because = [_selected(session, i, selection) for i, selection in enumerate(selections)]
        if not because:
            chunks = (chunk for step in session.of(Exploration) for chunk in step.chunk_ids)
            because = [Reason("source", chunk, None, how=_IN_REACH) for chunk in chunks]
        uri = uris.stage(session.uri, uris.SYNTHESIS)
        return Reason("answer", uri, answer.text, because=(*because, _question(session)))

    def iteration(self, session: Session, number: int) -> Reason | None:
        analysis = next((step for step in session.of(Analysis) if step.number == number), None)
        if analysis is None:
            return None
        thought = _thought(session, analysis)
        seen = self._before(session, number, analysis)
        because = (*([thought] if thought else []), *seen, _question(session))
        uri = uris.iteration(session.uri, number)
        return Reason("call", uri, _call(analysis.action, analysis.arguments), number, because=because)

    def observation(self, session: Session, step: Observation, how: str | None) -> Reason:
        analysis = next((each for each in session.of(Analysis) if each.number == step.number), Analysis(step.number))
        own = step.call == 1
        uri = uris.observation(session.uri, step.number, step.call)
        if uri in self._seen:
            return Reason("observation", uri, step.text, step.number, how, step.error)
        self._seen.add(uri)
        because = list(self._sources(session, {*sources(step), *(sources(analysis) if own else ())}))
        thought = _thought(session, analysis)
        called = _call(analysis.action, analysis.arguments) if own else _call(step.action, step.arguments)
        if called is not None:
            caller = uris.iteration(session.uri, step.number)
            used = () if analysis.uses is None else self._before(session, step.number, analysis)
            because.append(
                Reason("call", caller, called, step.number, because=(*([thought] if thought else []), *used))
            )
        elif thought is not None:
            because.append(thought)
        return Reason("observation", uri, step.text, step.number, how, step.error, tuple(because))

    def _before(self, session: Session, before: int | None, by: Analysis | Conclusion) -> Iterator[Reason]:
        """The observations that were used, or else all that the agent had, the latest first."""
        self._told.add(session.uri)
        uses, detected = by.uses, by.detected or ()
        for step in reversed(list(session.of(Observation))):
            if (before is None or step.number < before) and (uses is None or step.number in uses):
                how = _USED if uses is not None else _DETECTED if step.number in detected else _IN_REACH
                yield self.observation(session, step, how)

    def _sources(self, session: Session, named: set[str]) -> Iterator[Reason]:
        """What a call and its observation name: other sessions, by their answers, and addresses."""
        for name in sorted(filter(_is_address, named)):
            other = self._other(parse(name).session)
            yield (self.answer(other) if other else None) or Reason("source", name, None, how=_NAMED)

    def _other(self, uri: str) -> Session | None:
        """A session that wasn't told of yet, unless that is too deep."""
        if uri in self._told or len(self._told) > self._depth:
            return None
        return self._sessions.session(uri)


def _selected(session: Session, index: int, selection: Selection) -> Reason:
    edge = selection.edge
    if edge is None:
        uri = uris.selection(session.uri, "chunk", index) if selection.chunk is None else selection.chunk
        return Reason("source", uri, selection.reasoning, how=_USED)
    target = edge.object.value if isinstance(edge.object, Text) else edge.object
    uri = uris.selection(session.uri, "edge", index)
    chunk = () if selection.chunk is None else (Reason("source", selection.chunk, None, how=_NAMED),)
    return Reason("edge", uri, f"{edge.subject} {edge.predicate} {target}", how=_USED, because=chunk)


def _thought(session: Session, analysis: Analysis) -> Reason | None:
    if analysis.thought is None:
        return None
    uri = uris.thought(uris.iteration(session.uri, analysis.number))
    return Reason("thought", uri, analysis.thought, analysis.number)


def _question(session: Session) -> Reason:
    return Reason("question", session.uri, session.question.text)


def _call(action: str | None, arguments: str | None) -> str | None:
    """``tool(arguments)``, with what is known of it."""
    if action is None and arguments is None:
        return None
    return f"{action or '?'}({arguments or ''})"


def _is_address(name: str) -> bool:
    """A source that others may have, too, not just any argument."""
    return ":" in name and " " not in name
