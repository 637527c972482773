"""OpenTelemetry's limits of attributes, events and links: the SDK can't even be imported with one that is no number."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Final

from otel_prov.environment import misread

__all__ = ["good_limits"]

_LIMIT: Final = re.compile(r"OTEL_(\w+_)?(ATTRIBUTE|EVENT|LINK)_(COUNT|VALUE_LENGTH)_LIMIT")


@contextlib.contextmanager
def good_limits() -> Iterator[None]:
    """Meanwhile, a limit that makes no sense is not set; it is said once in the log."""
    bad = {name: value for name, value in os.environ.items() if _LIMIT.fullmatch(name) and not _is_good(value)}
    for name, value in bad.items():
        misread(name, value, "no whole number from 0", "the default")
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(bad)


def _is_good(value: str) -> bool:
    """As the SDK reads it: a number from 0, or nothing."""
    try:
        return not value.strip() or int(value) >= 0
    except ValueError:
        return False
