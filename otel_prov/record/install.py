"""One call for programs that set up nothing themselves."""

from __future__ import annotations

from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from otel_prov.losses import guarded, lost
from otel_prov.record.processor import ProvSpanProcessor

__all__ = ["install"]

_MARK = "_otel_prov_installed"  # on the provider itself, so that it outlives a reload of this module


@guarded(None, "sessions not recorded: install failed")
def install(store: str | Path | None = None) -> None:
    """Record agents' sessions from now on. Called again, it does nothing.

    Adds a :class:`ProvSpanProcessor` to the program's tracer provider, beside what is there; makes a provider if there
    is none.

    Args:
        store: Folder of the store; ``OTEL_EXPORTER_PROV_STORE``, else the user's data folder, if left out.
    """
    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider):
        trace.set_tracer_provider(TracerProvider())
        provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        lost("sessions not recorded: the tracer provider takes no span processor", type(provider).__name__)
    elif not hasattr(provider, _MARK):
        setattr(provider, _MARK, True)
        provider.add_span_processor(ProvSpanProcessor(store))
