"""What is said of a session to a person, line by line; how it is drawn is :mod:`otel_prov.show.page`'s business."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from otel_prov.show.document import parsed
from otel_prov.show.iterations import Call, Iteration, iterations
from otel_prov.show.links import span_url, trace_url
from otel_prov.show.times import lasted, seconds
from otel_prov.steps import Conclusion, Session

__all__ = ["OUTCOME_STYLES", "RUNNING", "WAITING", "Row", "Section", "acts", "ending", "head", "whole"]

RUNNING = "running"
INTERRUPTED = "interrupted"
WAITING = "waiting"

OUTCOME_STYLES = {
    "final": "green",
    "error": "red",
    "cancelled": "yellow",
    "max_iterations": "yellow",
    "abandoned": "yellow",
    RUNNING: "cyan",
    INTERRUPTED: "magenta",
    WAITING: "cyan",
}
_OUTCOME_MEANS = {
    "error": "an exception ended it",
    "cancelled": "it was told to stop",
    "max_iterations": "it gave up at its limit of iterations",
    "abandoned": "the reader of its output stopped early",
    RUNNING: "it goes on",
    INTERRUPTED: "its process ended before the session did",
    WAITING: "it was handed on, or left without an answer; no process here has it open",
}
_MISSING = {RUNNING: "(none yet)", INTERRUPTED: "(none: the session was interrupted here)"}
_NOT_RECORDED = "(not recorded)"


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled text."""

    label: str
    text: str
    style: str = ""
    link: str | None = None
    """Page that a terminal opens for it."""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that belong together, under a title."""

    title: str
    rows: tuple[Row, ...]


def whole(session: Session) -> Iterator[Section]:
    """Everything about a session, from the question to the answer."""
    yield Section("", (*head(session).rows, *ending(session).rows))
    yield from acts(session, missing=_MISSING.get(session.outcome or ""))


def head(session: Session) -> Section:
    """What is known when a session starts."""
    question = session.question
    about = [
        Row("Question", _NOT_RECORDED if question.text is None else question.text, "bold"),
        Row("Agent", ", ".join(filter(None, [session.agent, session.model]))),
        Row("User", session.user or ""),
        Row("Collection", session.collection or ""),
        Row("Session", session.uri),
        Row("Trace", session.trace_id or ""),
        Row("See it at", trace_url(session) or ""),
        Row("Started", question.started.astimezone().isoformat(" ", "seconds") if question.started else ""),
    ]
    return Section("", tuple(row for row in about if row.text or row.label == "Question"))


def ending(session: Session) -> Section:
    """How a session ended, or that it hasn't; nothing where that isn't known, as for many imported ones."""
    duration = lasted(seconds(session.question.started, session.ended))
    rows = [Row("Duration", duration)] if duration else []
    if outcome := session.outcome:
        means = _OUTCOME_MEANS.get(outcome)
        rows.append(Row("Outcome", f"{outcome}: {means}" if means else outcome, OUTCOME_STYLES.get(outcome, "")))
    return Section("", tuple(rows))


def acts(session: Session, missing: str | None = None) -> Iterator[Section]:
    """The iterations, then the conclusion. ``missing`` stands where the last iteration waits for a tool."""
    known = iterations(session)
    for iteration in known:
        gap = missing if iteration is known[-1] else None
        rows = [] if iteration.thought is None else [Row("Thought", iteration.thought)]
        rows += _call(iteration.first, "", gap)
        for position, call in enumerate(iteration.further, start=2):
            rows += _call(call, f" {position}", gap)
        yield Section(f"Iteration {iteration.number}", (*rows, *_spans(iteration)))
    if rows := _last_words(session):
        yield Section("Conclusion" if session.conclusion else "End", tuple(rows))


def _last_words(session: Session) -> list[Row]:
    rows: list[Row] = []
    if (conclusion := session.conclusion) is not None:
        if conclusion.thought is not None:
            rows.append(Row("Thought", conclusion.thought))
        rows.append(Row("Answer", _NOT_RECORDED if conclusion.answer is None else conclusion.answer, "bold"))
        if conclusion.span_id != session.question.span_id:  # it was reached in another process
            rows += _span("Span", conclusion)
    if session.error is not None:
        rows.append(Row("Error", session.error, "red"))
    return rows


def _spans(iteration: Iteration) -> Iterator[Row]:
    """Where it stands in the trace, and its tool calls, where that is another place."""
    yield from _span("Span", iteration)
    for position, call in enumerate((iteration.first, *iteration.further), start=1):
        if call.span_id != iteration.span_id:
            yield from _span("Tool span" if position == 1 else f"Tool span {position}", call)


def _span(label: str, told: Iteration | Call | Conclusion) -> Iterator[Row]:
    if told.span_id and (url := span_url(told.trace_id, told.span_id)):
        yield Row(label, told.span_id, "dim", url)


def _call(call: Call, suffix: str, gap: str | None) -> list[Row]:
    texts = [
        ("Action", call.action, "cyan"),
        ("Arguments", _readable(call.arguments), ""),
        ("Observation", call.observation, ""),
        ("Error", call.error, "red"),
    ]
    rows = [Row(label + suffix, text, style) for label, text, style in texts if text is not None]
    if gap and call.action is not None and call.observation is None and call.error is None:
        rows.append(Row("Observation" + suffix, gap, "yellow"))
    return rows


def _readable(arguments: str | None) -> str | None:
    """Arguments for the eye: a line for each, strings without quotes and with their line breaks."""
    value = parsed(arguments)
    if not isinstance(value, dict) or not value:
        return arguments
    return "\n".join(f"{name}:{_plain(argument)}" for name, argument in value.items())


def _plain(value: object) -> str:
    if not isinstance(value, str):
        return " " + json.dumps(value, ensure_ascii=False)
    return "\n  ".join(["", *value.split("\n")]) if "\n" in value else " " + value
