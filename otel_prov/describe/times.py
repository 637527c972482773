"""Times as they stand in the graph: plain literals in UTC, to the microsecond, ``2026-01-01T00:00:00.000000Z``."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Final

_ISO: Final = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2})(?::([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?)?)?)?)?"
    r" ?(?:[Zz]|([+-])([0-9]{2}):?([0-9]{2})?)?"
)


def written(time: datetime) -> str:
    """The time as TrustGraph writes it; a time without a zone is in UTC."""
    if time.tzinfo is timezone.utc:  # as nearly always
        return time.isoformat(timespec="microseconds").replace("+00:00", "Z")
    if time.tzinfo is not None:
        time = time.astimezone(timezone.utc).replace(tzinfo=None)
    return time.isoformat(timespec="microseconds") + "Z"


def parsed(text: str) -> datetime | None:
    """The time that an ISO 8601 text of any precision means, in UTC; ``None`` where it means none.

    Digits beyond the microsecond are cut off. A time without a zone is in UTC.
    """
    found = _ISO.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, sign, zone_hours, zone_minutes = found.groups()
    try:
        local = datetime(int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0))
        local = local.replace(microsecond=int((fraction or "0")[:6].ljust(6, "0")), tzinfo=timezone.utc)
        offset = timedelta(hours=int(zone_hours or 0), minutes=int(zone_minutes or 0))
        return local + offset if sign == "-" else local - offset
    except (ValueError, OverflowError):
        return None
