"""One call for programs that set up nothing themselves."""

from __future__ import annotations

from pathlib import Path

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

from otel_prov.environment import CONFIG_FILE, PROV, config_file, exporter_names
from otel_prov.losses import guarded, lost
from otel_prov.record.configured import set_up_from_file
from otel_prov.record.limits import good_limits
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
    ``OTEL_TRACES_SAMPLER`` names; or as the file has it that ``OTEL_CONFIG_FILE`` names. Where the exporters are others
    but not ``prov``, or ``none``, no session is recorded.

    Args:
        store: Folder of the store; ``OTEL_EXPORTER_PROV_STORE``, else the user's data folder, if left out.
    """
    if exporter_names() == ["none"]:
        return
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        if not config_file():
            _set_up()
        elif not set_up_from_file():
            return
    _add_processor(trace.get_tracer_provider(), store)


def _set_up() -> None:
    """Make the program's provider, with the named exporters."""
    with good_limits():
        provider = TracerProvider(sampler=named_sampler())
    for exporter in exporters():
        _add_exporter(provider, exporter)
    trace.set_tracer_provider(provider)


@guarded(None, "exporter left out: its batch processor can't be made")  # from OTEL_BSP_*, say
def _add_exporter(provider: TracerProvider, exporter: SpanExporter) -> None:
    provider.add_span_processor(BatchSpanProcessor(exporter))


def _add_processor(provider: trace.TracerProvider, store: str | Path | None) -> None:
    names = exporter_names()
    if PROV not in names:
        said_by = CONFIG_FILE if config_file() else "OTEL_TRACES_EXPORTER"
        lost(f"sessions not recorded: {said_by} does not name prov", config_file() or ",".join(names))
    elif not isinstance(provider, TracerProvider):
        lost("sessions not recorded: the tracer provider takes no span processor", type(provider).__name__)
    elif not hasattr(provider, _MARK):
        setattr(provider, _MARK, True)
        provider.add_span_processor(ProvSpanProcessor(store))


@guarded(None, "sessions not recorded: install failed")
def post_instrument() -> None:
    """Called by ``opentelemetry-instrument`` when it has set up what the variables, or the file, say.

    With ``prov`` among the exporters, adds the processor too: it sees what runs, the exporter only what has ended.
    """
    if PROV in exporter_names():
        install()
