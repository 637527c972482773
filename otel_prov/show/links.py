"""Where else a session can be seen."""

from __future__ import annotations

from typing import Final

from otel_prov.environment import OTEL_EXPORTER_PROV_TRACE_URL, misread, variable
from otel_prov.steps import Session

__all__ = ["JAEGER", "makes_sense", "template", "trace_url"]

JAEGER: Final = "http://localhost:16686/trace/{trace_id}"
"""Where a Jaeger of this machine shows a trace."""

_ID: Final = "{trace_id}"


def trace_url(session: Session) -> str | None:
    """The page that shows the session's trace; ``None`` where its trace isn't known, or no page is to be named."""
    pattern = template()
    return pattern.replace(_ID, session.trace_id) if pattern and session.trace_id else None


def template() -> str | None:
    """What ``OTEL_EXPORTER_PROV_TRACE_URL`` says; Jaeger's page where that is unset, or makes no sense."""
    value = variable(OTEL_EXPORTER_PROV_TRACE_URL)
    if not makes_sense(value):
        misread(OTEL_EXPORTER_PROV_TRACE_URL, value, f"no URL with {_ID} in it", JAEGER)
        return JAEGER
    return None if value.lower() == "none" else value or JAEGER


def makes_sense(value: str) -> bool:
    """Whether the variable may have this value."""
    return value.lower() in ("", "none") or (_ID in value and "://" in value)
