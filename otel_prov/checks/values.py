"""Variables with values that make no sense: said where the user looks, in the log of the program that records."""

from __future__ import annotations

from otel_prov import environment, retention
from otel_prov.environment import flag, headers, seconds
from otel_prov.losses import guarded

__all__ = ["LIBRARIAN_WAIT", "TIMEOUT", "tell_misread"]

TIMEOUT = 30.0
"""Default of ``OTEL_EXPORTER_PROV_TIMEOUT``."""
LIBRARIAN_WAIT = 120.0
"""Default of ``OTEL_EXPORTER_PROV_LIBRARIAN_WAIT``."""


@guarded(None, "variables not looked at")
def tell_misread() -> None:
    """Read those that only the worker will need, which has a log of its own: each that is wrong is said once."""
    seconds(environment.OTEL_EXPORTER_PROV_TIMEOUT, TIMEOUT)
    seconds(environment.OTEL_EXPORTER_PROV_LIBRARIAN_WAIT, LIBRARIAN_WAIT)
    flag(environment.OTEL_EXPORTER_PROV_LEAN, False)
    retention.configured()
    headers()
