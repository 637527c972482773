"""An open span of ours, and the context in which the code inside it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.context import Context, attach, create_key, get_current, get_value, set_value
from opentelemetry.trace import INVALID_SPAN, Span, StatusCode, Tracer, TracerProvider

from otel_prov import names
from otel_prov.instrument.content import Content, qualified_name
from otel_prov.losses import guarded

if TYPE_CHECKING:
    from typing_extensions import Self

    from otel_prov.instrument.session import SessionSpan

__all__ = ["CHECKPOINTS", "NOT_RECORDED", "Activity", "Checkpoint", "current", "tracer"]

NOT_RECORDED = "span not recorded"
"""Reason under which a fault of ours, or of another span processor, is counted."""

Checkpoint = Callable[[Span], None]
"""Takes a span that still runs, when what it knows is worth keeping before it goes on."""

CHECKPOINTS = create_key("otel-prov-checkpoints")
"""Where a span processor finds, in the parent context of a session's span, the list to add its :data:`Checkpoint` to.

The SDK tells a processor of starts and ends only. An iteration knows its action in between, and what it is about to do
must be on disk before it does it.
"""

_CURRENT = create_key("otel-prov-current")


def current(context: Context | None = None) -> Activity | None:
    """The innermost session, iteration or tool call that this code, or a context, is inside of."""
    activity = get_value(_CURRENT, context)
    return activity if isinstance(activity, Activity) else None


class Activity:
    """What sessions, iterations, tool calls and retrievals have in common: entered once, ended exactly once.

    While it is active, its span is OpenTelemetry's current one. It can be suspended and activated again, so nothing is
    held across a ``yield``: what runs in between has its own context back, whichever thread or task that is.
    """

    _span: Span = INVALID_SPAN
    _content: Content
    _parent: Activity | None = None
    _context: Context | None = None  # inside this activity, as last seen
    _outside: Context | None = None
    _ended = False
    _told: dict[str, Any] | None = None  # the span's attributes that are ours, in the order of setting
    _recorded: int | None = None  # id of the exception that something inside has recorded
    within: str | None = None
    """Which step of a plan, or part of the work, this is: ``step/{i}`` or ``finding/{i}``."""

    @property
    def session(self) -> SessionSpan | None:
        """The session that this is, or is part of."""
        return self._parent.session if self._parent is not None else None

    @property
    def owner(self) -> Activity | None:
        """What iterations in here belong to: the innermost part of the session's work, or else the session."""
        return self._parent.owner if self._parent is not None else None

    @property
    def place(self) -> str | None:
        """IRI in the graph of what this is, or is part of: an iteration, a session, a retrieval."""
        return None

    def enclose(self, last: str, *, instead_of: str | None = None) -> None:
        """A session runs inside of this, whose last node in the graph is ``last``."""

    # What the kinds of activity differ in ------------------------------------------------------------------------

    def _open(self, outside: Context) -> Span:
        """Start the span."""
        raise NotImplementedError

    def _close(self, outcome: str | None) -> None:
        """Set the last attributes. ``outcome`` is ``None`` for an activity that ended by itself."""

    def returned(self, value: Any) -> None:
        """The code inside has returned this."""

    def yielded(self, value: Any) -> None:
        """The code inside hands this over, and goes on later."""

    # Life --------------------------------------------------------------------------------------------------------

    @guarded(None, NOT_RECORDED)
    def activate(self) -> None:
        """Make this the current activity, starting it the first time."""
        self._outside = get_current()
        if self._context is None:
            self._span = self._open(self._outside)
            around = self._outside  # of what is not recorded, the host's own span stays current
            inside = around if self._span is INVALID_SPAN else trace.set_span_in_context(self._span, around)
            self._context = set_value(_CURRENT, self, inside)
        attach(self._context)

    @guarded(None, NOT_RECORDED)
    def _leave(self, error: BaseException | None) -> None:
        try:
            self._suspend()
        finally:
            self._end(error, None)

    @guarded(None, NOT_RECORDED)
    def suspend(self) -> None:
        """Give the code around this its context back.

        OpenTelemetry's ``detach`` wants the task that attached, and the code inside may have been resumed by another;
        so the context that was there before is attached again, wherever ours is still in force.
        """
        self._suspend()

    def _suspend(self) -> None:
        here = get_current()
        if self._outside is None:
            return
        if here is self._context or self._surrounds(get_value(_CURRENT, here)):
            self._context = here
            attach(self._outside)

    def _surrounds(self, activity: object) -> bool:
        while isinstance(activity, Activity):
            if activity is self:
                return True
            activity = activity._parent
        return False

    @guarded(None, NOT_RECORDED)
    def end(self, error: BaseException | None = None, *, outcome: str | None = None) -> None:
        """End the span, the first time this is called; with what ended it, if it didn't end by itself."""
        self._end(error, outcome)

    def _end(self, error: BaseException | None, outcome: str | None) -> None:
        if self._ended:
            return
        self._ended = True
        if error is not None:
            outcome = outcome or _outcome(error)
        try:
            if error is not None and outcome == names.OUTCOME_ERROR:
                self._record_error(error)
            self._close(outcome)
            self._restore()
        finally:
            self._span.end()

    def _set(self, name: str, value: str | float | list[int] | list[str]) -> None:
        """Set an attribute of the span."""
        if self._told is not None:
            self._told[name] = value
        self._span.set_attribute(name, value)

    def _tell(self, attributes: Mapping[str, Any]) -> None:
        """Set attributes of the span."""
        for name, value in attributes.items():
            self._set(name, value)

    def _say(self, name: str, value: Any) -> str | None:
        """Set the attribute that records a value as text, or those by which it is known again. Gives the text, if it
        was recorded."""
        if (text := self._content.text(value)) is not None:
            self._set(name, text)
        elif value is not None:
            self._tell(self._content.said(name, value))
        return text

    def _restore(self) -> None:
        """Set all attributes anew if some were pushed out: above its limit, which the program may reach with attributes
        of its own, the SDK forgets the oldest. Those by which a session is found were first, and become the newest."""
        if self._told is not None and getattr(self._span, "dropped_attributes", None):
            for name, value in reversed(self._told.items()):
                self._span.set_attribute(name, value)

    def _record_error(self, error: BaseException) -> None:
        """The exception is recorded where it happened; the activities around it only get the status."""
        self._span.set_status(StatusCode.ERROR, self._content.message(error))
        self._set(names.ERROR_TYPE, qualified_name(type(error)))
        if self._recorded != id(error):
            self._span.add_event("exception", self._content.exception(error))
        if self._parent is not None:
            self._parent._recorded = id(error)

    # Context manager, sync and async -----------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self.activate()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._leave(error)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, where)


def _outcome(error: BaseException) -> str:
    """How an activity ended that an exception left."""
    if isinstance(error, GeneratorExit):
        return names.OUTCOME_ABANDONED
    if not isinstance(error, Exception) or type(error).__name__ == "CancelledError":
        return names.OUTCOME_CANCELLED
    return names.OUTCOME_ERROR


_tracer: tuple[TracerProvider, Tracer] | None = None


def tracer() -> Tracer:
    """Our tracer of the global provider, whichever that is by now."""
    global _tracer
    provider = trace.get_tracer_provider()
    if _tracer is None or _tracer[0] is not provider:
        _tracer = provider, provider.get_tracer("otel_prov")
    return _tracer[1]
