"""A sampler that samples for the other exporters only: the graph gets every session.

``OTEL_TRACES_SAMPLER=prov_parentbased_traceidratio`` is what ``parentbased_traceidratio`` is, except that an agent's
span is never dropped. What it would drop is recorded but not sampled (``RECORD_ONLY``): our span processor sees it, a
batch processor passes it by. So where only the exporter ``prov`` is in place, and no processor of ours, the graph gets
the sampled share, too.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.metadata import entry_points

from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, ParentBased, Sampler, SamplingResult, TraceIdRatioBased
from opentelemetry.trace import INVALID_SPAN, Link, Span, SpanKind, get_current_span, set_span_in_context
from opentelemetry.trace.span import TraceState
from opentelemetry.util.types import Attributes

from otel_prov import names
from otel_prov.environment import misread
from otel_prov.instrument.context import derived_parent
from otel_prov.losses import guarded

__all__ = ["NAME", "ProvSampler", "named_sampler", "prov_parentbased_traceidratio"]

NAME = "prov_parentbased_traceidratio"
"""What ``OTEL_TRACES_SAMPLER`` calls it."""

_SAMPLER, _ARGUMENT = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"


class ProvSampler(Sampler):
    """Decides as another sampler does, but for what that would drop of an agent's session: it is recorded.

    Args:
        sampler: Says what other exporters get.
    """

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        """Whether a span that is about to start is dropped, recorded, or recorded and sampled."""
        if attributes and _is_derived(get_current_span(parent_context), attributes.get(names.SESSION_ID)):
            parent_context = set_span_in_context(INVALID_SPAN, parent_context)  # it has decided nothing
        result = self._sampler.should_sample(parent_context, trace_id, name, kind, attributes, links, trace_state)
        if result.decision is Decision.DROP and attributes and names.SESSION_ID in attributes:
            return SamplingResult(Decision.RECORD_ONLY, attributes, result.trace_state)
        return result

    def get_description(self) -> str:
        """Name, and what it decides by."""
        return f"ProvSampler{{{self._sampler.get_description()}}}"


def _is_derived(parent: Span, session_id: object) -> bool:
    """Whether a session's parent is only an id, see :func:`otel_prov.instrument.context.derived_parent`."""
    context = parent.get_span_context()
    return context.is_remote and isinstance(session_id, str) and context == derived_parent(session_id)


def prov_parentbased_traceidratio(argument: str | None = None) -> Sampler:
    """Entry point of the groups ``opentelemetry_traces_sampler``, and ``opentelemetry_sampler`` for declarative
    configuration, which gives no arguments as yet.

    Args:
        argument: The share of new traces that other exporters get; ``OTEL_TRACES_SAMPLER_ARG``, else 1, if left out.
    """
    given = os.environ.get(_ARGUMENT) if argument is None else argument
    return ProvSampler(ParentBased(TraceIdRatioBased(_ratio(given))))


def _ratio(argument: str | None) -> float:
    text = (argument or "").strip()
    try:
        ratio = float(text or 1)
    except ValueError:
        ratio = -1
    if 0 <= ratio <= 1:
        return ratio
    misread(_ARGUMENT, text, "no number from 0 to 1", "1")
    return 1.0


@guarded(None, "OTEL_TRACES_SAMPLER not honoured")
def named_sampler() -> Sampler | None:
    """The sampler that ``OTEL_TRACES_SAMPLER`` names, if a package brings it; the SDK finds its own only."""
    if not (name := os.environ.get(_SAMPLER, "").strip()):
        return None
    for entry in entry_points(group="opentelemetry_traces_sampler", name=name):
        if not entry.module.startswith("opentelemetry.sdk."):
            sampler: Sampler = entry.load()(os.environ.get(_ARGUMENT))
            return sampler
    return None
