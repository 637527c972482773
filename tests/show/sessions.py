"""Small sessions of our own: as steps, and as the OTLP/JSON lines of a program that traces itself."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

from otel_prov import names
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session

STARTED = datetime(2026, 11, 2, 14, 3, 5, 250000, tzinfo=timezone.utc)
PARSERS = {"nquads": "nquads", "trig": "trig", "turtle": "turtle", "jsonld": "json-ld", "ntriples": "nt"}
"""What rdflib calls the formats."""


def an_id(number: int) -> str:
    """A session's id; ids differ in their first eight digits."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def uri(number: int) -> str:
    """The URI of the session with this id."""
    return f"urn:trustgraph:agent:{an_id(number)}"


def a_session(number: int = 1, **more: object) -> Session:
    """A session in which everything happens once."""
    started = STARTED + timedelta(hours=number)
    facts = {
        "collection": "default",
        "agent": "librarian",
        "user": "ann",
        "model": "rules",
        "trace_id": f"{number:032x}",
        "ended": started + timedelta(seconds=4.25),
        "outcome": "final",
        "steps": (
            Question("How many books are overdue, and whose?", started),
            Analysis(1, "The loans tell.", "read_loans", '{"overdue": true, "limit": 10}'),
            Observation(1, "Emma, due 1 October\nIvanhoe, due 3 October"),
            Analysis(2, "I need both readers.", "reader", '{"book": "Emma"}'),
            Observation(2, "Ms Woodhouse"),
            Observation(2, error="KeyError: 'Ivanhoe'", call=2, action="reader", arguments='{"book": "Ivanhoe"}'),
            Conclusion("Two: Emma (Ms Woodhouse) and Ivanhoe (unknown).", "One reader is enough to answer."),
        ),
    }
    return Session(uri(number), **{**facts, **more})  # type: ignore[arg-type]


_ATTRIBUTES = {
    "question": names.SESSION_QUESTION,
    "answer": names.SESSION_ANSWER,
    "outcome": names.SESSION_OUTCOME,
    "iteration": names.ITERATION_NUMBER,
    "thought": names.ITERATION_THOUGHT,
    "action": names.ITERATION_ACTION,
    "arguments": names.ITERATION_ARGUMENTS,
    "observation": names.ITERATION_OBSERVATION,
    "tool": names.TOOL_NAME,
    "result": names.TOOL_RESULT,
}


def line(
    span_id: int,
    name: str,
    *,
    number: int = 1,
    trace: int | None = None,
    begin: datetime = STARTED,
    end: int = 0,
    **attributes: object,
) -> bytes:
    """A span of session ``number`` as a line of OTLP/JSON; it still runs while it has no ``end``, in seconds.

    Its trace has the session's number, unless ``trace`` is another.
    """
    start = int(begin.timestamp() * 10**6) * 10**3
    values = {names.SESSION_ID: an_id(number), names.OPERATION_NAME: name}
    values |= {_ATTRIBUTES[key]: value for key, value in attributes.items()}
    span = {
        "traceId": f"{trace or number:032x}",
        "spanId": f"{span_id:016x}",
        "name": name,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + end * 10**9 if end else 0),
        "attributes": [
            {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
            for key, value in values.items()
        ],
    }
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode() + b"\n"
