"""What the PROV view tells of, in the order and in the groups in which it does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from otel_prov import names
from otel_prov.describe.prov.facts import Fact
from otel_prov.steps import Analysis, Conclusion, Observation, Session, Synthesis

__all__ = ["RECORDED", "Lane", "iterations", "synthesised"]

RECORDED: Final = {
    names.OUTCOME_FINAL,
    names.OUTCOME_ERROR,
    names.OUTCOME_CANCELLED,
    names.OUTCOME_MAX_ITERATIONS,
    names.OUTCOME_ABANDONED,
}
"""Outcomes that stay; the store's ``running`` and ``interrupted`` may change."""


@dataclass(slots=True)
class Lane:
    """The iterations of a step or a part, or those that belong to none."""

    last: int = 0
    """Number of the last one."""
    thought: str | None = None
    """What was thought there."""
    acts: list[Fact] = field(default_factory=list)
    """Its tool calls."""
    reach: list[Fact] = field(default_factory=list)
    """What was observed so far."""


def synthesised(session: Session) -> Conclusion | None:
    """The answer that an agent made of results, or of what others found, as one that it came to without a thought."""
    if session.kind != names.AGENT:
        return None
    answer = next(session.of(Synthesis), None)
    if answer is None:
        return None
    return Conclusion(answer.text, digest=answer.digest, trace_id=answer.trace_id, span_id=answer.span_id)


def iterations(session: Session) -> Iterable[tuple[int, Analysis | None, dict[int, Observation]]]:
    """The analysis and the observations, by call, of each iteration of which anything is known, by number."""
    found: dict[int, tuple[list[Analysis], dict[int, Observation]]] = {}
    for step in session.steps:
        if isinstance(step, Analysis):
            found.setdefault(step.number, ([], {}))[0].append(step)
        elif isinstance(step, Observation):
            found.setdefault(step.number, ([], {}))[1][step.call] = step
    for number in sorted(found):
        analyses, observations = found[number]
        yield number, analyses[0] if analyses else None, dict(sorted(observations.items()))
