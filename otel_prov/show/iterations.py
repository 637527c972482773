"""A session's steps by iteration: each with its thought and its tool calls."""

from __future__ import annotations

from dataclasses import dataclass

from otel_prov.steps import Analysis, Observation, Session

__all__ = ["Call", "Iteration", "iterations"]


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call: what was done and what came back."""

    action: str | None = None
    arguments: str | None = None
    observation: str | None = None
    error: str | None = None
    number: int = 1
    """Which of the iteration's calls it is."""
    sub_trace: str | None = None


@dataclass(frozen=True, slots=True)
class Iteration:
    """One think/act/observe cycle."""

    number: int
    thought: str | None
    first: Call
    """The iteration's own call; an empty one where it made none."""
    further: tuple[Call, ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        """All of them, in order."""
        return self.first, *self.further


def iterations(session: Session) -> list[Iteration]:
    """The iterations of a session, by number, whatever of each is known."""
    analyses = {step.number: step for step in session.of(Analysis)}
    observations: dict[int, list[Observation]] = {}
    for step in session.of(Observation):
        observations.setdefault(step.number, []).append(step)
    numbers = sorted(analyses.keys() | observations.keys())
    return [_iteration(analyses.get(number, Analysis(number)), observations.get(number, [])) for number in numbers]


def _iteration(analysis: Analysis, observations: list[Observation]) -> Iteration:
    own = next((seen for seen in observations if seen.call == 1), Observation(analysis.number))
    return Iteration(
        analysis.number,
        analysis.thought,
        Call(analysis.action, analysis.arguments, own.text, own.error, 1, own.sub_trace),
        tuple(
            Call(seen.action, seen.arguments, seen.text, seen.error, seen.call, seen.sub_trace)
            for seen in observations
            if seen.call > 1
        ),
    )
