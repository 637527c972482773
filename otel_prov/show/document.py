"""Sessions as JSON values. Their keys are an interface: programs rely on them."""

from __future__ import annotations

import json
from typing import Any

from otel_prov.keep import Summary
from otel_prov.show.iterations import Call, Iteration, iterations
from otel_prov.show.links import span_url, trace_url
from otel_prov.show.times import iso, seconds
from otel_prov.steps import Conclusion, Question, Session

__all__ = ["listed", "parsed", "session_document"]


def listed(summary: Summary) -> dict[str, Any]:
    """A session in ``list --json``."""
    return {
        "uri": summary.uri,
        "type": summary.type,
        "question": summary.question,
        "started": iso(summary.started),
        "ended": iso(summary.ended),
        "outcome": summary.outcome,
        "iterations": summary.iterations,
        "duration": seconds(summary.started, summary.ended),
        "collection": summary.collection,
        "agent": summary.agent,
    }


def session_document(session: Session) -> dict[str, Any]:
    """A whole session in ``show --format json``."""
    conclusion = session.conclusion or Conclusion()
    return {
        "uri": session.uri,
        "type": "agent",
        "question": session.question.text,
        "started": iso(session.question.started),
        "ended": iso(session.ended),
        "outcome": session.outcome,
        "agent": session.agent,
        "model": session.model,
        "user": session.user,
        "collection": session.collection,
        "trace_id": session.trace_id,
        "trace_url": trace_url(session),
        "span": _span(session.question),
        "iterations": [
            {"number": iteration.number, "thought": iteration.thought, "span": _span(iteration)}
            | _call(iteration.first)
            | ({"calls": [_call(call) for call in iteration.further]} if iteration.further else {})
            for iteration in iterations(session)
        ],
        "thought": conclusion.thought,
        "answer": conclusion.answer,
        "answer_span": _span(conclusion),
        "error": session.error,
    }


def parsed(text: str | None) -> Any:
    """The value of a JSON text; the text itself where it isn't JSON, or is what strict JSON can't say (``NaN``)."""
    if text is None:
        return None
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False, indent=2)
    except (ValueError, RecursionError):
        return text
    return value


def _call(call: Call) -> dict[str, Any]:
    return {
        "action": call.action,
        "arguments": parsed(call.arguments),
        "observation": call.observation,
        "error": call.error,
        "observation_span": _span(call),
    }


def _span(told: Question | Iteration | Call | Conclusion) -> dict[str, Any] | None:
    """Where something stands in OpenTelemetry's traces."""
    if told.span_id is None:
        return None
    return {"trace_id": told.trace_id, "span_id": told.span_id, "url": span_url(told.trace_id, told.span_id)}
