"""From spans to steps. One module for each dialect; so far our own."""

from __future__ import annotations

from collections.abc import Iterable

from otel_prov.read import own
from otel_prov.read.nesting import nested
from otel_prov.read.retrieval import kind_of, read_retrieval
from otel_prov.read.spans import NotOtlp, Span, parse_line
from otel_prov.steps import Session

__all__ = ["NotOtlp", "Span", "newest", "parse_line", "read", "session_of"]


def session_of(span: Span) -> str | None:
    """IRI of the session that a span belongs to; ``None`` for a span that is neither an agent's nor a retrieval."""
    return own.session_of(span)


def newest(spans: Iterable[Span]) -> dict[tuple[str, str], Span]:
    """The one record of each span that tells most, by trace id and span id."""
    known: dict[tuple[str, str], Span] = {}
    for span in spans:
        key = (span.trace_id, span.span_id)
        known[key] = known[key].newer(span) if key in known else span
    return known


def read(spans: Iterable[Span]) -> list[Session]:
    """The sessions that spans tell of, of agents and of retrievals, by start time.

    Spans may come in any order and repeatedly; foreign ones are passed over.
    """
    sessions: dict[str, list[Span]] = {}
    for span in newest(spans).values():
        if (uri := session_of(span)) is not None:
            sessions.setdefault(uri, []).append(span)
    by_start = sorted(sessions.items(), key=lambda item: (min(span.start for span in item[1]), item[0]))
    return nested(_session(uri, members) for uri, members in by_start)


def _session(uri: str, spans: list[Span]) -> Session:
    return read_retrieval(uri, spans) if kind_of(spans[0]) else own.read_session(uri, spans)
