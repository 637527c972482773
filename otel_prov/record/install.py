"""One call for programs that set up nothing themselves."""

from __future__ import annotations

from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from otel_prov.environment import PROV, exporter_names
from otel_prov.losses import guarded, lost
from otel_prov.record.named import exporters
from otel_prov.record.processor import ProvSpanProcessor
from otel_prov.record.sampler import named_sampler

__all__ = ["install", "post_instrument"]

_MARK = "_otel_prov_installed"  # on the provider itself, so that it outlives a reload of this module


@guarded(None, "sessions not recorded: install failed")
def install(store: str | Path | None = None) -> None:
    """Record agents' sessions from now on. Called again, it does nothing.

    Adds a :class:`ProvSpanProcessor` to the program's tracer provider, beside what is there. Where there is none, makes
    one, with the exporters that ``OTEL_TRACES_EXPORTER`` names (``otlp,prov``) and the sampler that
    ``OTEL_TRACES_SAMPLER`` names. Where the exporters are others but not ``prov``, or ``none``, no session is recorded.

    Args:
        store: Folder of the store; ``OTEL_EXPORTER_PROV_STORE``, else the user's data folder, if left out.
    """
    names = exporter_names()
    if names == ["none"]:
        return
    provider = _provider()
    if PROV not in names:
        lost("sessions not recorded: OTEL_TRACES_EXPORTER does not name prov", ",".join(names))
    elif not isinstance(provider, TracerProvider):
        lost("sessions not recorded: the tracer provider takes no span processor", type(provider).__name__)
    elif not hasattr(provider, _MARK):
        setattr(provider, _MARK, True)
        provider.add_span_processor(ProvSpanProcessor(store))


def _provider() -> trace.TracerProvider:
    """The program's provider; one with the named exporters where it has none."""
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        provider = TracerProvider(sampler=named_sampler())
        for exporter in exporters():
            provider.add_span_processor(BatchSpanProcessor(exporter))
        trace.set_tracer_provider(provider)
    return trace.get_tracer_provider()


@guarded(None, "sessions not recorded: install failed")
def post_instrument() -> None:
    """Called by ``opentelemetry-instrument`` when it has set up what the variables say.

    With ``prov`` among the exporters, adds the processor too: it sees what runs, the exporter only what has ended.
    """
    if PROV in exporter_names():
        install()
