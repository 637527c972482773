"""A session's steps by iteration: each with its thought and its tool calls."""

from __future__ import annotations

from dataclasses import dataclass

from otel_prov.show.times import seconds
from otel_prov.steps import Analysis, Observation, Session, Usage

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
    trace_id: str | None = None
    span_id: str | None = None
    """Of the span that told what came back."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """One think/act/observe cycle."""

    number: int
    thought: str | None
    uses: tuple[int, ...] | None
    """Numbers of the iterations whose results it used, where that was told."""
    detected: tuple[int, ...] | None
    """Numbers of the iterations whose results it was seen to use."""
    trace_id: str | None
    span_id: str | None
    """Of the span that told what was thought."""
    is_here: bool
    """Whether it is known itself, and not only what came back of its calls."""
    first: Call
    """The iteration's own call; an empty one where it made none."""
    further: tuple[Call, ...]
    within: str | None = None
    """The step of a plan, or the part of the work, that it was for."""
    candidates: tuple[str, ...] = ()
    """Names of the tools that it could choose from."""
    usage: Usage | None = None
    """What thinking it took."""
    thinking: float | None = None
    """How long that took, in seconds."""

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
    return [_iteration(number, analyses.get(number), observations.get(number, [])) for number in numbers]


def _iteration(number: int, known: Analysis | None, observations: list[Observation]) -> Iteration:
    analysis = known or Analysis(number)
    own = next((seen for seen in observations if seen.call == 1), Observation(analysis.number))
    return Iteration(
        analysis.number,
        analysis.thought,
        analysis.uses,
        analysis.detected,
        analysis.trace_id,
        analysis.span_id,
        known is not None,
        _call(own, analysis.action, analysis.arguments),
        tuple(_call(seen, seen.action, seen.arguments) for seen in observations if seen.call > 1),
        within=analysis.within,
        candidates=analysis.candidates,
        usage=analysis.usage,
        thinking=seconds(analysis.started, analysis.ended)
        if analysis.thinking_ms is None
        else analysis.thinking_ms / 1000,
    )


def _call(seen: Observation, action: str | None, arguments: str | None) -> Call:
    return Call(action, arguments, seen.text, seen.error, seen.call, seen.sub_trace, seen.trace_id, seen.span_id)
