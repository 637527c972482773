"""The exporters that ``OTEL_TRACES_EXPORTER`` names, for programs that are not started by ``opentelemetry-instrument``.

(OpenTelemetry's SDK reads that variable in its private set-up only; the rules here are the same.)
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import entry_points

from opentelemetry.sdk.trace.export import SpanExporter

from otel_prov.losses import guarded, lost

__all__ = ["PROV", "exporters", "named"]

PROV = "prov"
"""The name of our own exporter."""

_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


def named() -> list[str]:
    """The names in ``OTEL_TRACES_EXPORTER``; ours alone where it is not set."""
    value = os.environ.get("OTEL_TRACES_EXPORTER", "").strip() or PROV
    return list(dict.fromkeys(name for part in value.split(",") if (name := part.strip())))


def exporters() -> Iterator[SpanExporter]:
    """The named exporters but for ours. One that is not installed, or can't be made, is counted and logged."""
    for name in named():
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
    """``otlp`` stands for one of two exporters, by the protocol; gRPC where none is chosen."""
    if name != "otlp":
        return name
    protocol = next((value for variable in _PROTOCOLS if (value := os.environ.get(variable))), "grpc")
    return "otlp_proto_http" if protocol.startswith("http") else "otlp_proto_grpc"
