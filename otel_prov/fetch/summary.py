"""What a list says of a session that was recognised in a graph, which has neither the agent's name nor the end."""

from __future__ import annotations

from otel_prov.keep import Summary
from otel_prov.names import OUTCOME_FINAL
from otel_prov.steps import Analysis, Observation, Session, Synthesis

__all__ = ["outcome", "summary"]


def outcome(session: Session) -> str | None:
    """``final`` where the session has a conclusion, or a retrieval its answer; else nothing is known."""
    return OUTCOME_FINAL if session.conclusion or any(session.of(Synthesis)) else None


def summary(session: Session, collection: str | None) -> Summary:
    """The session's row of a list."""
    return Summary(
        uri=session.uri,
        type=session.kind,
        pattern=session.pattern,
        question=session.question.text,
        started=session.question.started,
        ended=None,
        iterations=len({step.number for step in session.steps if isinstance(step, Analysis | Observation)}),
        outcome=outcome(session),
        collection=collection,
        agent=None,
        trace_id=None,
    )
