"""Spans of the SDK as OTLP/JSON, one ``TracesData`` a line.

(OpenTelemetry Protocol File Exporter specification; OTLP specification, section "JSON Protobuf Encoding".)
"""

from __future__ import annotations

import base64
import functools
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import orjson

from otel_prov.instrument.values import plain, well_formed

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

__all__ = ["copy_of", "envelope", "span_json"]


def envelope(resource: Resource, scope: InstrumentationScope | None) -> tuple[bytes, bytes]:
    """What stands before and behind the spans of one resource and one scope on a line."""
    about_scope = {"name": scope.name, "version": scope.version or ""} if scope else {}
    line = _dumps(
        {
            "resourceSpans": [
                {
                    "resource": {"attributes": _attributes(resource.attributes)},
                    "scopeSpans": [{"scope": about_scope, "spans": []}],
                }
            ]
        }
    )
    before, _, behind = line.rpartition(b"[]")
    return before + b"[", b"]" + behind + b"\n"


def copy_of(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    """Attributes as they are now: another thread may set more. (The SDK's own mapping is slow to walk, too.)"""
    if isinstance(attributes, MappingProxyType):
        copy: dict[str, Any] = attributes.copy()
        return copy
    return dict(attributes or {})


def span_json(span: ReadableSpan, attributes: dict[str, Any]) -> bytes:
    """A span object, ended or running (a running one has no end time), with a copy of its attributes."""
    context, parent = span.context, span.parent
    assert context is not None
    message: dict[str, Any] = {
        "traceId": _trace_id(context.trace_id),
        "spanId": f"{context.span_id:016x}",
        "parentSpanId": _parent_id(parent.span_id) if parent else "",
        "name": span.name,
        "kind": span.kind.value + 1,  # OTLP counts from 1; 0 is "unspecified"
        "startTimeUnixNano": str(span.start_time or 0),
        "attributes": _attributes(attributes),
    }
    if end := span.end_time:
        message["endTimeUnixNano"] = str(end)
        _add_ending(message, span)
    return _dumps(message)


_trace_id = functools.lru_cache(64)("{:032x}".format)  # one for all spans of a trace
_parent_id = functools.lru_cache(64)("{:016x}".format)


def _add_ending(message: dict[str, Any], span: ReadableSpan) -> None:
    """What is told of a span when it has ended."""
    if span.context and (state := span.context.trace_state):
        message["traceState"] = state.to_header()
    if events := span.events:
        message["events"] = [
            {
                "timeUnixNano": str(event.timestamp),
                "name": event.name,
                "attributes": _attributes(event.attributes or {}),
            }
            for event in events
        ]
    if links := span.links:
        message["links"] = [
            {
                "traceId": f"{link.context.trace_id:032x}",
                "spanId": f"{link.context.span_id:016x}",
                "attributes": _attributes(link.attributes or {}),
            }
            for link in links
        ]
    if (status := span.status) and not status.is_unset:
        message["status"] = {"code": status.status_code.value, "message": status.description or ""}


def _dumps(message: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(message)
    except orjson.JSONEncodeError:  # a lone surrogate in a span that is not ours
        return orjson.dumps(plain(message))


def _attributes(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": {"stringValue": value} if type(value) is str else _any_value(value)}
        for key, value in attributes.items()
    ]


def _any_value(value: Any) -> dict[str, Any]:
    """An ``AnyValue`` object; 64-bit integers are strings in it, as in all JSON of protobuf."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value if math.isfinite(value) else _not_finite(value)}
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {"kvlistValue": {"values": _attributes(value)}}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {"arrayValue": {"values": [_any_value(item) for item in value]}}
    return {"stringValue": well_formed(str(value))}


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
