"""What destinations read from the environment: ``OTEL_EXPORTER_PROV_…``, each with one clear error line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from otel_prov.environment import PREFIX, variable

__all__ = ["PREFIX", "file", "shown", "text"]

_CREDENTIALS: Final = re.compile(r"(?<=://)[^/?#\s]*@")


def text(name: str) -> str:
    """The variable's value; empty where it is not set."""
    return variable(PREFIX + name)


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
