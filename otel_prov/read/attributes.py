"""What the attributes of spans say."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from otel_prov import names
from otel_prov.read.spans import Span
from otel_prov.steps import Digest

__all__ = ["digest", "end", "error", "first", "ids", "merit", "milliseconds", "text", "time"]

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def first(spans: Sequence[Span], attribute: str) -> str | None:
    """The attribute's value on the first span that has it."""
    return next((value for span in spans if (value := text(span, attribute)) is not None), None)


def text(span: Span, attribute: str) -> str | None:
    """The attribute's value as text; ``None`` if there is none."""
    value: Any = span.attributes.get(attribute)
    return None if value is None else str(value)


def time(nanoseconds: int) -> datetime:
    """The time, to the microsecond, that so many nanoseconds since 1970 mean."""
    return _EPOCH + timedelta(microseconds=nanoseconds // 1000)


def end(span: Span) -> datetime | None:
    """When the span ended; ``None`` while it goes on."""
    return time(span.end) if span.end else None


def milliseconds(start: datetime, end: datetime | None) -> int | None:
    """From start to end; ``None`` before the end, or where a clock was set back."""
    return None if end is None or end < start else (end - start) // timedelta(milliseconds=1)


def digest(spans: Sequence[Span], attribute: str) -> Digest | None:
    """What the first span tells that tells it, of a text that is not recorded."""
    for span in spans:
        sha256, length = span.attributes.get(attribute + names.SHA256), span.attributes.get(attribute + names.LENGTH)
        if isinstance(sha256, str) and isinstance(length, int):
            return Digest(sha256, length)
    return None


def ids(span: Span | None) -> dict[str, Any]:
    """Where a step that is read from the span stands in the trace."""
    return {"trace_id": span.trace_id, "span_id": span.span_id} if span else {}


def error(span: Span) -> str | None:
    """What went wrong in an iteration, a call or a part: its error, or that it was stopped."""
    if span.error is not None:
        return span.error or str(span.attributes.get(names.ERROR_TYPE) or names.OUTCOME_ERROR)
    return text(span, names.ITERATION_OUTCOME)


def merit(span: Span) -> tuple[bool, int, str]:
    """Of several attempts the first that ended well is best: what has been told of it stays as it is. While none has,
    the latest."""
    ended_well = span.end > 0 and error(span) is None
    return ended_well, -span.end if ended_well else span.start, span.span_id
