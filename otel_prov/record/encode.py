"""Spans of the SDK as OTLP/JSON, one ``TracesData`` a line.

(OpenTelemetry Protocol File Exporter specification; OTLP specification, section "JSON Protobuf Encoding".)

This runs twice for each iteration in the agent's own time. So spans are put together from templates of bytes, which
takes half as long as building the same out of dictionaries.
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

_SPAN = (
    b'{"traceId":"%b","spanId":"%016x","parentSpanId":"%b","name":%b,"kind":%d,'
    b'"startTimeUnixNano":"%d","attributes":[%b]%b}'
)
_VALUES = {str: b'{"stringValue":%b}', int: b'{"intValue":"%b"}', bool: b'{"boolValue":%b}'}
"""How common values stand in an ``AnyValue`` (64-bit integers are strings there, as in all JSON of protobuf)."""


def envelope(resource: Resource, scope: InstrumentationScope | None) -> tuple[bytes, bytes]:
    """What stands before and behind the spans of one resource and one scope on a line."""
    about_scope = {"name": scope.name, "version": scope.version or ""} if scope else {}
    line = orjson.dumps(
        {
            "resourceSpans": [
                {
                    "resource": {"attributes": _attributes(plain(resource.attributes))},
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
    try:
        return _span_json(span, span.name, attributes)
    except orjson.JSONEncodeError:  # a lone surrogate in a span that is not ours
        return _span_json(span, well_formed(span.name), plain(attributes))


def _span_json(span: ReadableSpan, name: str, attributes: dict[str, Any]) -> bytes:
    context, parent = span.context, span.parent
    assert context is not None
    return _SPAN % (
        _trace_id(context.trace_id),
        context.span_id,
        _parent_id(parent.span_id) if parent else b"",
        orjson.dumps(name),
        span.kind.value + 1,  # OTLP counts from 1; 0 is "unspecified"
        span.start_time or 0,
        _attributes_json(attributes),
        _ending(span) if span.end_time else b"",
    )


_trace_id = functools.lru_cache(64)(b"%032x".__mod__)  # one for all spans of a trace
_parent_id = functools.lru_cache(64)(b"%016x".__mod__)


def _attributes_json(attributes: dict[str, Any]) -> bytes:
    values = attributes.values()
    template = _template(tuple(attributes), tuple(map(type, values)))
    return template % tuple(map(orjson.dumps, values)) if template else orjson.dumps(_attributes(attributes))[1:-1]


@functools.lru_cache(1024)
def _template(keys: tuple[str, ...], types: tuple[type, ...]) -> bytes:
    """The list of attributes with these keys and types of values; empty where a value is of no common type."""
    if not all(kind in _VALUES for kind in types):
        return b""
    names = (orjson.dumps(key).replace(b"%", b"%%") for key in keys)
    return b",".join(
        b'{"key":' + name + b',"value":' + _VALUES[kind] + b"}" for name, kind in zip(names, types, strict=True)
    )


def _ending(span: ReadableSpan) -> bytes:
    """What is told of a span when it has ended."""
    end = b',"endTimeUnixNano":"%d"' % (span.end_time or 0)
    more: dict[str, Any] = {}
    if span.context and (state := span.context.trace_state):
        more["traceState"] = state.to_header()
    if events := span.events:
        more["events"] = [
            {
                "timeUnixNano": str(event.timestamp),
                "name": event.name,
                "attributes": _attributes(event.attributes or {}),
            }
            for event in events
        ]
    if links := span.links:
        more["links"] = [
            {
                "traceId": f"{link.context.trace_id:032x}",
                "spanId": f"{link.context.span_id:016x}",
                "attributes": _attributes(link.attributes or {}),
            }
            for link in links
        ]
    if (status := span.status) and not status.is_unset:
        more["status"] = {"code": status.status_code.value, "message": status.description or ""}
    return end + b"," + _dumps(more)[1:-1] if more else end


def _dumps(message: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(message)
    except orjson.JSONEncodeError:  # a lone surrogate in an event that is not ours
        return orjson.dumps(plain(message))


def _attributes(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _any_value(value)} for key, value in attributes.items()]


def _any_value(value: Any) -> dict[str, Any]:
    """An ``AnyValue`` object."""
    if isinstance(value, str):
        return {"stringValue": value}
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
    if isinstance(value, Sequence):
        return {"arrayValue": {"values": [_any_value(item) for item in value]}}
    return {"stringValue": well_formed(str(value))}


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
