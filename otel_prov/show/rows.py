"""What is said of a session to a person, line by line; how it is drawn is :mod:`otel_prov.show.page`'s business."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise

from otel_prov.names import AGENT
from otel_prov.show import plans
from otel_prov.show.document import parsed
from otel_prov.show.iterations import Call, Iteration, iterations
from otel_prov.show.lines import NOT_RECORDED, Row, Section
from otel_prov.show.links import span_url, trace_url
from otel_prov.show.retrievals import stages
from otel_prov.show.terms import Name, short
from otel_prov.show.times import lasted, seconds
from otel_prov.steps import Conclusion, Question, Session, Synthesis

__all__ = ["GOES_ON", "OUTCOME_STYLES", "RUNNING", "WAITING", "acts", "ending", "head", "span"]

RUNNING = "running"
INTERRUPTED = "interrupted"
WAITING = "waiting"
GOES_ON = (RUNNING, WAITING)
"""Outcomes of sessions that have not ended."""

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
NOT_HERE = "(not here)"
MISSING = {RUNNING: "(none yet)", INTERRUPTED: "(none: the session was interrupted here)"}


def head(session: Session) -> Section:
    """What is known when a session starts."""
    question = session.question
    name = "Agent" if session.kind == AGENT else "Source"
    about = [
        Row("Question", NOT_RECORDED if question.text is None else question.text, "bold"),
        Row(name, ", ".join(filter(None, [_named(session), session.model]))),
        Row("Pattern", plans.pattern(session)),
        Row("User", session.user or ""),
        Row("Collection", session.collection or ""),
        Row("Session", session.uri),
        Row("Called by", session.caller or ""),
        Row("Trace", session.trace_id or ""),
        Row("See it at", trace_url(session) or ""),
        Row("Started", question.started.astimezone().isoformat(" ", "seconds") if question.started else ""),
    ]
    return Section("", tuple(row for row in about if row.text or row.label == "Question"))


def _named(session: Session) -> str | None:
    """The agent, with its version."""
    return " ".join(filter(None, [session.agent, session.version])) or None


def ending(session: Session) -> Section:
    """How a session ended, or that it hasn't; nothing where that isn't known, as for many imported ones."""
    duration = lasted(seconds(session.question.started, session.ended))
    rows = [Row("Duration", duration)] if duration else []
    if outcome := session.outcome:
        means = _OUTCOME_MEANS.get(outcome)
        rows.append(Row("Outcome", f"{outcome}: {means}" if means else outcome, OUTCOME_STYLES.get(outcome, "")))
    return Section("", tuple(rows))


def acts(
    session: Session,
    inner: Mapping[plans.Place, list[Row]] | None = None,
    name: Name = short,
    *,
    live: bool = False,
) -> Iterator[Section]:
    """The iterations, then the conclusion; of a retrieval its stages.

    Args:
        session: The session.
        inner: What ran inside of tool calls, steps and parts of the work, by their place.
        name: Calls terms of knowledge graphs.
        live: Whether what is missing is waited for, so that nothing is said in its place, and nothing that may still
            come to stand elsewhere: a last iteration that only thought may turn out to be the conclusion's.
    """
    found = list(_acts(session, None if live else MISSING.get(session.outcome or ""), inner or {}, name))
    if live and session.kind == AGENT and found and {row.label for row in found[-1].rows} <= {"Thought", "Span"}:
        found.pop()
    yield from found


def _acts(
    session: Session, missing: str | None, inner: Mapping[plans.Place, list[Row]], name: Name
) -> Iterator[Section]:
    if outside := inner.get((0, 1)):
        yield Section("Inside", tuple(outside))
    if session.kind != AGENT:
        yield from stages(session, missing, name)
        return
    known = iterations(session)
    before = dict(pairwise([0, *(each.number for each in known)][::-1]))  # by number, that of the one before it
    for iteration in plans.in_order(session, known):
        if not isinstance(iteration, Iteration):
            yield plans.section(iteration, inner, missing)
            continue
        if session.outcome not in (RUNNING, WAITING):
            yield from _not_here(before[iteration.number] + 1, iteration.number - 1)
        gap = missing if iteration is known[-1] else None
        rows = [*plans.purpose(iteration)]
        rows += [] if iteration.thought is None else [Row("Thought", iteration.thought)]
        rows = rows if iteration.is_here else [Row("Thought", NOT_HERE, "yellow")]
        rows += _used(iteration.uses, iteration.detected)
        rows += _call(iteration.first, "", gap, inner.get((iteration.number, 1), []))
        for position, call in enumerate(iteration.further, start=2):
            rows += _call(call, f" {position}", gap, inner.get((iteration.number, call.number), []))
        yield Section(f"Iteration {iteration.number}", (*rows, *plans.took(iteration), *_spans(iteration)))
    if rows := _last_words(session):
        yield Section("Conclusion" if session.conclusion else "Synthesis" if session.answered else "End", tuple(rows))


def _not_here(first: int, last: int) -> Iterator[Section]:
    """Iterations of which nothing is known, though those behind them are."""
    if first <= last:
        title = f"Iteration {first}" if first == last else f"Iterations {first} to {last}"
        yield Section(title, (Row("", NOT_HERE, "yellow"),))


def _used(told: tuple[int, ...] | None, detected: tuple[int, ...] | None) -> list[Row]:
    """What was told to have been used, and what was seen to be."""
    rows = [] if told is None else [Row("Uses", _named_iterations(told) or "nothing that was seen before")]
    return rows + ([Row("Detected use", _named_iterations(detected))] if detected else [])


def _named_iterations(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"iteration {number}" for number in numbers)


def _last_words(session: Session) -> list[Row]:
    rows: list[Row] = []
    if (conclusion := session.conclusion) is not None:
        if conclusion.thought is not None:
            rows.append(Row("Thought", conclusion.thought))
        rows += _used(conclusion.uses, conclusion.detected)
        rows.append(Row("Answer", NOT_RECORDED if conclusion.answer is None else conclusion.answer, "bold"))
        if conclusion.span_id != session.question.span_id:  # it was reached in another process
            rows += span("Span", conclusion)
    elif (synthesis := next(session.of(Synthesis), None)) is not None:
        rows.append(Row("Answer", NOT_RECORDED if synthesis.text is None else synthesis.text, "bold"))
    if session.error is not None:
        rows.append(Row("Error", session.error, "red"))
    return rows


def _spans(iteration: Iteration) -> Iterator[Row]:
    """Where it stands in the trace, and its tool calls, where that is another place."""
    yield from span("Span", iteration)
    for position, call in enumerate((iteration.first, *iteration.further), start=1):
        if call.span_id != iteration.span_id:
            yield from span("Tool span" if position == 1 else f"Tool span {position}", call)


def span(label: str, told: Iteration | Call | Conclusion | Question) -> Iterator[Row]:
    """Where something stands in OpenTelemetry's traces, with the page that shows it."""
    if told.span_id and (url := span_url(told.trace_id, told.span_id)):
        yield Row(label, told.span_id, "dim", link=url)


def _call(call: Call, suffix: str, gap: str | None, inner: list[Row]) -> list[Row]:
    done = [("Action", call.action, "cyan"), ("Arguments", _readable(call.arguments), "")]
    seen = [("Observation", call.observation, ""), ("Error", call.error, "red")]
    rows = [Row(label + suffix, text, style) for label, text, style in done if text is not None]
    rows += inner
    rows += [Row(label + suffix, text, style) for label, text, style in seen if text is not None]
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
