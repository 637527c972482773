"""A tool call inside an iteration, several at once too."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, overload

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span

from otel_prov import names, uris
from otel_prov.instrument.activity import NOT_RECORDED, Activity, current
from otel_prov.instrument.callables import wrap
from otel_prov.instrument.nesting import Enclosing
from otel_prov.instrument.thinking import Attributes, beforehand
from otel_prov.instrument.values import to_text
from otel_prov.losses import guarded, lost

__all__ = ["ToolSpan", "tool"]

F = TypeVar("F", bound=Callable[..., Any])


class ToolSpan(Enclosing):
    """A handle of a tool call: a context manager, or a decorator for the function that carries the tool out."""

    number = 0
    """Number of the iteration that it belongs to; 0 before it is entered."""
    _place: str | None = None

    def __init__(self, name: str, arguments: Any = None, *, inside: Activity | None = None) -> None:
        self._parent = inside
        self._name = name
        self._arguments = arguments

    @property
    def place(self) -> str | None:
        """The iteration."""
        return self._place

    def __call__(self, function: F) -> F:
        """Trace each call of a function as a call of this tool, with the arguments that the function is given."""
        signature = _signature(function)

        def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolSpan:
            return ToolSpan(self._name, _arguments(signature, args, kwargs), inside=self._parent or current())

        return wrap(function, begin)

    @guarded(None, NOT_RECORDED)
    def record(self, result: Any, *, sub_trace: str | None = None) -> None:
        """Record what the tool came back with, of any type.

        ``sub_trace`` is the IRI of the last node of a trace that somebody else recorded of how it came about.
        """
        if sub_trace is not None:
            self.enclose(to_text(sub_trace))
        session = self.session
        if session is None or not self._span.is_recording():
            return
        if session.detection is not None:
            session.detection.observed(result, self.number)
        if (text := self._say(names.TOOL_RESULT, result)) is not None:
            session.seen.add(text, self.number)

    def returned(self, value: Any) -> None:
        """What a decorated function returns is its result."""
        self.record(value)

    def _open(self, outside: Context) -> Span:
        session = self.session
        if session is None or self._parent is None:
            lost(
                "tool call not recorded: outside of a session",
                "in a thread, use the iteration's handle: step.tool(...)",
            )
            return self._span
        content = self._content = session._content
        name = content.name(self._name)
        alone: Attributes = {}
        if (number := self._number()) is None:  # a call outside of any iteration is one itself
            number = session.next_number()
            alone = beforehand(self.owner or session, session.candidates)
        self.number = number
        self._place = uris.iteration(session.uri, number)
        attributes: dict[str, Any] = {
            names.OPERATION_NAME: names.EXECUTE_TOOL,
            names.TOOL_NAME: name,
            **session.identity,
            names.ITERATION_NUMBER: number,
            **alone,
        }
        if (text := content.json(self._arguments)) is not None:
            attributes[names.TOOL_ARGUMENTS] = text
        if session.detection is not None and (found := session.detection.used(self._arguments, before=number)):
            attributes[names.ITERATION_USES_DETECTED] = sorted(found)
        self._arguments = None  # the span has them; the host's objects are not kept alive
        self._told = attributes
        around = session if self._parent._context is None else self._parent  # what nobody has entered has no span
        return session.tracer.start_span(
            f"{names.EXECUTE_TOOL} {name}",
            trace.set_span_in_context(around._span, outside),
            attributes=attributes,
        )

    def _number(self) -> int | None:
        """Number of the iteration around this call."""
        activity, owner = self._parent, self.owner
        while activity is not None and activity is not owner:
            number = getattr(activity, "number", None)
            if isinstance(number, int):
                return number
            activity = activity._parent
        return None

    def _close(self, outcome: str | None) -> None:
        if outcome is not None:
            self._set(names.ITERATION_OUTCOME, outcome)


@overload
def tool(name: F, /) -> F: ...
@overload
def tool(name: str, arguments: Any = None) -> ToolSpan: ...
def tool(name: Any, arguments: Any = None) -> Any:
    """Trace a tool call of the current iteration.

    As a context manager, ``with tool("search", {"q": "pumps"}) as call: call.record(search("pumps"))``. As a decorator
    of the function that carries the tool out, ``@tool`` or ``@tool("search")``: arguments, result and errors are
    recorded. Where the current iteration can't be seen, in a thread that was not given its context, use
    :meth:`IterationSpan.tool` of its handle.

    Args:
        name: The tool's name. A decorated function's own, for the bare ``@tool``.
        arguments: What it is called with: anything that has a JSON form. A decorated function's own are seen.
    """
    if isinstance(name, str):
        return ToolSpan(name, arguments, inside=current())
    return ToolSpan(getattr(name, "__name__", type(name).__name__))(name)


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions have none
        return None


def _arguments(signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call's arguments by name, without the object that a method is called on."""
    try:
        if signature is None:
            raise TypeError
        bound = signature.bind(*args, **kwargs)
    except TypeError:  # the function itself will say what is wrong with them
        return {"args": list(args), **kwargs}
    return {name: value for name, value in bound.arguments.items() if name not in ("self", "cls")}
