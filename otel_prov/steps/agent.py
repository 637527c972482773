"""The steps of an agent that thinks, acts and observes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from otel_prov.steps.traced import Digest, Traced, Usage, unordered

__all__ = ["Analysis", "Conclusion", "Observation", "Question", "in_line"]


@dataclass(frozen=True, slots=True)
class Question(Traced):
    """What the agent was asked, and when."""

    text: str | None = None
    """``None`` where content was not recorded."""
    started: datetime | None = None
    """Start of the session, in UTC, to the microsecond."""
    digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the text."""


@dataclass(frozen=True, slots=True)
class Analysis(Traced):
    """What the agent thought in one iteration and what it decided to do."""

    number: int
    """Position in the session, from 1."""
    thought: str | None = None
    action: str | None = None
    """Name of the tool."""
    arguments: str | None = None
    """Arguments of the tool, as JSON text; any text where the source had no JSON."""
    uses: tuple[int, ...] | None = None
    """Numbers of the iterations whose results it really used, rising, where that was told; otherwise it follows from
    the one before it."""
    detected: tuple[int, ...] | None = field(default=None, kw_only=True)
    """Numbers of the iterations whose results it was seen to use, rising, where that was looked for and found. Nobody
    told so."""
    within: str | None = field(default=None, kw_only=True)
    """The step of a plan, or the part of the work, that it was for: ``step/{i}`` or ``finding/{i}``, i from 0."""
    candidates: tuple[str, ...] = field(default=(), kw_only=True)
    """Names of the tools that it could choose from: each once, in alphabetical order."""
    usage: Usage | None = field(default=None, kw_only=True)
    """What thinking it took."""
    thinking_ms: int | None = field(default=None, compare=False, kw_only=True)
    """How long it thought before it told of its action, in milliseconds."""
    thought_digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the thought."""
    started: datetime | None = field(default=None, compare=False, kw_only=True)
    """Start of the iteration. In UTC, to the microsecond, like all times."""
    ended: datetime | None = field(default=None, compare=False, kw_only=True)
    """End of the thinking: the start of the tool call; the end of an iteration that did nothing else."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "candidates", unordered(self.candidates))


@dataclass(frozen=True, slots=True)
class Observation(Traced):
    """What a tool call of an iteration came back with."""

    number: int
    """Number of the iteration."""
    text: str | None = None
    error: str | None = None
    """What went wrong, where the call failed or was cancelled."""
    call: int = 1
    """Which of the iteration's tool calls, from 1 in the order of their starts."""
    action: str | None = None
    """Tool of a further call (``call`` > 1); the first call's stands in the :class:`Analysis`."""
    arguments: str | None = None
    """Arguments of a further call (``call`` > 1), as JSON text."""
    sub_trace: str | None = None
    """IRI of the last node of the session that ran inside of the call, such as a retrieval's answer, if one did."""
    acting_ms: int | None = field(default=None, compare=False, kw_only=True)
    """How long the call took, in milliseconds."""
    digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the text."""
    started: datetime | None = field(default=None, compare=False, kw_only=True)
    """Start of the tool call."""
    ended: datetime | None = field(default=None, compare=False, kw_only=True)
    """End of the tool call; of the iteration, where that carried out its action itself."""


@dataclass(frozen=True, slots=True)
class Conclusion(Traced):
    """What the agent answered, and what it thought before it did."""

    answer: str | None = None
    thought: str | None = None
    uses: tuple[int, ...] | None = None
    """Numbers of the iterations whose results the answer really used, rising, where that was told; otherwise it follows
    from the last one."""
    detected: tuple[int, ...] | None = field(default=None, kw_only=True)
    """Numbers of the iterations whose results the answer, or the thought before it, was seen to use."""
    usage: Usage | None = field(default=None, kw_only=True)
    """What thinking it took."""
    digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the answer."""
    thought_digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the thought."""
    iteration: int | None = field(default=None, compare=False, kw_only=True)
    """Number of the iteration that did nothing but think so."""
    iteration_span: str | None = field(default=None, compare=False, kw_only=True)
    """OpenTelemetry span id of that iteration."""
    started: datetime | None = field(default=None, compare=False, kw_only=True)
    """Start of that iteration."""
    ended: datetime | None = field(default=None, compare=False, kw_only=True)
    """End of that iteration."""


def in_line(number: int) -> tuple[int, ...]:
    """What an iteration of this number uses where nothing was told: the one before it; none, for the first."""
    return (number - 1,) if number > 1 else ()
