"""How long sessions are kept, and how much room they may take: what ``OTEL_EXPORTER_PROV_RETENTION`` says."""

from __future__ import annotations

import contextlib
import re
from datetime import timedelta
from typing import Final, NamedTuple

from otel_prov.environment import OTEL_EXPORTER_PROV_RETENTION, misread, variable

__all__ = ["AGE", "Retention", "age", "configured", "read", "size"]

AGE: Final = re.compile(r"(\d+) ?([smhdw])", re.ASCII)
"""How an age is written."""

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?) ?(?:([kmgt])(i?))?b?", re.ASCII | re.IGNORECASE)
_POWERS: Final = {None: 0, "k": 1, "m": 2, "g": 3, "t": 4}


class Retention(NamedTuple):
    """Which sessions are kept no longer; ``None`` where that doesn't matter."""

    older_than: timedelta | None = None
    max_bytes: int | None = None


def age(text: str) -> timedelta:
    """``30d``, ``2h``; units s, m, h, d, w. Raises ``ValueError``."""
    if match := AGE.fullmatch(text.strip()):
        with contextlib.suppress(OverflowError):
            return timedelta(seconds=int(match[1]) * _SECONDS[match[2]])
    raise ValueError(f"{text!r} is no age; write it like 30d, 12h or 90m")


def size(text: str) -> int:
    """Bytes: ``1GB`` is 10**9, ``1GiB`` 2**30. Raises ``ValueError``."""
    if match := _SIZE.fullmatch(text.strip()):
        number, prefix, binary = match.groups()
        with contextlib.suppress(OverflowError):
            return int(float(number) * (1024 if binary else 1000) ** _POWERS[prefix and prefix.lower()])
    raise ValueError(f"{text!r} is no size; write it like 1GB, 500MB or 2GiB")


def configured() -> Retention | None:
    """What the variable says; ``None`` where it is unset, or can't be understood, which is said once in the log."""
    value = variable(OTEL_EXPORTER_PROV_RETENTION)
    if not value:
        return None
    try:
        return read(value)
    except ValueError:
        misread(OTEL_EXPORTER_PROV_RETENTION, value, "no age like 30d and no size like 10GiB", "no limit")
        return None


def read(text: str) -> Retention:
    """An age, a size, or both, separated by commas. Raises ``ValueError``."""
    retention = Retention()
    for part in text.split(","):
        if AGE.fullmatch(part.strip()):  # m are minutes; megabytes are M, or MB
            retention = retention._replace(older_than=age(part))
        elif part.strip().isdecimal():
            raise ValueError(f"{part} has no unit")
        else:
            retention = retention._replace(max_bytes=size(part))
    return retention
