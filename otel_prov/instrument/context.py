"""A session that goes on in another process: what a message carries of it, and how it is taken up there.

Two things travel together, each in its own standard way: the trace, as W3C Trace Context has it (``traceparent``,
``tracestate``), and the session with the number of its next iteration (``otel-prov-*``). Both are OpenTelemetry
propagators: :func:`inject` and :func:`extract` are those two, for carriers of every kind; ``OTEL_PROPAGATORS`` may name
ours (``tracecontext,baggage,otel_prov``) for programs whose instrumentation injects and extracts by itself. Nothing
goes into baggage.

What comes in is not trusted: a value that isn't whole and well-formed continues no session, is counted as a loss, and
said once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, MutableMapping, Sized
from typing import Any, NamedTuple, Protocol

from opentelemetry import trace
from opentelemetry.context import Context, create_key, get_value, set_value
from opentelemetry.propagators.textmap import (
    CarrierT,
    Getter,
    Setter,
    TextMapPropagator,
    default_getter,
    default_setter,
)
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from otel_prov import names
from otel_prov.instrument.activity import current
from otel_prov.instrument.values import to_text
from otel_prov.losses import guarded, lost

__all__ = ["RemoteSession", "SessionPropagator", "derived_parent", "extract", "inject", "remote_session"]

SESSION, ITERATION, COLLECTION, USER = FIELDS = (
    "otel-prov-session",
    "otel-prov-iteration",
    "otel-prov-collection",
    "otel-prov-user",
)
"""Names of headers, or message properties. The values are percent-encoded."""

NOT_CONTINUED = "session not continued: what came with the message is damaged"
NOT_HANDED_ON = "session not handed on"

_REMOTE = create_key("otel-prov-remote-session")
_LONGEST = 1024  # characters of a value, as it travels
_VALUE = re.compile(r"(?:[\w.~:@/-]|%[0-9A-Fa-f]{2})+", re.ASCII)
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


class RemoteSession(NamedTuple):
    """A session of another process, as it was handed on."""

    id: str
    iteration: int
    """Number of the iteration that comes next."""
    collection: str | None = None
    user: str | None = None
    has_begun: bool = True
    """Whether another process has recorded its start."""


class HasItems(Protocol):
    """What headers and message properties are, whoever made them: names and values."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Names with their values."""
        ...


class AgentRequest(Protocol):
    """A message of which only these fields survive from hop to hop: TrustGraph's ``AgentRequest`` (2.0 to 2.11)."""

    session_id: str
    """Identity of the session; empty before its first iteration."""

    @property
    def history(self) -> Sized | None:
        """The iterations so far."""
        ...


def inject(carrier: MutableMapping[str, str] | AgentRequest, *, context: Context | None = None) -> None:
    """Write the current trace and session into what another process will get. Never raises.

    To be called inside of the session. The number of the iteration that comes next goes with it, so whoever takes the
    message up goes on from there.

    Args:
        carrier: A dictionary of headers or message properties, to which ``traceparent``, ``tracestate`` and
            ``otel-prov-*`` are added, instead of those that it has; or TrustGraph's ``AgentRequest``, whose
            ``session_id`` is set.
        context: OpenTelemetry's context; the current one, if left out.
    """
    _inject(carrier, context)


@guarded(None, NOT_HANDED_ON)
def _inject(carrier: Any, context: Context | None) -> None:
    session = _handed_on(context)
    if _is_request(carrier):
        if session is not None:
            carrier.session_id = session.id
        return
    ours, theirs = SessionPropagator(), TraceContextTextMapPropagator()
    replaced = {*theirs.fields, *(ours.fields if session else ())}
    for name in [name for name in carrier if isinstance(name, str) and name.lower() in replaced]:
        del carrier[name]
    theirs.inject(carrier, context)
    ours.inject(carrier, context)


def extract(carrier: HasItems | Iterable[tuple[Any, Any]] | AgentRequest, *, context: Context | None = None) -> Context:
    """The trace and the session that came with a message, for ``session(context=...)`` to go on with. Never raises.

    Of TrustGraph's ``AgentRequest`` only the session's id survives. So trace and parent are derived from that
    (:func:`derived_parent`), the same ones in each process, and the iteration is ``len(history) + 1``. A request
    without an id begins a session, which gets a fresh one.

    Args:
        carrier: Headers or message properties, in a dictionary or as pairs, in any case; or an ``AgentRequest``.
        context: OpenTelemetry's context that is added to; an empty one, if left out.

    Returns:
        OpenTelemetry's context. Without a session, where none came, or one that is damaged, which is counted as a loss.
    """
    context = Context() if context is None else context
    return _extracted(carrier, context) or context


@guarded(None, NOT_CONTINUED)
def _extracted(carrier: Any, context: Context) -> Context:
    if _is_request(carrier):
        return _from_request(carrier, context)
    headers = _Headers()
    return SessionPropagator().extract(
        carrier, TraceContextTextMapPropagator().extract(carrier, context, headers), headers
    )


def remote_session(context: Context | None) -> RemoteSession | None:
    """The session that an extracted context carries."""
    session = get_value(_REMOTE, context)
    return session if isinstance(session, RemoteSession) else None


