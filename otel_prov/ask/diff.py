"""Two runs side by side: where they part."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Finding,
    Observation,
    Plan,
    Question,
    Session,
    Step,
    StepResult,
    Synthesis,
)

__all__ = ["Difference", "diff", "parting"]

_PARTS = ("result", "finding", "plan", "decomposition")
_DECISIONS = ("action", "arguments", "observation", "error", "answer", "question", *_PARTS)
"""What makes two runs different ones; thoughts are worded anew each time."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A text that one run has and the other has not, or has otherwise."""

    number: int | None
    """Number of the iteration; ``None`` for the question, and for what belongs to the answer."""
    call: int
    """Which of the iteration's tool calls; of a result or a finding, which step or part, from 1."""
    field: str
    """``question``, ``thought``, ``action``, ``arguments``, ``observation``, ``error``, ``answer`` or ``outcome``; of
    an agent that works by a plan, or gives work to others, ``plan``, ``result``, ``decomposition``, ``finding``."""
    first: str | None
    """What the first run has; ``None`` for nothing."""
    second: str | None


def diff(first: Session, second: Session) -> list[Difference]:
    """All differences of two runs, iteration by iteration, in the order in which they happened."""
    ours, theirs = dict(_facts(first)), dict(_facts(second))
    keys = sorted(ours.keys() | theirs.keys())
    return [
        Difference(_NUMBERS.get(number, number), call, _FIELDS[field], ours.get(key), theirs.get(key))
        for key in keys
        if ours.get(key) != theirs.get(key)
        for number, call, field in [key]
    ]


def parting(differences: Sequence[Difference]) -> Difference | None:
    """The first difference in what was asked, done, seen or answered; ``None`` where all of that is the same."""
    return next((each for each in differences if each.field in _DECISIONS), None)


_Key = tuple[int, int, int]
"""Number of the iteration, call, and field: sorts facts into the order in which they happened."""
_START, _RESULTS, _FINDINGS, _END = 0, sys.maxsize - 2, sys.maxsize - 1, sys.maxsize
_NUMBERS: dict[int, int | None] = dict.fromkeys((_START, _RESULTS, _FINDINGS, _END))
_FIELDS = ("question", "thought", "action", "arguments", "observation", "error", "answer", "outcome", *_PARTS)


def _facts(session: Session) -> Iterator[tuple[_Key, str]]:
    for step in session.steps:
        for place, field, text in _of_step(step):
            if text is not None:
                yield (*place, _FIELDS.index(field)), text
    if session.outcome is not None:
        yield (_END, 0, _FIELDS.index("outcome")), session.outcome


def _of_step(step: Step) -> list[tuple[tuple[int, int], str, str | None]]:
    match step:
        case Analysis(number=number):
            place = (number, 1)
            return [
                (place, "thought", step.thought),
                (place, "action", step.action),
                (place, "arguments", step.arguments),
            ]
        case Observation(number=number, call=call):
            place = (number, call)
            further = [(place, "action", step.action), (place, "arguments", step.arguments)] if call > 1 else []
            return [*further, (place, "observation", step.text), (place, "error", step.error)]
        case Conclusion():
            return [((_END, 0), "thought", step.thought), ((_END, 0), "answer", step.answer)]
        case Synthesis():
            return [((_END, 0), "answer", step.text)]
        case StepResult(index):
            return [((_RESULTS, index + 1), "result", step.text), ((_RESULTS, index + 1), "error", step.error)]
        case Finding(index):
            return [((_FINDINGS, index + 1), "finding", step.text), ((_FINDINGS, index + 1), "error", step.error)]
        case Plan() | Decomposition():
            return [((_START, 0), type(step).__name__.lower(), "\n".join(goal or "" for goal in step.goals))]
        case Question():
            return [((_START, 0), "question", step.text)]
        case _:
            return []
