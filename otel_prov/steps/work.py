"""The steps of an agent that works by a plan, or gives parts of its work to others."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from otel_prov.steps.traced import Digest, Traced
from otel_prov.uris import FINDING, STEP

__all__ = ["Decomposition", "Finding", "PatternDecision", "Plan", "StepResult"]


@dataclass(frozen=True, slots=True)
class PatternDecision(Traced):
    """How the agent goes about its question."""

    pattern: str | None = None
    """Such as ``react``, ``plan-then-execute`` or ``supervisor``."""
    task_type: str | None = None
    """What kind of task it takes the question for."""


@dataclass(frozen=True, slots=True)
class Plan(Traced):
    """What the agent means to do, step by step."""

    goals: tuple[str | None, ...] = ()
    """What each step is to achieve, in order; ``None`` where content was not recorded."""


@dataclass(frozen=True, slots=True)
class _Part(Traced):
    """A part of the work, and what it came to."""

    index: int
    """Which one, from 0."""
    goal: str | None = None
    text: str | None = None
    """What it came to."""
    error: str | None = None
    """What went wrong, where it failed or was cancelled."""
    sub_trace: str | None = None
    """IRI of the last node of the session that ran inside of it, such as that of the agent that did it, if one did."""
    digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the text."""
    started: datetime | None = field(default=None, compare=False, kw_only=True)
    """Start of the part."""
    ended: datetime | None = field(default=None, compare=False, kw_only=True)
    """End of the part."""

    _kind: ClassVar[str]

    @property
    def place(self) -> str:
        """``step/{i}`` or ``finding/{i}``: what its iterations are ``within``."""
        return f"{self._kind}/{self.index}"


@dataclass(frozen=True, slots=True)
class StepResult(_Part):
    """What a step of the plan came to. Its iterations are those that are ``within`` it."""

    _kind = STEP


@dataclass(frozen=True, slots=True)
class Decomposition(Traced):
    """The parts that the agent gives others to do, or does one by one."""

    goals: tuple[str | None, ...] = ()
    """What each part is to achieve, in order; ``None`` where content was not recorded."""


@dataclass(frozen=True, slots=True)
class Finding(_Part):
    """What a part of the decomposition came to. Its iterations, if the agent did it by itself, are those ``within``
    it."""

    _kind = FINDING
