"""Sessions inside of sessions: which observation derives from one that ran inside of another one's iteration.

Where both ran in one process, the tool call's own span says so. Otherwise only the inner one knows, by its caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from otel_prov import names, uris
from otel_prov.steps import (
    Analysis,
    Decomposition,
    Finding,
    Observation,
    PatternDecision,
    Plan,
    Question,
    Session,
    Step,
    StepResult,
)

__all__ = ["last_node", "nested", "outer_of", "with_sub_traces"]

_PLACE = re.compile(rf"(.+)/(?:i[1-9][0-9]{{0,8}}|{uris.PLAN}|{uris.DECOMPOSITION})", re.DOTALL)
_DIVIDED = Plan | Decomposition | StepResult | Finding


def nested(sessions: Iterable[Session]) -> list[Session]:
    """The sessions, with what each one's observations derive from in the others."""
    sessions = list(sessions)
    inner = {session.caller: last_node(session) for session in sessions if session.caller is not None}
    return [with_sub_traces(session, inner) for session in sessions] if inner else sessions


def with_sub_traces(session: Session, inner: Mapping[str, str]) -> Session:
    """The session, with what its observations derive from.

    Args:
        inner: The last node of the session inside of an iteration, by the IRI of the iteration.

    An iteration's first observation is meant where none says so itself. One of a call that failed is left alone: what
    ran inside of it may have come to no end.
    """
    linked = {step.number for step in session.of(Observation) if step.sub_trace is not None}

    def complete(step: Step) -> Step:
        if not isinstance(step, Observation) or step.call > 1 or step.error is not None or step.number in linked:
            return step
        last = inner.get(uris.iteration(session.uri, step.number))
        return step if last is None else replace(step, sub_trace=last)

    return replace(session, steps=tuple(map(complete, session.steps)))


def outer_of(caller: str) -> str:
    """The session that something ran inside of, by the IRI of its iteration, plan or decomposition, or its own."""
    match = _PLACE.fullmatch(caller)
    return match[1] if match else caller


def last_node(session: Session) -> str:
    """The node that a session ends with: its answer, also while that is still to come; else the last one there is."""
    if session.outcome is None or session.answered:
        synthesises = session.kind != names.AGENT or any(isinstance(step, _DIVIDED) for step in session.steps)
        return uris.stage(session.uri, uris.SYNTHESIS) if synthesises else uris.final(session.uri)
    match session.steps[-1] if session.steps else None:
        case None | Question():
            return session.uri
        case Analysis(number):
            return uris.iteration(session.uri, number)
        case Observation(number) as step:
            return uris.observation(session.uri, number, step.call)
        case PatternDecision():
            return uris.pattern_decision(session.uri)
        case Plan():
            return uris.plan(session.uri)
        case Decomposition():
            return uris.decomposition(session.uri)
        case StepResult(index):
            return uris.part(session.uri, uris.STEP, index)
        case Finding(index):
            return uris.part(session.uri, uris.FINDING, index)
        case stage:
            return uris.stage(session.uri, type(stage).__name__.lower())
