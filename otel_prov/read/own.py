"""Our own dialect: the spans of :mod:`otel_prov.instrument`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from otel_prov import names
from otel_prov.read import parts
from otel_prov.read.attributes import digest, end, error, first, ids, merit, milliseconds, text, time
from otel_prov.read.retrieval import kind_of
from otel_prov.read.spans import Span
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Observation,
    Plan,
    Question,
    Session,
    Step,
    Synthesis,
    Usage,
)

__all__ = ["read_session", "session_of"]

_SETTLED = (names.OUTCOME_FINAL, names.OUTCOME_MAX_ITERATIONS)


def session_of(span: Span) -> str | None:
    """IRI of the span's session, or of the retrieval that it is, by its ``agent.session.id``."""
    session_id = span.attributes.get(names.SESSION_ID)
    return names.session_uri(session_id, kind_of(span) or names.AGENT) if isinstance(session_id, str) else None


def read_session(uri: str, spans: Sequence[Span]) -> Session:
    """The session that these spans, each given once, tell of.

    A session that went on in another process has a session span from each. Its beginning is that of one which didn't
    continue it; where that is in another store, there is no telling when it began.
    """
    spans = sorted(spans, key=lambda span: (span.start, span.span_id))
    runs = [span for span in spans if span.attributes.get(names.OPERATION_NAME) == names.INVOKE_AGENT]
    beginning = next((run for run in runs if names.SESSION_CONTINUES not in run.attributes), None)
    last = _last(runs)
    tellers = [*([last] if last else []), *reversed(runs)]
    answer = first(tellers, names.SESSION_ANSWER)
    outcome = text(last, names.SESSION_OUTCOME) if last else None

    steps: list[Step] = []
    if runs:
        asked, started = first(runs, names.SESSION_QUESTION), time(beginning.start) if beginning else None
        steps.append(Question(asked, started, digest=digest(runs, names.SESSION_QUESTION), **ids(beginning or runs[0])))
    results, findings = parts.results(spans), parts.findings(spans)
    divided = [*parts.whole(Plan, runs, results), *parts.whole(Decomposition, runs, findings)]
    steps += [*parts.decision(runs), *divided, *_iterations(spans)]
    ending: list[Step] = [*results, *findings]
    if answer is not None or outcome == names.OUTCOME_FINAL:
        teller = next((run for run in tellers if names.SESSION_ANSWER in run.attributes), last)
        answered = Synthesis(answer) if divided else _conclusion(answer, steps, tellers)
        ending.append(replace(answered, digest=digest(tellers, names.SESSION_ANSWER), **ids(teller)))

    return Session(
        uri,
        (*steps, *ending),
        caller=first(runs, names.SESSION_CALLER),
        collection=first(spans, names.COLLECTION),
        agent=first(runs, names.AGENT_NAME),
        user=first(spans, names.USER),
        model=first(runs, names.REQUEST_MODEL),
        version=first(runs, names.AGENT_VERSION),
        trace_id=(runs or spans)[0].trace_id,
        ended=end(last) if last else None,
        outcome=outcome,
        error=last.error if last else None,
    )


def _last(runs: Sequence[Span]) -> Span | None:
    """The session span that says how the session ended; ``None`` while it goes on.

    The first answer stays, though a message that was delivered twice has other processes do the same once more. An
    error, or whatever else stopped a process, stays until another takes the session up again.
    """
    settled = [run for run in runs if text(run, names.SESSION_OUTCOME) in _SETTLED]
    last = max(settled, key=merit) if settled else runs[-1] if runs else None
    return last if last and text(last, names.SESSION_OUTCOME) else None


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
        cycles = sorted(cycles, key=merit, reverse=True)
    if len(calls) > 1:
        calls = _of_one_attempt(cycles, calls)
    action = first(cycles, names.ITERATION_ACTION)
    own = next((call for call in calls if action in (None, text(call, names.TOOL_NAME))), None)
    mine = [own] if own else []

    analysis = Analysis(
        number,
        thought=first(cycles, names.ITERATION_THOUGHT),
        action=action if action is not None else first(mine, names.TOOL_NAME),
        arguments=_either(first(cycles, names.ITERATION_ARGUMENTS), first(mine, names.TOOL_ARGUMENTS)),
        thought_digest=digest(cycles, names.ITERATION_THOUGHT),
        uses=_uses(cycles, before=number),
        within=parts.within([*cycles, *calls]),
        candidates=_candidates([*cycles, *calls]),
        usage=_usage(cycles),
        thinking_ms=_thinking_ms(cycles),
        detected=_detected([*cycles[:1], *calls], before=number),
        started=time(min(cycle.start for cycle in cycles)) if cycles else None,
        ended=_thought_until(cycles, own),
        **ids(next(iter([*cycles, *calls]), None)),
    )
    observation = Observation(
        number,
        text=_either(first(cycles, names.ITERATION_OBSERVATION), first(mine, names.TOOL_RESULT)),
        error=error(own) if own else None,
        sub_trace=first([*mine, *cycles], names.SUB_TRACE),
        digest=digest(cycles, names.ITERATION_OBSERVATION) or digest(mine, names.TOOL_RESULT),
        started=time(own.start) if own else None,
        ended=(until := _acted_until(cycles, own)),
        acting_ms=milliseconds(time(own.start), until) if own else None,
        **ids(next(iter([*mine, *cycles]), None)),
    )
    further = _further(number, [call for call in calls if call is not own])
    if all(step.error is None for step in [observation, *further]) and cycles:
        observation = replace(observation, error=error(cycles[0]))
    if not further and observation == Observation(number) and observation.digest is None:
        return [analysis]
    return [analysis, observation, *further]


