"""An iteration: one think/act/observe cycle of a session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from time import perf_counter
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span

from otel_prov import names, uris
from otel_prov.instrument.activity import NOT_RECORDED, Activity, current
from otel_prov.instrument.nesting import Enclosing
from otel_prov.instrument.thinking import beforehand, thinking
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

    number = 0
    """Position in the session, from 1; 0 before it is entered."""
    uri: str | None = None
    """Its IRI in the graph, ``S/i{n}``: what a session in another process names as its caller. ``None`` before this is
    entered."""
    _acting = False
    _began = 0.0
    _counted: Mapping[str, int] = {}  # tokens that other instrumentations told of
    _detected: Set[int] = frozenset()

    def __init__(self, inside: Activity | None) -> None:
        self._parent = inside.owner if inside is not None else None
        self._session = inside.session if inside is not None else None

    @property
    def session(self) -> SessionSpan | None:
        """The session that it is part of."""
        return self._session

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
        candidates: Iterable[Any] | None = None,
        model: str | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
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
            candidates: The tools that it could choose from: their names, or what has a ``name`` or ``__name__``. Those
                of the session (``session(tools=...)``), if left out.
            model: The model that it asked.
            input_tokens: How many tokens the model read.
            output_tokens: How many tokens the model wrote.
        """
        session, span = self._session, self._span
        if session is None or not span.is_recording():
            return
        content = self._content
        if uses is not None:
            self._set(names.ITERATION_USES, session.seen.numbers(uses, content, before=self.number))
        if sub_trace is not None:
            self.enclose(to_text(sub_trace))
        if not (candidates is None and model is None and input_tokens is None and output_tokens is None):
            told = thinking(content, candidates, model, input_tokens, output_tokens)
            self._tell(told)
            self._counted = {name: number for name, number in self._counted.items() if name not in told}
        if session.detection is not None:
            self._detect(session.detection, thought, arguments)
            session.detection.observed(observation, self.number)
        self._say(names.ITERATION_THOUGHT, thought)
        if action is not None:
            self._set(names.ITERATION_ACTION, content.name(action))
            if not self._acting and observation is None:  # or else the action is over already
                self._set(names.ITERATION_THINKING, int(1000 * (perf_counter() - self._began)))
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

    @guarded(None, NOT_RECORDED)
    def add_usage(self, models: Mapping[str, str], tokens: Mapping[str, int]) -> None:
        """Another instrumentation tells, by attributes, which model was asked in here, and how many tokens that took.
        What the agent says itself counts."""
        if not self._span.is_recording():
            return
        known: Mapping[str, Any] = getattr(self._span, "attributes", None) or {}
        for name, number in tokens.items():
            if name in self._counted or name not in known:
                self._counted = {**self._counted, name: self._counted.get(name, 0) + number}
                self._set(name, self._counted[name])
        self._tell({name: self._content.name(model) for name, model in models.items() if name not in known})

    def _detect(self, detection: Detection, *said: Any) -> None:
        """Record which earlier results are used in this, beside those that were found before."""
        self._detected |= detection.used(said, before=self.number)
        if self._detected:
            self._set(names.ITERATION_USES_DETECTED, sorted(self._detected))

    def _open(self, outside: Context) -> Span:
        session, owner = self._session, self._parent
        if session is None or owner is None:
            lost(
                "iteration not recorded: outside of a session",
                "decorate the loop with @trace_agent, or pass its handle",
            )
            return self._span
        self.number = session.next_number()
        self.uri = uris.iteration(session.uri, self.number)
        self._content = session._content
        session.open_inside.add(self)
        self._told = {**session.identity, names.ITERATION_NUMBER: self.number, **beforehand(owner, session.candidates)}
        around = session if owner._context is None else owner  # a part that nobody has entered has no span
        span = session.tracer.start_span(
            names.ITERATION,
            outside if outside is around._context else trace.set_span_in_context(around._span, outside),
            attributes=self._told,
        )
        self._began = perf_counter()
        return span

    def _close(self, outcome: str | None) -> None:
        if self._session is not None:
            self._session.open_inside.discard(self)
        if outcome is not None:
            self._set(names.ITERATION_OUTCOME, outcome)


def iteration() -> IterationSpan:
    """One think/act/observe cycle of the current session; to be entered with ``with`` or ``async with``.

    It numbers itself, from 1. Where the current session can't be seen, in a thread that was not given its context, use
    :meth:`SessionSpan.iteration` of its handle.
    """
    return IterationSpan(current())


def current_iteration() -> IterationSpan | None:
    """Handle of the iteration that this code runs inside of, to be passed to threads and tasks."""
    activity = current()
    while activity is not None and not isinstance(activity, IterationSpan):
        activity = activity._parent
    return activity
