"""Where else a session and its steps can be seen."""

from __future__ import annotations

import re
from typing import Final

from otel_prov.environment import OTEL_EXPORTER_PROV_TRACE_URL, misread, variable
from otel_prov.steps import Session

__all__ = ["JAEGER", "makes_sense", "span_url", "template", "trace_url"]

JAEGER: Final = "http://localhost:16686/trace/{trace_id}?uiFind={span_id}"
"""Where a Jaeger of this machine shows a trace, and in it a span (Jaeger UI, "Copy deep link to this span")."""

_TRACE: Final = "{trace_id}"
_SPAN: Final = "{span_id}"
_WHICH_SPAN: Final = re.compile(r"(?<=[?&])[^?&#=]+=\{span_id\}(&|(?=#)|$)")
_EMPTY_QUERY: Final = re.compile(r"[?&](?=#|$)")


def trace_url(session: Session) -> str | None:
    """The page that shows the session's trace; ``None`` where its trace isn't known, or no page is to be named.

    A parameter that only names a span is left out; where it stands elsewhere, it is the session's own span.
    """
    pattern = template()
    if not pattern or not session.trace_id:
        return None
    if _WHICH_SPAN.search(pattern):
        pattern = _EMPTY_QUERY.sub("", _WHICH_SPAN.sub("", pattern))
    span_id = session.question.span_id
    return None if _SPAN in pattern and not span_id else _filled(pattern, session.trace_id, span_id or "")


def span_url(trace_id: str | None, span_id: str | None) -> str | None:
    """The page that shows a step's span in its trace; ``None`` where either isn't known, or no page is to be named."""
    pattern = template()
    return _filled(pattern, trace_id, span_id) if pattern and trace_id and span_id else None


def template() -> str | None:
    """What ``OTEL_EXPORTER_PROV_TRACE_URL`` says; Jaeger's page where that is unset, or makes no sense."""
    value = variable(OTEL_EXPORTER_PROV_TRACE_URL)
    if not makes_sense(value):
        misread(OTEL_EXPORTER_PROV_TRACE_URL, value, f"no URL with {_TRACE} in it", JAEGER)
        return JAEGER
    return None if value.lower() == "none" else value or JAEGER


def makes_sense(value: str) -> bool:
    """Whether the variable may have this value."""
    return value.lower() in ("", "none") or ((_TRACE in value or _SPAN in value) and "://" in value)


def _filled(pattern: str, trace_id: str, span_id: str) -> str:
    return pattern.replace(_TRACE, trace_id).replace(_SPAN, span_id)
