"""OpenTelemetry tracing for ReAct agent loops whose spans also become W3C PROV-O.

What instrumented code needs is imported at once and needs ``opentelemetry-api`` only; the rest when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_prov.instrument import (
    IterationSpan,
    SessionSpan,
    ToolSpan,
    current_iteration,
    current_session,
    iteration,
    session,
    tool,
    trace_agent,
)
from otel_prov.losses import losses

if TYPE_CHECKING:
    from otel_prov.describe.spans import describe_spans
    from otel_prov.instrument.context import extract, inject
    from otel_prov.instrument.parts import PartSpan, delegate, plan
    from otel_prov.instrument.retrieval import RetrievalSpan, current_retrieval, trace_retrieval
    from otel_prov.record.doctor import doctor
    from otel_prov.record.exporter import ProvSpanExporter
    from otel_prov.record.install import install
    from otel_prov.record.processor import ProvSpanProcessor

__all__ = [
    "IterationSpan",
    "PartSpan",
    "ProvSpanExporter",
    "ProvSpanProcessor",
    "RetrievalSpan",
    "SessionSpan",
    "ToolSpan",
    "current_iteration",
    "current_retrieval",
    "current_session",
    "delegate",
    "describe_spans",
    "doctor",
    "extract",
    "inject",
    "install",
    "iteration",
    "losses",
    "plan",
    "session",
    "tool",
    "trace_agent",
    "trace_retrieval",
]

_LATER = {
    "PartSpan": "otel_prov.instrument.parts",
    "ProvSpanExporter": "otel_prov.record.exporter",
    "ProvSpanProcessor": "otel_prov.record.processor",
    "RetrievalSpan": "otel_prov.instrument.retrieval",
    "current_retrieval": "otel_prov.instrument.retrieval",
    "delegate": "otel_prov.instrument.parts",
    "describe_spans": "otel_prov.describe.spans",
    "doctor": "otel_prov.record.doctor",
    "extract": "otel_prov.instrument.context",
    "inject": "otel_prov.instrument.context",
    "install": "otel_prov.record.install",
    "plan": "otel_prov.instrument.parts",
    "trace_retrieval": "otel_prov.instrument.retrieval",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    from otel_prov.record.limits import good_limits

    with good_limits():
        return getattr(importlib.import_module(_LATER[name]), name)
