"""The whole way from spans to triples in one process, without files: for tests and notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from otel_prov.describe import DEFAULT_SHAPE, DEFAULT_VIEW, dataset
from otel_prov.read import parse_line, read
from otel_prov.record.encode import copy_of, envelope, span_json

if TYPE_CHECKING:
    import rdflib
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["describe_spans"]


def describe_spans(
    spans: Iterable[ReadableSpan], shape: str = DEFAULT_SHAPE, view: str = DEFAULT_VIEW
) -> rdflib.Dataset:
    """The sessions that spans of OpenTelemetry's SDK tell of, as an rdflib dataset.

    Args:
        spans: Ended or running spans, in any order, as an ``InMemorySpanExporter`` gives them; those that are no
            agent's are passed over.
        shape: One of :data:`otel_prov.describe.SHAPES`.
        view: One of :data:`otel_prov.describe.VIEWS`: what TrustGraph reads, valid PROV, or both.

    Raises:
        ValueError: There is no such shape, or no such view.
    """
    return dataset(read(record for span in spans for record in parse_line(_line(span))), shape, view)


def _line(span: ReadableSpan) -> bytes:
    before, behind = envelope(span.resource, span.instrumentation_scope)
    return before + span_json(span, copy_of(span.attributes)) + behind
