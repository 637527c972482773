"""Our own dialect: the spans of :mod:`otel_prov.instrument`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from otel_prov import names
from otel_prov.read.attributes import first, text, time
from otel_prov.read.retrieval import kind_of
from otel_prov.read.spans import Span
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

__all__ = ["read_session", "session_of"]


def session_of(span: Span) -> str | None:
    """IRI of the span's session, or of the retrieval that it is, by its ``agent.session.id``."""
    session_id = span.attributes.get(names.SESSION_ID)
    return names.session_uri(session_id, kind_of(span) or names.AGENT) if isinstance(session_id, str) else None


def read_session(uri: str, spans: Sequence[Span]) -> Session:
    """The session that these spans, each given once, tell of.

    A session that went on in another process has a session span from each; the one that came to an outcome counts.
    """
    spans = sorted(spans, key=lambda span: (span.start, span.span_id))
    runs = [span for span in spans if span.attributes.get(names.OPERATION_NAME) == names.INVOKE_AGENT]
    last = next((run for run in reversed(runs) if text(run, names.SESSION_OUTCOME)), None)
    answer = first(runs[::-1], names.SESSION_ANSWER)
    outcome = text(last, names.SESSION_OUTCOME) if last else None

    steps: list[Step] = []
    if runs:
        steps.append(Question(first(runs, names.SESSION_QUESTION), time(runs[0].start)))
    steps += _iterations(spans)
    if answer is not None or outcome == names.OUTCOME_FINAL:
        steps.append(Conclusion(answer, _closing_thought(steps)))

    return Session(
        uri,
        tuple(steps),
        caller=first(runs, names.SESSION_CALLER),
        collection=first(spans, names.COLLECTION),
        agent=first(runs, names.AGENT_NAME),
        user=first(spans, names.USER),
        model=first(runs, names.REQUEST_MODEL),
        trace_id=(runs or spans)[0].trace_id,
        ended=time(last.end) if last and last.end else None,
        outcome=outcome,
        error=last.error if last else None,
    )


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
    iteration that was delivered twice has two spans; what the later one says counts.
    """
    cycles = cycles[::-1]
    action = first(cycles, names.ITERATION_ACTION)
    own = next((call for call in calls if action in (None, text(call, names.TOOL_NAME))), None)
    mine = [own] if own else []

    analysis = Analysis(
        number,
        thought=first(cycles, names.ITERATION_THOUGHT),
        action=action if action is not None else first(mine, names.TOOL_NAME),
        arguments=_either(first(cycles, names.ITERATION_ARGUMENTS), first(mine, names.TOOL_ARGUMENTS)),
    )
    observation = Observation(
        number,
        text=_either(first(cycles, names.ITERATION_OBSERVATION), first(mine, names.TOOL_RESULT)),
        error=_error(own) if own else None,
        sub_trace=first([*mine, *cycles], names.SUB_TRACE),
    )
    further = [
        Observation(
            number,
            text=text(call, names.TOOL_RESULT),
            error=_error(call),
            call=position,
            action=text(call, names.TOOL_NAME),
            arguments=text(call, names.TOOL_ARGUMENTS),
            sub_trace=text(call, names.SUB_TRACE),
        )
        for position, call in enumerate((call for call in calls if call is not own), start=2)
    ]
    if all(step.error is None for step in [observation, *further]) and cycles:
        observation = replace(observation, error=_error(cycles[0]))
    if observation == Observation(number):
        return [analysis, *further]
    return [analysis, observation, *further]


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
    return text(span, names.ITERATION_OUTCOME)


def _either(text: str | None, otherwise: str | None) -> str | None:
    return otherwise if text is None else text
