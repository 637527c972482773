"""What destinations read from the environment: ``OTEL_EXPORTER_PROV_…``, each with one clear error line."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

__all__ = ["PREFIX", "file", "seconds", "shown", "text"]

PREFIX: Final = "OTEL_EXPORTER_PROV_"
"""What the names below go behind."""

_CREDENTIALS: Final = re.compile(r"(?<=://)[^/?#\s]*@")


def text(name: str) -> str:
    """The variable's value; empty where it is not set."""
    return os.environ.get(PREFIX + name, "").strip()


def seconds(name: str, default: float) -> float:
    """The variable as a number of seconds.

    Raises:
        ValueError: It is none, or not above 0 and up to a day.
    """
    value = text(name)
    try:
        number = float(value) if value else default
    except ValueError:
        number = -1.0
    if not 0 < number <= 86_400:
        raise ValueError(f"{PREFIX}{name}={value}: no number of seconds above 0 and up to 86400")
    return number


def file(name: str) -> str | None:
    """The file that the variable names; ``None`` where it is not set.

    Raises:
        ValueError: There is no such file.
    """
    value = text(name)
    if value and not Path(value).is_file():
        raise ValueError(f"{PREFIX}{name}={value}: there is no such file; name one, or leave the variable unset")
    return value or None


def shown(url: str) -> str:
    """A URL without the name and password in it, for messages."""
    return _CREDENTIALS.sub("", url)
