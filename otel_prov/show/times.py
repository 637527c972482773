"""Points and lengths of time, as they are written."""

from __future__ import annotations

from datetime import datetime, timezone

__all__ = ["iso", "lasted", "local", "seconds", "short"]


def iso(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC with ``Z``, to the microsecond: for programs."""
    if moment is None:
        return None
    return moment.astimezone(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


def local(moment: datetime | None) -> str:
    """Date and time in the reader's zone, without its name."""
    return moment.astimezone().replace(tzinfo=None).isoformat(" ", "seconds") if moment else ""


def short(moment: datetime | None) -> str:
    """The time of today, or the date of another day, in the reader's zone."""
    if moment is None:
        return ""
    date, time = local(moment).split()
    return time if date == str(datetime.now().date()) else date


def seconds(started: datetime | None, ended: datetime | None) -> float | None:
    """From start to end; ``None`` where one is missing."""
    return (ended - started).total_seconds() if started and ended else None


def lasted(length: float | None) -> str:
    """A length of time for the eye, such as ``350ms``, ``4.2s``, ``2m05s``, ``1h02m``."""
    if length is None:
        return ""
    if length < 0.9995:
        return f"{length * 1000:.0f}ms"
    if length < 59.95:
        return f"{length:.1f}s"
    minutes, rest = divmod(round(length), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m" if hours else f"{minutes}m{rest:02}s"
