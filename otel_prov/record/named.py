"""The exporters that ``OTEL_TRACES_EXPORTER`` names, for programs that are not started by ``opentelemetry-instrument``.

(OpenTelemetry's SDK reads that variable in its private set-up only; the rules here are the same.)
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points

from opentelemetry.sdk.trace.export import SpanExporter

from otel_prov.environment import PROV, exporter_names, otlp_protocol
from otel_prov.losses import guarded, lost

__all__ = ["exporters"]


def exporters() -> Iterator[SpanExporter]:
    """The named exporters but for ours. One that is not installed, or can't be made, is counted and logged."""
    for name in exporter_names():
        if name not in (PROV, "none") and (exporter := _make(_with_protocol(name))) is not None:
            yield exporter


@guarded(None, "exporter left out: it can't be made")
def _make(name: str) -> SpanExporter | None:
    for entry in entry_points(group="opentelemetry_traces_exporter", name=name):
        exporter: SpanExporter = entry.load()()
        return exporter
    lost("exporter left out: not installed", f"OTEL_TRACES_EXPORTER names {name!r}; install the package that has it")
    return None


def _with_protocol(name: str) -> str:
    """``otlp`` stands for one of two exporters, by the protocol."""
    return f"otlp_proto_{otlp_protocol(name)}" if name == "otlp" else name
