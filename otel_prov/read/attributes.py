"""What the attributes of spans say."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from otel_prov.read.spans import Span

__all__ = ["first", "text", "time"]

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
