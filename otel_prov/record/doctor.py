"""``otel_prov.doctor()``: whether this program's sessions are recorded, told from inside of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import Decision

from otel_prov import names
from otel_prov.checks import setup
from otel_prov.checks.check import Check, bad, good
from otel_prov.checks.otlp import otlp
from otel_prov.losses import guarded, losses
from otel_prov.record.exporter import ProvSpanExporter
from otel_prov.record.journal import store_folder
from otel_prov.record.processor import ProvSpanProcessor

__all__ = ["doctor"]

_INSTALL = "call otel_prov.install() before the first session, or start it with opentelemetry-instrument"


@guarded(False, "doctor failed")
def doctor() -> bool:
    """Print, in one line each, whether this program is set up so that its sessions are recorded; whether all is well.

    Tells of the provider and the processors that are in place, which ``otel-prov doctor`` can't see; that tells of the
    worker and the endpoints, which this program has nothing to do with.
    """
    checks = list(_checks())
    for check in checks:
        print(f"{check.mark}{check}")
    print("      worker, endpoints: see 'otel-prov doctor'")
    return all(check.ok for check in checks)


def _checks() -> Iterator[Check]:
    yield from setup.packages()
    yield from setup.variables()
    yield from setup.exporters()
    yield from _provider()
    yield from setup.writable(store_folder())
    yield from otlp()
    if counts := losses():
        found = ", ".join(f"{reason} ({number:,})" for reason, number in counts.items())
        yield bad("losses", found, "see what the logger otel_prov has said")


def _provider() -> Iterator[Check]:
    provider = trace.get_tracer_provider()
    kind = f"{type(provider).__module__}.{type(provider).__qualname__}"
    if not isinstance(provider, TracerProvider):
        is_none = isinstance(provider, trace.ProxyTracerProvider)
        yield bad("provider", "none is set up" if is_none else f"{kind} is not OpenTelemetry's SDK", _INSTALL)
        return
    yield good("provider", kind)
    yield from _processors(provider)
    yield _sampler(provider)


def _processors(provider: TracerProvider) -> Iterator[Check]:
    """The SDK has no public way to ask; what can't be seen is not told."""
    multiple: Any = getattr(provider, "_active_span_processor", None)
    processors = getattr(multiple, "_span_processors", ())
    exporters = [_exporter(processor) for processor in processors]
    told = [
        type(processor).__name__ + (f"({type(exporter).__name__})" if exporter is not None else "")
        for processor, exporter in zip(processors, exporters, strict=True)
    ]
    found = ", ".join(told) or "none"
    if any(isinstance(processor, ProvSpanProcessor) for processor in processors):
        yield good("processors", found)
    elif any(isinstance(exporter, ProvSpanExporter) for exporter in exporters):
        yield good("processors", f"{found}; with install() running sessions would be seen, too")
    else:
        yield bad("processors", f"{found}: none is otel-prov's", _INSTALL)


def _exporter(processor: Any) -> Any:
    inner = getattr(processor, "_batch_processor", processor)
    return getattr(inner, "_exporter", getattr(processor, "span_exporter", None))


def _sampler(provider: TracerProvider) -> Check:
    """Ask about a session in the trace that any ratio but 1 leaves out."""
    sampler = provider.sampler
    asked = sampler.should_sample(None, 2**128 - 1, names.INVOKE_AGENT, attributes={names.SESSION_ID: "doctor"})
    if asked.decision is Decision.DROP:
        remedy = "set OTEL_TRACES_SAMPLER=prov_parentbased_traceidratio, which drops none for the graph"
        return bad("sampling", f"{sampler.get_description()} drops sessions, for the graph too", remedy)
    return good("sampling", f"{sampler.get_description()} drops no session for the graph")