def derived_parent(session_id: str) -> SpanContext:
    """The parent of a session's spans in every process that knows nothing but its id.

    Trace id and span id are the first 16 and the next 8 bytes of the SHA-256 digest of ``otel-prov:{session id}``, in
    UTF-8. There is no such span; the ids alone hold the session's spans together, in one trace. It counts as sampled,
    since each process must decide alike: only a sampler that goes by the trace id may decide otherwise.
    """
    from hashlib import sha256  # here, for the sake of a light import of the library

    digest = sha256(f"otel-prov:{session_id}".encode()).digest()
    trace_id, span_id = int.from_bytes(digest[:16], "big"), int.from_bytes(digest[16:24], "big")
    return SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))


class SessionPropagator(TextMapPropagator):
    """The session's part alone: entry point ``otel_prov`` of the group ``opentelemetry_propagator``."""

    @property
    def fields(self) -> set[str]:
        """Names of what it writes."""
        return set(FIELDS)

    def inject(
        self, carrier: CarrierT, context: Context | None = None, setter: Setter[CarrierT] = default_setter
    ) -> None:
        """Write the current session, or the one that was extracted and goes through; nothing, if there is none."""
        _write(carrier, context, setter)

    def extract(
        self, carrier: CarrierT, context: Context | None = None, getter: Getter[CarrierT] = default_getter
    ) -> Context:
        """The context with the session that the carrier has, if that is whole."""
        context = Context() if context is None else context
        session = _read(carrier, getter)
        return context if session is None else set_value(_REMOTE, session, context)


def _handed_on(context: Context | None) -> RemoteSession | None:
    """The session that a context is inside of, as another process is to go on with it."""
    activity = current(context)
    session = activity.session if activity is not None else None
    if session is None:
        return remote_session(context)
    identity = session.identity
    return RemoteSession(session.id, session.upcoming, identity.get(names.COLLECTION), identity.get(names.USER))


@guarded(None, NOT_HANDED_ON)
def _write(carrier: Any, context: Context | None, setter: Setter[Any]) -> None:
    if (session := _handed_on(context)) is None:
        return
    values = {
        SESSION: session.id,
        ITERATION: str(session.iteration),
        COLLECTION: session.collection,
        USER: session.user,
    }
    written = {name: _encoded(name, value) for name, value in values.items() if value}
    for name, value in written.items():
        setter.set(carrier, name, value)


@guarded(None, NOT_CONTINUED)
def _read(carrier: Any, getter: Getter[Any]) -> RemoteSession | None:
    values = {name: getter.get(carrier, name) for name in FIELDS}
    if not values[SESSION]:
        return None
    try:
        session, iteration, collection, user = (_decoded(name, value) for name, value in values.items())
        if session is None or iteration is None or not _NUMBER.fullmatch(iteration):
            raise ValueError(f"no number in {ITERATION}")
    except ValueError as damage:
        lost(NOT_CONTINUED, damage)
        return None
    return RemoteSession(session, int(iteration), collection, user)


def _encoded(name: str, value: str) -> str:
    from urllib.parse import quote  # here, for the sake of a light import of the library

    if len(encoded := quote(value, safe=":@/")) > _LONGEST:
        raise ValueError(f"{name} is too long")
    return encoded


def _decoded(name: str, values: Iterable[Any] | None) -> str | None:
    """The one value of a name. What the value is isn't told, as it may be anything that a stranger likes to log."""
    from urllib.parse import unquote

    if not (found := {str(value).strip() for value in values or ()}):
        return None
    value, *others = found
    if others or len(value) > _LONGEST or not _VALUE.fullmatch(value):
        raise ValueError(f"no value of ours in {name}")
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise ValueError(f"no UTF-8 in {name}") from None


def _is_request(carrier: object) -> bool:
    return hasattr(carrier, "session_id") and hasattr(carrier, "history")


def _from_request(request: Any, context: Context) -> Context:
    """The session of an ``AgentRequest``."""
    import uuid

    session_id = to_text(request.session_id or str(uuid.uuid4()))
    _encoded("session_id", session_id)  # as long as one may be
    number = len(request.history or ()) + 1
    collection = to_text(getattr(request, "collection", None) or "") or None
    session = RemoteSession(session_id, number, collection, has_begun=number > 1)
    parent = NonRecordingSpan(derived_parent(session_id))
    return set_value(_REMOTE, session, trace.set_span_in_context(parent, context))


class _Headers(Getter[Any]):
    """Reads names in any case, as HTTP wants it, from dictionaries and from pairs, of text or of bytes."""

    def get(self, carrier: Any, key: str) -> list[str] | None:
        found = [value for name, value in self._pairs(carrier) if _text(name).lower() == key]
        return [_text(each) for value in found for each in (value if isinstance(value, (list, tuple)) else [value])]

    def keys(self, carrier: Any) -> list[str]:
        return [_text(name) for name, _ in self._pairs(carrier)]

    def _pairs(self, carrier: Any) -> list[tuple[Any, Any]]:
        return list(carrier.items() if hasattr(carrier, "items") else carrier)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
