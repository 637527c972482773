"""Parts of an agent's work: the steps of its plan, and what it gives others to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import INVALID_SPAN, Span

from otel_prov import names, uris
from otel_prov.instrument.activity import NOT_RECORDED, Activity, current
from otel_prov.instrument.iteration import IterationSpan
from otel_prov.instrument.nesting import Enclosing
from otel_prov.instrument.tool import ToolSpan
from otel_prov.instrument.values import to_text
from otel_prov.losses import guarded, lost

if TYPE_CHECKING:
    from otel_prov.instrument.session import SessionSpan

__all__ = ["MOST", "PartSpan", "delegate", "divided", "plan"]

G = TypeVar("G")

MOST = 1000
"""Steps, and parts, of one session. Further ones are not recorded, and counted as losses."""

_SPANS = {uris.STEP: names.PLAN_STEP, uris.FINDING: names.PART}
_WHOLES = {uris.STEP: uris.plan, uris.FINDING: uris.decomposition}


class PartSpan(Enclosing, Generic[G]):
    """A handle of a step of a plan, or of a part of the work; to be entered with ``with`` or ``async with`` where it is
    carried out. One that is entered again, after it has failed, is tried again.

    Iterations and tool calls inside of it are for it. So is a session, or a retrieval: what comes of that is what the
    part comes to.
    """

    index = 0
    """Which it is, from 0."""
    uri: str | None = None
    """Its IRI in the graph, ``S/step/{i}`` or ``S/finding/{i}``: what a session in another process names as its caller.
    ``None`` where it is not recorded."""

    def __init__(self, goal: G, kind: str, session: SessionSpan | None) -> None:
        self.goal = goal
        """What it is to achieve, as it was given."""
        self._kind = kind
        self._session = session
        self._parent = session

    @property
    def session(self) -> SessionSpan | None:
        """The session whose work it is part of; of a part that is not recorded, the one that it runs inside of."""
        return self._session if self._session is not None else super().session

    @property
    def owner(self) -> Activity | None:
        """Itself, if it is recorded."""
        return self if self.within is not None else super().owner

    @property
    def place(self) -> str | None:
        """The plan, or the decomposition: what the part came to is not there before what runs inside of it."""
        if self._session is None or self.within is None:
            return self._parent.place if self._parent is not None else None
        return _WHOLES[self._kind](self._session.uri)

    def enclose(self, last: str, *, instead_of: str | None = None) -> None:
        """A session runs inside of this; of a part that is not recorded, inside of what is around it."""
        if self.within is not None:
            super().enclose(last, instead_of=instead_of)
        elif self._parent is not None:
            self._parent.enclose(last, instead_of=instead_of)

    def iteration(self) -> IterationSpan:
        """The next iteration of the session, for this."""
        return IterationSpan(self)

    def tool(self, name: str, arguments: Any = None) -> ToolSpan:
        """A tool call for this, outside of any iteration: an iteration of its own in the graph."""
        return ToolSpan(name, arguments, inside=self)

    @guarded(None, NOT_RECORDED)
    def record(self, result: Any = None, *, sub_trace: str | None = None) -> None:
        """Record what it came to, of any type; given again, it replaces what was given before.

        ``sub_trace`` is the IRI of the last node of a trace that somebody else recorded of how it came about.
        """
        if sub_trace is not None:
            self.enclose(to_text(sub_trace))
        if self._span.is_recording():
            self._say(names.RESULT, result)

    @guarded(None, NOT_RECORDED)
    def activate(self) -> None:
        """Make this the current activity, starting it the first time, and each time after it has ended."""
        if self._ended:
            self._ended, self._context, self._enclosed, self._recorded = False, None, None, None
        super().activate()

    def _open(self, outside: Context) -> Span:
        session, here = self._session, current(outside)
        if session is None or self.within is None:
            self._parent = None if here is not None and self._surrounds(here) else here
            return INVALID_SPAN
        if here is None or here.session is not session or self._surrounds(here):
            here, outside = session, trace.set_span_in_context(session._span, outside)
        self._parent = here
        self._content = session._content
        self._told = {**session.identity, names.WITHIN: self.within, **self._content.said(names.GOAL, self.goal)}
        session.work.reached = self.uri
        session.open_inside.add(self)
        return session.tracer.start_span(_SPANS[self._kind], outside, attributes=self._told)

    def _close(self, outcome: str | None) -> None:
        if self._session is not None:
            self._session.open_inside.discard(self)
        if outcome is not None:
            self._set(names.ITERATION_OUTCOME, outcome)


def divided(session: SessionSpan | None, kind: str, goals: Iterable[G]) -> list[PartSpan[G]]:
    """The parts of a session's work; what they are to achieve is in the journal before this returns."""
    parts: list[PartSpan[G]] = [PartSpan(goal, kind, session) for goal in _several(goals)]
    if session is None:
        lost(f"{_SPANS[kind]} not recorded: outside of a session", "pass the session's handle: run.plan(...)")
    else:
        _number(session, kind, parts)
    return parts


@guarded(None, NOT_RECORDED)
def _number(session: SessionSpan, kind: str, parts: Iterable[PartSpan[Any]]) -> None:
    for part in parts:
        part.index = session.work.index(kind)
        if part.index < MOST:
            part.within = f"{kind}/{part.index}"
            part.uri = uris.part(session.uri, kind, part.index)
            session.work.add(kind, part.index, session._content.text(part.goal))
        else:
            lost(f"{_SPANS[kind]} not recorded: too many", f"more than {MOST:,} in one session")
    if not session._span.is_recording():
        return
    if session._around is not None:
        session._around.enclose(session.work.answer, instead_of=uris.final(session.uri))
    session._tell(session.work.attributes())
    session.checkpoint()


def _several(goals: Any) -> Iterable[Any]:
    """The goals, or the one that was given in place of several."""
    if isinstance(goals, (str, bytes)) or not isinstance(goals, Iterable):
        return [goals]
    return goals


def plan(goals: Iterable[G]) -> list[PartSpan[G]]:
    """The agent means to work step by step: gives a handle for each step, to be entered when it is carried out.

    ``for step in plan(["find a flight", "book a hotel"]):``, then ``with step: step.record(do(step.goal))``. The plan
    is in the journal before this returns. Called again in the session, it adds steps behind those that are there. In
    another process, which goes on with the session, the same plan gives handles of the same steps.

    Args:
        goals: What each step is to achieve, of any type; a text, for one step.
    """
    return divided(_session(), uris.STEP, goals)


def delegate(goals: Iterable[G]) -> list[PartSpan[G]]:
    """The agent gives parts of its work to others: gives a handle for each part, to be entered where it is done.

    ``for part in delegate(["history of it", "price of it"]):``, then ``with part: part.record(ask(part.goal))``, in
    threads and tasks too. A session that runs inside of it, as that of another agent, derives from the decomposition,
    and what the part came to derives from that session's answer. For the rest it is as :func:`plan`.

    Args:
        goals: What each part is to achieve, of any type; a text, for one part.
    """
    return divided(_session(), uris.FINDING, goals)


def _session() -> SessionSpan | None:
    activity = current()
    return activity.session if activity is not None else None
