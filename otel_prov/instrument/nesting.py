"""Sessions inside of sessions: where one belongs that begins inside of another one's iteration or tool call."""

from __future__ import annotations

from opentelemetry import trace
from opentelemetry.context import Context

from otel_prov import names, uris
from otel_prov.instrument.activity import NOT_RECORDED, Activity, current
from otel_prov.instrument.values import to_text
from otel_prov.losses import guarded

__all__ = ["Caller", "Enclosing", "caller_iri", "enclosing", "inside"]


class Enclosing(Activity):
    """An iteration or a tool call: its observation derives from the last node of what ran inside of it."""

    _enclosed: str | None = None

    @guarded(None, NOT_RECORDED)
    def enclose(self, last: str, *, instead_of: str | None = None) -> None:
        """A session runs inside of this, whose last node in the graph is ``last``; of several, the last counts."""
        if instead_of in (None, self._enclosed) and self._span.is_recording():
            self._enclosed = last
            self._set(names.SUB_TRACE, last)


Caller = str | Activity | None
"""An IRI, or a handle, of what a session is part of; ``None`` for whatever is current."""


def enclosing(caller: Caller) -> Activity | None:
    """The handle of what a session is part of, if there is one in this process."""
    if isinstance(caller, Activity):
        return caller
    return current() if caller is None else None


def caller_iri(caller: Caller, parent: Activity | None) -> str | None:
    """The IRI of what a session derives from. What a part of the work came to derives from the session that did it, so
    that session from the plan, or the decomposition."""
    if caller is None or isinstance(caller, Activity):
        return parent.place if parent is not None else None
    text = to_text(caller)
    outer, _, index = text.rpartition("/")
    for kind, whole in ((uris.STEP, uris.PLAN), (uris.FINDING, uris.DECOMPOSITION)):
        if index.isdecimal() and outer.endswith(f"/{kind}"):
            return outer.removesuffix(kind) + whole
    return text


def inside(parent: Activity | None, outside: Context) -> Context:
    """The context with the span of what a session is part of, where that isn't the current one anyway."""
    if parent is None or parent is current():
        return outside
    return trace.set_span_in_context(parent._span, outside)
