"""A session: the steps of one run of an agent, or of one retrieval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from otel_prov.names import AGENT, PLANS, SUPERVISES
from otel_prov.steps.agent import Analysis, Conclusion, Observation, Question
from otel_prov.steps.retrieval import Exploration, Focus, Grounding, Synthesis
from otel_prov.steps.work import Decomposition, Finding, PatternDecision, Plan, StepResult

__all__ = ["Session", "Step"]

Step = (
    Question
    | PatternDecision
    | Plan
    | Decomposition
    | Analysis
    | Observation
    | StepResult
    | Finding
    | Conclusion
    | Grounding
    | Exploration
    | Focus
    | Synthesis
)
S = TypeVar("S", bound=Step)


@dataclass(frozen=True, slots=True)
class Session:
    """One run of an agent, or one retrieval: its steps, and what is known about the run as a whole.

    Steps stand in their natural order. Of an agent: the question; each analysis, by number, followed by its
    observations, by call; the conclusion. One that works by a plan, or by delegation, has the decision to do so, the
    plan or the decomposition before its analyses, and results or findings, by index, behind them; its answer is a
    synthesis. Of a retrieval: question, grounding, exploration, focus, synthesis. Any of them may be missing, while the
    session runs or where its record is incomplete.
    """

    uri: str
    """Its IRI, as a rule that of :func:`otel_prov.names.session_uri`."""
    steps: tuple[Step, ...] = ()
    kind: str = field(default=AGENT, kw_only=True)
    """``agent``, ``graph-rag`` or ``document-rag``."""
    caller: str | None = field(default=None, kw_only=True)
    """IRI of what it derives from: the iteration of another session inside of which it ran, or that session itself."""
    collection: str | None = field(default=None, kw_only=True)
    agent: str | None = field(default=None, kw_only=True)
    """Name of the agent; of a retrieval, what it looks into."""
    user: str | None = field(default=None, kw_only=True)
    model: str | None = field(default=None, kw_only=True)
    version: str | None = field(default=None, kw_only=True)
    """Version of the agent: of its code, its prompt or its graph."""
    trace_id: str | None = field(default=None, kw_only=True)
    """OpenTelemetry trace id, 32 hexadecimal digits."""
    ended: datetime | None = field(default=None, kw_only=True)
    """End of the session, in UTC, to the microsecond."""
    outcome: str | None = field(default=None, kw_only=True)
    """How it ended, one of the ``OUTCOME_*`` values of :mod:`otel_prov.names`; ``None`` while it goes on."""
    error: str | None = field(default=None, kw_only=True)
    """Type and message of the exception that ended it."""

    def of(self, kind: type[S]) -> Iterator[S]:
        """The steps of one kind, in order."""
        return (step for step in self.steps if isinstance(step, kind))

    @property
    def pattern(self) -> str | None:
        """How an agent works that has more to it than iterations, :data:`~otel_prov.names.PLANS` or
        :data:`~otel_prov.names.SUPERVISES`, by its steps; ``None`` for any other session."""
        if any(isinstance(step, Plan | StepResult) for step in self.steps):
            return PLANS
        return SUPERVISES if any(isinstance(step, Decomposition | Finding) for step in self.steps) else None

    @property
    def parts(self) -> list[StepResult | Finding]:
        """What is known of the steps of its plan, and of the parts of its work, in order."""
        return [*self.of(StepResult), *self.of(Finding)]

    @property
    def question(self) -> Question:
        """The question; an empty one where it is missing."""
        return next(self.of(Question), Question())

    @property
    def conclusion(self) -> Conclusion | None:
        """The conclusion, if the session has come to one."""
        return next(self.of(Conclusion), None)

    @property
    def answered(self) -> bool:
        """Whether the session has come to an answer, recorded or not."""
        return any(isinstance(step, Conclusion | Synthesis) for step in self.steps)

    @property
    def answer(self) -> str | None:
        """What the session has answered."""
        conclusion, synthesis = self.conclusion, next(self.of(Synthesis), None)
        return conclusion.answer if conclusion else synthesis.text if synthesis else None
