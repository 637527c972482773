"""The decorator on an agent's loop: each call of it is a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, overload

from opentelemetry.context import Context

from otel_prov.instrument.callables import wrap
from otel_prov.instrument.content import Redact
from otel_prov.instrument.nesting import Caller
from otel_prov.instrument.questions import question_finder
from otel_prov.instrument.session import SessionSpan
from otel_prov.losses import guarded

__all__ = ["trace_agent"]

F = TypeVar("F", bound="Callable[..., Any] | staticmethod[..., Any] | classmethod[Any, ..., Any]")
T = TypeVar("T")
Setting = str | Callable[..., str | None] | None
"""A value, or a function of the call's arguments that gives it."""


@overload
def trace_agent(function: F, /) -> F: ...
@overload
def trace_agent(
    *,
    name: str | None = None,
    version: Setting = None,
    question: str | None = None,
    session_id: Setting = None,
    context: Context | Callable[..., Context] | None = None,
    collection: Setting = None,
    user: Setting = None,
    model: Setting = None,
    pattern: Setting = None,
    task_type: Setting = None,
    tools: Iterable[Any] | None = None,
    caller: Caller = None,
    redact: Redact | None = None,
    detect_uses: bool | None = None,
) -> Callable[[F], F]: ...
def trace_agent(
    function: Any = None,
    /,
    *,
    name: str | None = None,
    version: Setting = None,
    question: str | None = None,
    session_id: Setting = None,
    context: Context | Callable[..., Context] | None = None,
    collection: Setting = None,
    user: Setting = None,
    model: Setting = None,
    pattern: Setting = None,
    task_type: Setting = None,
    tools: Iterable[Any] | None = None,
    caller: Caller = None,
    redact: Redact | None = None,
    detect_uses: bool | None = None,
) -> Any:
    """Trace each call of an agent's loop as a session. The answer is what it returns, or what it yields.

    For functions, coroutine functions, generators and async generators, methods, static and class methods, and
    callables that return something to await; with and without parentheses. The function keeps its kind, its signature,
    what it returns and what it raises.

    Args:
        name: The agent's name; the function's, if left out.
        version: The agent's version: of its code, its prompt or its graph.
        question: Name of the parameter that is the question. If left out: the one with a usual name (``question``,
            ``query``, ``task``, ``prompt``, ...), else the first.
        session_id: Identity of the session; that of the context, else a fresh UUID for each call, if left out.
        context: What came with the message that the call is for: :func:`otel_prov.extract`, or a function that calls
            it. The session that it carries goes on. A call that returns nothing then has handed it on.
        collection: TrustGraph's collection; ``OTEL_EXPORTER_PROV_COLLECTION``, else ``default``, if left out.
        user: On whose behalf the agent runs.
        model: The model that the agent asks.
        pattern: How the agent goes about its question, such as ``react``, ``plan-then-execute`` or ``supervisor``.
        task_type: What kind of task it takes the question for.
        tools: The tools that each iteration can choose from: their names, or what has a ``name`` or ``__name__``.
        caller: What the session is part of, where that can't be seen: the handle of an iteration or a tool call of
            another one, or the IRI of an iteration (:attr:`IterationSpan.uri`).
        redact: Rewrites every text before it becomes an attribute; a text on which it fails is left out.
        detect_uses: Whether it is looked for which earlier results an iteration uses, as values that are handed on or
            as quotations; as ``OTEL_EXPORTER_PROV_DETECT_USES`` says, if left out.

    ``version``, ``session_id``, ``context``, ``collection``, ``user``, ``model``, ``pattern`` and ``task_type`` may
    also be functions that are given the call's arguments.
    """

    def decorate(function: Any) -> Any:
        target = function.__func__ if isinstance(function, (staticmethod, classmethod)) else function
        agent = name if name is not None else getattr(target, "__name__", type(target).__name__)
        find_question = question_finder(target, question)

        def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> SessionSpan:
            return SessionSpan(
                find_question(args, kwargs),
                name=agent,
                session_id=_value(session_id, args, kwargs),
                context=_context(context, args, kwargs),
                collection=_value(collection, args, kwargs),
                user=_value(user, args, kwargs),
                model=_value(model, args, kwargs),
                pattern=_value(pattern, args, kwargs),
                task_type=_value(task_type, args, kwargs),
                tools=tools,
                version=_value(version, args, kwargs),
                caller=caller,
                redact=redact,
                detect_uses=detect_uses,
            )

        return wrap(function, begin)

    return decorate if function is None else decorate(function)


def _value(setting: Setting, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    return _called(setting, args, kwargs) if callable(setting) else setting


def _context(
    setting: Context | Callable[..., Context] | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Context | None:
    """The context of a call; an empty one where its function fails, as the call is for a message all the same."""
    if not callable(setting):
        return setting
    context: Any = _called(setting, args, kwargs)
    return context if isinstance(context, Context) else Context()


@guarded(None, "setting of a session left out: its function failed")
def _called(setting: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    return setting(*args, **kwargs)
