"""Sessions as JSON values. Their keys are an interface: programs rely on them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from otel_prov.keep import Summary
from otel_prov.names import AGENT
from otel_prov.show import plans
from otel_prov.show.iterations import Call, Iteration, iterations
from otel_prov.show.links import span_url, trace_url
from otel_prov.show.times import iso, seconds
from otel_prov.steps import Conclusion, Exploration, Focus, Grounding, Question, Session, Synthesis

if TYPE_CHECKING:
    from otel_prov.show.nested import Places, Tree

__all__ = ["listed", "parsed", "session_document"]


def listed(summary: Summary) -> dict[str, Any]:
    """A session in ``list --json``."""
    return {
        "uri": summary.uri,
        "type": summary.type,
        "pattern": summary.pattern,
        "question": summary.question,
        "started": iso(summary.started),
        "ended": iso(summary.ended),
        "outcome": summary.outcome,
        "iterations": summary.iterations,
        "duration": seconds(summary.started, summary.ended),
        "collection": summary.collection,
        "agent": summary.agent,
    }


def session_document(tree: Tree) -> dict[str, Any]:
    """A whole session in ``show --format json``, with those inside of it."""
    session, places = tree.session, tree.by_place()
    return {
        "uri": session.uri,
        "type": session.kind,
        **({} if session.pattern is None else {"pattern": session.pattern}),
        "question": session.question.text,
        "started": iso(session.question.started),
        "ended": iso(session.ended),
        "outcome": session.outcome,
        "agent" if session.kind == AGENT else "source": session.agent,
        "version": session.version,
        "model": session.model,
        "user": session.user,
        "collection": session.collection,
        "trace_id": session.trace_id,
        "trace_url": trace_url(session),
        "span": _span(session.question),
        **({} if session.caller is None else {"caller": session.caller}),
        **(_run(session, places) if session.kind == AGENT else _retrieval(session)),
        "answer": session.answer,
        "answer_span": _span(session.conclusion or next(session.of(Synthesis), Synthesis())),
        "error": session.error,
        **_inside(places, (0, 1)),
    }


def _run(session: Session, places: Places) -> dict[str, Any]:
    found = []
    for each in iterations(session):
        first, *further = ({**_call(call), **_inside(places, (each.number, call.number))} for call in each.calls)
        calls = {**first, **({"calls": further} if further else {})}
        told = {"number": each.number, "thought": each.thought, **_uses(each), **_thinking(each), "span": _span(each)}
        found.append({**told, **calls})
    conclusion = session.conclusion or Conclusion()
    parts = plans.document(session, {place: _inside(places, place) for place in places})
    usage = {} if conclusion.usage is None else {"usage": asdict(conclusion.usage)}
    return {**parts, "iterations": found, "thought": conclusion.thought, **_uses(conclusion), **usage}


def _thinking(each: Iteration) -> dict[str, Any]:
    """What an iteration is for, what it could choose from, and what that took; as far as that is known."""
    known = {
        "within": each.within,
        "candidates": list(each.candidates) or None,
        "usage": None if each.usage is None else asdict(each.usage),
    }
    return {name: value for name, value in known.items() if value is not None}


def _uses(by: Iteration | Conclusion) -> dict[str, list[int]]:
    """The iterations whose results were used, where that was told; and those that were seen to be."""
    found = {} if by.uses is None else {"uses": list(by.uses)}
    return found if by.detected is None else {**found, "uses_detected": list(by.detected)}


def _retrieval(session: Session) -> dict[str, Any]:
    explored = next(session.of(Exploration), Exploration())
    return {
        "concepts": [concept for step in session.of(Grounding) for concept in step.concepts],
        "edges": explored.edges,
        "entities": list(explored.entities),
        "chunks": explored.chunks,
        "chunk_ids": list(explored.chunk_ids),
        "selected": [asdict(selection) for step in session.of(Focus) for selection in step.selections],
    }


def _inside(places: Places, place: plans.Place) -> dict[str, Any]:
    found = places.get(place)
    return {"sub_traces": [session_document(each) for each in found]} if found else {}


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
        **({} if call.sub_trace is None else {"sub_trace": call.sub_trace}),
        "observation_span": _span(call),
    }


def _span(told: Question | Iteration | Call | Conclusion | Synthesis) -> dict[str, Any] | None:
    """Where something stands in OpenTelemetry's traces."""
    if told.span_id is None:
        return None
    return {"trace_id": told.trace_id, "span_id": told.span_id, "url": span_url(told.trace_id, told.span_id)}
