"""Our own dialect: the spans of :mod:`otel_prov.instrument`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from otel_prov import names
from otel_prov.read.spans import Span
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

__all__ = ["read_session", "session_of"]

_SETTLED = (names.OUTCOME_FINAL, names.OUTCOME_MAX_ITERATIONS)
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def session_of(span: Span) -> str | None:
    """IRI of the span's session, by its ``agent.session.id``."""
    session_id = span.attributes.get(names.SESSION_ID)
    return names.session_uri(session_id) if isinstance(session_id, str) else None


def read_session(uri: str, spans: Sequence[Span]) -> Session:
    """The session that these spans, each given once, tell of.

    A session that went on in another process has a session span from each. Its beginning is that of one which didn't
    continue it; where that is in another store, there is no telling when it began.
    """
    spans = sorted(spans, key=lambda span: (span.start, span.span_id))
    runs = [span for span in spans if span.attributes.get(names.OPERATION_NAME) == names.INVOKE_AGENT]
    first = next((run for run in runs if names.SESSION_CONTINUES not in run.attributes), None)
    last = _last(runs)
    answer = _first([*([last] if last else []), *reversed(runs)], names.SESSION_ANSWER)
    outcome = _text(last, names.SESSION_OUTCOME) if last else None

    steps: list[Step] = []
    if runs:
        steps.append(Question(_first(runs, names.SESSION_QUESTION), _time(first.start) if first else None))
    steps += _iterations(spans)
    if answer is not None or outcome == names.OUTCOME_FINAL:
        steps.append(Conclusion(answer, _closing_thought(steps)))

    return Session(
        uri,
        tuple(steps),
        collection=_first(spans, names.COLLECTION),
        agent=_first(runs, names.AGENT_NAME),
        user=_first(spans, names.USER),
        model=_first(runs, names.REQUEST_MODEL),
        trace_id=(runs or spans)[0].trace_id,
        ended=_time(last.end) if last and last.end else None,
        outcome=outcome,
        error=last.error if last else None,
    )


def _last(runs: Sequence[Span]) -> Span | None:
    """The session span that says how the session ended; ``None`` while it goes on.

    The first answer stays, though a message that was delivered twice has other processes do the same once more. An
    error, or whatever else stopped a process, stays until another takes the session up again.
    """
    settled = [run for run in runs if _text(run, names.SESSION_OUTCOME) in _SETTLED]
    last = max(settled, key=_merit) if settled else runs[-1] if runs else None
    return last if last and _text(last, names.SESSION_OUTCOME) else None


def _iterations(spans: Sequence[Span]) -> list[Step]:
    """Analyses and observations, by number."""
    cycles: dict[int, list[Span]] = {}
    calls: dict[int, list[Span]] = {}
    for span in spans:
        number = span.attributes.get(names.ITERATION_NUMBER)
        if isinstance(number, int):
            is_call = span.attributes.get(names.OPERATION_NAME) == names.EXECUTE_TOOL
            (calls if is_call else cycles).setdefault(number, []).append(span)
    steps: list[Step] = []
    for number in sorted(cycles.keys() | calls.keys()):
        steps += _iteration(number, cycles.get(number, []), calls.get(number, []))
    return steps


def _iteration(number: int, cycles: Sequence[Span], calls: Sequence[Span]) -> list[Step]:
    """One iteration: what its span says, completed by the tool calls inside it.

    The call of the tool that the iteration names (the earliest, where it names none) is the iteration's own. An
    iteration that was tried more than once, as its message was delivered twice, has a span of each attempt: what the
    best one says counts, and only what it doesn't know is taken from the others.
    """
    if len(cycles) > 1:
        cycles = sorted(cycles, key=_merit, reverse=True)
    if len(calls) > 1:
        calls = _of_one_attempt(cycles, calls)
    action = _first(cycles, names.ITERATION_ACTION)
    own = next((call for call in calls if action in (None, _text(call, names.TOOL_NAME))), None)
    first = [own] if own else []

    analysis = Analysis(
        number,
        thought=_first(cycles, names.ITERATION_THOUGHT),
        action=action if action is not None else _first(first, names.TOOL_NAME),
        arguments=_either(_first(cycles, names.ITERATION_ARGUMENTS), _first(first, names.TOOL_ARGUMENTS)),
    )
    observation = Observation(
        number,
        text=_either(_first(cycles, names.ITERATION_OBSERVATION), _first(first, names.TOOL_RESULT)),
        error=_error(own) if own else None,
    )
    further = [
        Observation(
            number,
            text=_text(call, names.TOOL_RESULT),
            error=_error(call),
            call=position,
            action=_text(call, names.TOOL_NAME),
            arguments=_text(call, names.TOOL_ARGUMENTS),
        )
        for position, call in enumerate((call for call in calls if call is not own), start=2)
    ]
    if all(step.error is None for step in [observation, *further]) and cycles:
        observation = Observation(number, observation.text, _error(cycles[0]))
    if observation.text is None and observation.error is None:
        return [analysis, *further]
    return [analysis, observation, *further]


def _merit(span: Span) -> tuple[bool, int, str]:
    """Of several attempts the first that ended well is best: what has been told of it stays as it is. While none has,
    the latest."""
    ended_well = span.end > 0 and _error(span) is None
    return ended_well, -span.end if ended_well else span.start, span.span_id


def _of_one_attempt(cycles: Sequence[Span], calls: Sequence[Span]) -> Sequence[Span]:
    """The calls of the best attempt at an iteration that made any."""
    by_id = {call.span_id: call for call in calls}
    attempts: dict[str, list[Span]] = {}
    for call in calls:
        parent, seen = call.parent_id, {call.span_id}
        while parent in by_id and parent not in seen:  # a tool that another one calls
            seen.add(parent)
            parent = by_id[parent].parent_id
        attempts.setdefault(parent, []).append(call)
    if len(attempts) < 2:
        return calls
    best = next((cycle.span_id for cycle in cycles if cycle.span_id in attempts), None)
    return attempts[best] if best is not None else max(attempts.values(), key=lambda each: max(map(_merit, each)))


def _closing_thought(steps: list[Step]) -> str | None:
    """Take the last iteration off the steps if all it did was think, and give its thought: it is the conclusion's."""
    if steps and isinstance(last := steps[-1], Analysis) and last.action is None and last.arguments is None:
        steps.pop()
        return last.thought
    return None


def _error(span: Span) -> str | None:
    """What went wrong in an iteration or a call: its error, or that it was stopped."""
    if span.error is not None:
        return span.error or str(span.attributes.get(names.ERROR_TYPE) or names.OUTCOME_ERROR)
    return _text(span, names.ITERATION_OUTCOME)


def _first(spans: Sequence[Span], attribute: str) -> str | None:
    """The attribute's value on the first span that has it."""
    return next((text for span in spans if (text := _text(span, attribute)) is not None), None)


def _text(span: Span, attribute: str) -> str | None:
    value: Any = span.attributes.get(attribute)
    return None if value is None else str(value)


def _either(text: str | None, otherwise: str | None) -> str | None:
    return otherwise if text is None else text


def _time(nanoseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=nanoseconds // 1000)
