"""An iteration: one think/act/observe cycle of a session."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span

from otel_prov import names, uris
from otel_prov.instrument.activity import NOT_RECORDED, current
from otel_prov.instrument.nesting import Enclosing
from otel_prov.instrument.tool import ToolSpan
from otel_prov.instrument.uses import Use
from otel_prov.instrument.values import to_text
from otel_prov.losses import guarded, lost

if TYPE_CHECKING:
    from otel_prov.instrument.detection import Detection
    from otel_prov.instrument.session import SessionSpan

__all__ = ["IterationSpan", "current_iteration", "iteration"]


class IterationSpan(Enclosing):
    """A handle of an iteration. Threads and tasks that it is passed to can record into it and call tools for it."""

    _parent: SessionSpan | None
    number = 0
    """Position in the session, from 1; 0 before it is entered."""
    uri: str | None = None
    """Its IRI in the graph, ``S/i{n}``: what a session in another process names as its caller. ``None`` before this is
    entered."""
    _acting = False
    _detected: Set[int] = frozenset()

    def __init__(self, session: SessionSpan | None) -> None:
        self._parent = session  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def place(self) -> str | None:
        """Itself."""
        return self.uri

    def tool(self, name: str, arguments: Any = None) -> ToolSpan:
        """A tool call of this iteration, to be entered with ``with`` or ``async with``."""
        return ToolSpan(name, arguments, inside=self)

    @guarded(None, NOT_RECORDED)
    def record(
        self,
        *,
        thought: Any = None,
        action: Any = None,
        arguments: Any = None,
        observation: Any = None,
        uses: Iterable[Use] | None = None,
        sub_trace: str | None = None,
    ) -> None:
        """Record what is known, when it is known; what is given again replaces what was given before.

        With an action, all that is known so far goes to the journal before this returns, and so before the action is
        carried out.

        Args:
            thought: What the agent thinks.
            action: Name of the tool that it chose. An iteration without one only concludes: its thought is the
                conclusion's.
            arguments: What it calls the tool with: anything that has a JSON form.
            observation: What came back, of any type.
            uses: The earlier iterations whose results it uses: their numbers, their handles or those of their tool
                calls, or what they observed. If left out, the graph has it follow from the one before it.
            sub_trace: IRI of the last node of a trace that somebody else recorded of how it came about.
        """
        session, span = self._parent, self._span
        if session is None or not span.is_recording():
            return
        content = self._content
        if uses is not None:
            self._set(names.ITERATION_USES, session.seen.numbers(uses, content, before=self.number))
        if sub_trace is not None:
            self.enclose(to_text(sub_trace))
        if session.detection is not None:
            self._detect(session.detection, thought, arguments)
            session.detection.observed(observation, self.number)
        self._say(names.ITERATION_THOUGHT, thought)
        if action is not None:
            self._set(names.ITERATION_ACTION, content.name(action))
            self._acting = True
        if arguments is not None and (text := content.json(arguments)) is not None:
            self._set(names.ITERATION_ARGUMENTS, text)
        if observation is not None:
            if (text := self._say(names.ITERATION_OBSERVATION, observation)) is not None:
                session.seen.add(text, self.number)
        elif self._acting:
            self._restore()
            for checkpoint in session.checkpoints:
                checkpoint(span)

    def _detect(self, detection: Detection, *said: Any) -> None:
        """Record which earlier results are used in this, beside those that were found before."""
        self._detected |= detection.used(said, before=self.number)
        if self._detected:
            self._set(names.ITERATION_USES_DETECTED, sorted(self._detected))

    def _open(self, outside: Context) -> Span:
        session = self._parent
        if session is None:
            lost(
                "iteration not recorded: outside of a session",
                "decorate the loop with @trace_agent, or pass its handle",
            )
            return self._span
        self.number = session.next_number()
        self.uri = uris.iteration(session.uri, self.number)
        self._content = session._content
        session.open_iterations.add(self)
        self._told = {**session.identity, names.ITERATION_NUMBER: self.number}
        return session.tracer.start_span(
            names.ITERATION,
            outside if outside is session._context else trace.set_span_in_context(session._span, outside),
            attributes=self._told,
        )

    def _close(self, outcome: str | None) -> None:
        if self._parent is not None:
            self._parent.open_iterations.discard(self)
        if outcome is not None:
            self._set(names.ITERATION_OUTCOME, outcome)


def iteration() -> IterationSpan:
    """One think/act/observe cycle of the current session; to be entered with ``with`` or ``async with``.

    It numbers itself, from 1. Where the current session can't be seen, in a thread that was not given its context, use
    :meth:`SessionSpan.iteration` of its handle.
    """
    activity = current()
    return IterationSpan(activity.session if activity is not None else None)


def current_iteration() -> IterationSpan | None:
    """Handle of the iteration that this code runs inside of, to be passed to threads and tasks."""
    activity = current()
    while activity is not None and not isinstance(activity, IterationSpan):
        activity = activity._parent
    return activity
