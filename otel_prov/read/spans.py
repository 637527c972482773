"""Spans as other programs write them: OTLP/JSON, one ``TracesData`` a line.

(OpenTelemetry Protocol File Exporter specification; OTLP specification, section "JSON Protobuf Encoding".)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

__all__ = ["NotOtlp", "Span", "parse_line"]

_STATUS_ERROR = (2, "STATUS_CODE_ERROR")
_FIXED64 = range(2**64)
_INT64 = range(-(2**63), 2**63)


class NotOtlp(ValueError):
    """A line that isn't OTLP/JSON with spans; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Span:
    """What a reader needs to know of a span. ``raw`` is the whole of it, as JSON."""

    raw: bytes
    trace_id: str
    """32 hexadecimal digits."""
    span_id: str
    """16 hexadecimal digits."""
    parent_id: str
    """Span id of the parent; "" where there is none."""
    name: str
    start: int
    """Nanoseconds since 1970."""
    end: int
    """Nanoseconds since 1970; 0 while the span runs."""
    attributes: dict[str, Any]
    error: str | None
    """Description of an ERROR status, "" where it has none; ``None`` for any other status."""

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Span:
        """Read one span object of OTLP/JSON. Raises :class:`NotOtlp`."""
        try:
            status = raw.get("status") or {}
            return cls(
                raw=orjson.dumps(raw),
                trace_id=raw["traceId"].lower(),
                span_id=raw["spanId"].lower(),
                parent_id=(raw.get("parentSpanId") or "").lower(),
                name=raw.get("name") or "",
                start=_int(raw.get("startTimeUnixNano") or 0, _FIXED64),
                end=_int(raw.get("endTimeUnixNano") or 0, _FIXED64),
                attributes={pair["key"]: _value(pair.get("value")) for pair in raw.get("attributes") or ()},
                error=(status.get("message") or "") if status.get("code") in _STATUS_ERROR else None,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise NotOtlp(f"not a span of OTLP/JSON ({type(error).__name__}: {error})") from None

    def newer(self, other: Span) -> Span:
        """Which of two records of one span tells more: the ended one, else the one that knows more.

        A span only ever gains attributes until it ends, so records may come in any order and more than once.
        """

        def knowledge(span: Span) -> tuple[bool, int, bytes]:
            return span.end > 0, len(span.attributes), span.raw

        return max(self, other, key=knowledge)


def parse_line(line: bytes) -> list[Span]:
    """The spans of one line. Raises :class:`NotOtlp` for a line that is torn, foreign or of another signal."""
    try:
        data = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise NotOtlp(f"not JSON ({error})") from None
    if not isinstance(data, dict) or not isinstance(data.get("resourceSpans"), list):
        raise NotOtlp('not OTLP/JSON with spans (no "resourceSpans")')
    try:
        return [
            Span.of(raw)
            for resource in data["resourceSpans"]
            for scope in resource.get("scopeSpans") or ()
            for raw in scope.get("spans") or ()
        ]
    except (TypeError, AttributeError) as error:
        raise NotOtlp(f"not OTLP/JSON with spans ({type(error).__name__}: {error})") from None


def _value(value: Any) -> Any:
    """A plain Python value for an ``AnyValue`` object."""
    if not value:
        return None
    ((kind, content),) = value.items()
    if kind == "intValue":
        return _int(content, _INT64)
    if kind == "arrayValue":
        return [_value(item) for item in content.get("values") or ()]
    if kind == "kvlistValue":
        return {pair["key"]: _value(pair.get("value")) for pair in content.get("values") or ()}
    return content


def _int(content: Any, possible: range) -> int:
    number = int(content)
    if number not in possible:
        raise ValueError("a number of more than 64 bits")
    return number
