"""Our own dialect: plans and delegation (:mod:`otel_prov.instrument.parts`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from otel_prov import names, uris
from otel_prov.read.attributes import digest, end, error, first, ids, merit, text, time
from otel_prov.read.spans import Span
from otel_prov.steps import Decomposition, Finding, PatternDecision, Plan, StepResult

__all__ = ["decision", "findings", "results", "whole", "within"]

_WITHIN = re.compile(f"({uris.STEP}|{uris.FINDING})/(0|[1-9][0-9]{{0,2}})")
"""What :data:`otel_prov.names.WITHIN` says; of a session's first thousand parts."""
_P = TypeVar("_P", StepResult, Finding)
_GOALS = {Plan: names.PLAN_GOALS, Decomposition: names.PART_GOALS}


def within(spans: Iterable[Span]) -> str | None:
    """What part of the work an iteration is for, as the first of its spans tells that does."""
    told = (text(span, names.WITHIN) for span in spans)
    return next((part for part in told if part is not None and _WITHIN.fullmatch(part)), None)


def results(spans: Iterable[Span]) -> list[StepResult]:
    """What the steps of the plan came to, by index."""
    return [_part(StepResult, index, attempts) for index, attempts in _attempts(spans, uris.STEP)]


def findings(spans: Iterable[Span]) -> list[Finding]:
    """What the parts of the work came to, by index."""
    return [_part(Finding, index, attempts) for index, attempts in _attempts(spans, uris.FINDING)]


def whole(
    kind: type[Plan] | type[Decomposition], runs: Sequence[Span], parts: Sequence[StepResult | Finding]
) -> list[Plan | Decomposition]:
    """The plan, or the decomposition, if there is one: what spans of the session tell of it, filled up with what the
    parts tell that have begun."""
    goals: dict[int, str | None] = {part.index: part.goal for part in parts}
    for run in reversed(runs):
        if isinstance(told := run.attributes.get(_GOALS[kind]), list):
            goals |= {index: _goal(goal, goals.get(index)) for index, goal in enumerate(told)}
    if not goals:
        return []
    tellers = [run for run in runs if _GOALS[kind] in run.attributes]
    return [kind(tuple(goals.get(index) for index in range(max(goals) + 1)), **ids(next(iter(tellers or runs), None)))]


def decision(runs: Sequence[Span]) -> list[PatternDecision]:
    """How the agent goes about its question, if that was told."""
    pattern, task_type = first(runs, names.PATTERN), first(runs, names.TASK_TYPE)
    if pattern is task_type is None:
        return []
    teller = next(run for run in runs if run.attributes.keys() & {names.PATTERN, names.TASK_TYPE})
    return [PatternDecision(pattern, task_type, **ids(teller))]


def _attempts(spans: Iterable[Span], kind: str) -> list[tuple[int, list[Span]]]:
    """The spans of each part of a kind, the best attempt first."""
    parts: dict[int, list[Span]] = {}
    for span in spans:
        if names.ITERATION_NUMBER not in span.attributes:
            match = _WITHIN.fullmatch(text(span, names.WITHIN) or "")
            if match and match[1] == kind:
                parts.setdefault(int(match[2]), []).append(span)
    return [(index, sorted(parts[index], key=merit, reverse=True)) for index in sorted(parts)]


def _part(kind: type[_P], index: int, attempts: Sequence[Span]) -> _P:
    best = attempts[0]
    return kind(
        index,
        goal=first(attempts, names.GOAL),
        text=first(attempts, names.RESULT),
        error=error(best),
        sub_trace=first(attempts, names.SUB_TRACE),
        digest=digest(attempts, names.RESULT),
        started=time(best.start),
        ended=end(best),
        **ids(best),
    )


def _goal(told: object, otherwise: str | None) -> str | None:
    """A goal; an empty text stands for one that was not recorded."""
    return told if isinstance(told, str) and told else otherwise