def _further(number: int, calls: Sequence[Span]) -> list[Observation]:
    """What the tool calls of an iteration beside its own came back with, in the order of their starts."""
    return [
        Observation(
            number,
            text=text(call, names.TOOL_RESULT),
            error=error(call),
            call=position,
            action=text(call, names.TOOL_NAME),
            arguments=text(call, names.TOOL_ARGUMENTS),
            sub_trace=text(call, names.SUB_TRACE),
            digest=digest([call], names.TOOL_RESULT),
            started=time(call.start),
            ended=end(call),
            acting_ms=milliseconds(time(call.start), end(call)),
            **ids(call),
        )
        for position, call in enumerate(calls, start=2)
    ]


def _thought_until(cycles: Sequence[Span], own: Span | None) -> datetime | None:
    """When the iteration's thinking was over: as its call began, or as it ended without an action."""
    if own:
        return time(own.start)
    return end(cycles[0]) if cycles and names.ITERATION_ACTION not in cycles[0].attributes else None


def _acted_until(cycles: Sequence[Span], own: Span | None) -> datetime | None:
    """When the action was over: at the end of its call, at the latest when the iteration ended with an observation.

    Not known while the iteration goes on, which may still tell of another observation than its call did.
    """
    cycle = cycles[0] if cycles else None
    ends = [own.end] if own and own.end else []
    if cycle and _observed(cycle):
        ends.append(cycle.end)
    return time(min(ends)) if ends and (cycle is None or cycle.end) else None


def _observed(cycle: Span) -> bool:
    """Whether the iteration itself has told of an observation."""
    name = names.ITERATION_OBSERVATION
    return name in cycle.attributes or name + names.SHA256 in cycle.attributes


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
    return attempts[best] if best is not None else max(attempts.values(), key=lambda each: max(map(merit, each)))


def _conclusion(answer: str | None, steps: list[Step], tellers: Sequence[Span]) -> Conclusion:
    """The conclusion; if all that the last iteration did was think, it is taken off the steps, and its thought is the
    conclusion's."""
    conclusion = Conclusion(answer)
    if steps and isinstance(last := steps[-1], Analysis) and last.action is last.arguments is None:
        steps.pop()
        conclusion = Conclusion(
            answer,
            last.thought,
            last.uses,
            detected=last.detected,
            usage=last.usage,
            thought_digest=last.thought_digest,
            iteration=last.number,
            iteration_span=last.span_id,
            started=last.started,
            ended=last.ended,
        )
    number = _last_number(steps) + 1
    uses = _uses(tellers, before=number)
    detected = {*(conclusion.detected or ()), *(_detected(tellers, before=number) or ())}
    uses = conclusion.uses if uses is None else uses
    return replace(conclusion, uses=uses, detected=tuple(sorted(detected)) or None)


def _last_number(steps: Sequence[Step]) -> int:
    """Number of the last iteration; 0 if there is none."""
    return max((step.number for step in steps if isinstance(step, Analysis | Observation)), default=0)


def _uses(spans: Sequence[Span], before: int) -> tuple[int, ...] | None:
    """The iterations whose results were used, as the first span tells that does; ``None`` where none does."""
    told = next((uses for span in spans if isinstance(uses := span.attributes.get(names.ITERATION_USES), list)), None)
    if told is None:
        return None
    return tuple(sorted({number for number in told if type(number) is int and 0 < number < before}))


def _candidates(cycles: Sequence[Span]) -> tuple[str, ...]:
    """Names of the tools that there were to choose from, as the first span tells that does."""
    told = (cycle.attributes.get(names.ITERATION_CANDIDATES) for cycle in cycles)
    found = next((candidates for candidates in told if isinstance(candidates, list)), [])
    return tuple(candidate for candidate in found if isinstance(candidate, str))


def _thinking_ms(cycles: Sequence[Span]) -> int | None:
    told = (cycle.attributes.get(names.ITERATION_THINKING) for cycle in cycles)
    return next((number for number in told if type(number) is int and number >= 0), None)


def _usage(cycles: Sequence[Span]) -> Usage | None:
    """What thinking took, as the first span tells that does; the model is the one that answered, if that is known."""
    for cycle in cycles:
        model = text(cycle, names.RESPONSE_MODEL) or text(cycle, names.REQUEST_MODEL)
        tokens = [cycle.attributes.get(name) for name in (names.INPUT_TOKENS, names.OUTPUT_TOKENS)]
        usage = Usage(model, *(number if type(number) is int and number >= 0 else None for number in tokens))
        if usage != Usage():
            return usage
    return None


def _detected(spans: Sequence[Span], before: int) -> tuple[int, ...] | None:
    """The iterations whose results were seen to be used, by all of these; ``None`` where none was."""
    told = [uses for span in spans if isinstance(uses := span.attributes.get(names.ITERATION_USES_DETECTED), list)]
    return tuple(sorted({n for uses in told for n in uses if type(n) is int and 0 < n < before})) or None


def _either(text: str | None, otherwise: str | None) -> str | None:
    return otherwise if text is None else text
