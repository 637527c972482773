"""What happened in a session, free of OpenTelemetry and of RDF: the one model in the middle.

Spans are read into steps (``read``), steps are kept (``keep``), steps become triples and triples become steps again
(``describe``), and steps are what the command line shows (``show``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from otel_prov.names import AGENT, PLANS, SUPERVISES

__all__ = [
    "Analysis",
    "Conclusion",
    "Decomposition",
    "Digest",
    "Exploration",
    "Finding",
    "Focus",
    "Grounding",
    "Observation",
    "PatternDecision",
    "Plan",
    "Question",
    "Selection",
    "Session",
    "Step",
    "StepResult",
    "Synthesis",
    "Text",
    "Triple",
    "Usage",
    "in_line",
]


@dataclass(frozen=True, slots=True)
class Digest:
    """What is known of a text that was not recorded."""

    sha256: str
    """SHA-256 of its UTF-8 form, 64 hexadecimal digits."""
    length: int
    """Its length in characters."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a language model was asked for, to think one thing."""

    model: str | None = None
    """Name of the model."""
    input_tokens: int | None = None
    """Tokens that it read."""
    output_tokens: int | None = None
    """Tokens that it wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Traced:
    """What every step may tell of the span that it was read from. Steps that say the same are equal all the same."""

    trace_id: str | None = field(default=None, compare=False)
    """OpenTelemetry trace id, 32 hexadecimal digits; a session that went on in another process may have several."""
    span_id: str | None = field(default=None, compare=False)
    """OpenTelemetry span id, 16 hexadecimal digits: of the span that told of the step, or told most of it."""


@dataclass(frozen=True, slots=True)
class Question(_Traced):
    """What the agent was asked, and when."""

    text: str | None = None
    """``None`` where content was not recorded."""
    started: datetime | None = None
    """Start of the session, in UTC, to the microsecond."""
    digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the text."""


@dataclass(frozen=True, slots=True)
class Analysis(_Traced):
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
    thought_digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the thought."""
    started: datetime | None = field(default=None, compare=False, kw_only=True)
    """Start of the iteration. In UTC, to the microsecond, like all times."""
    ended: datetime | None = field(default=None, compare=False, kw_only=True)
    """End of the thinking: the start of the tool call; the end of an iteration that did nothing else."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "candidates", _sorted(self.candidates))


@dataclass(frozen=True, slots=True)
class Observation(_Traced):
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
    digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the text."""
    started: datetime | None = field(default=None, compare=False, kw_only=True)
    """Start of the tool call."""
    ended: datetime | None = field(default=None, compare=False, kw_only=True)
    """End of the tool call; of the iteration, where that carried out its action itself."""


@dataclass(frozen=True, slots=True)
class Conclusion(_Traced):
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


@dataclass(frozen=True, slots=True)
class Text:
    """A text in a knowledge graph."""

    value: str
    datatype: str = ""
    """IRI of its datatype, if it has one."""
    language: str = ""
    """Its language, if it has one."""


@dataclass(frozen=True, slots=True)
class Triple:
    """An edge of a knowledge graph."""

    subject: str
    """An IRI, or a name where the graph has no IRIs."""
    predicate: str
    """An IRI, or a name where the graph has no IRIs."""
    object: str | Text
    """An IRI, or else a text."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Something that a retrieval found worth being part of the answer, and why."""

    edge: Triple | None = None
    """Of a knowledge graph."""
    chunk: str | None = None
    """IRI or name of a chunk of a document."""
    concept: str | None = None
    """Which of the concepts it is about."""
    score: float | None = None
    """How much it is worth; a finite number, the scale is the retrieval's own."""
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class Grounding(_Traced):
    """What a question to a knowledge graph, or to documents, is about."""

    concepts: tuple[str, ...] = ()
    """Each once, in alphabetical order."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "concepts", _sorted(self.concepts))


@dataclass(frozen=True, slots=True)
class Exploration(_Traced):
    """What a retrieval found, before any of it was selected."""

    edges: int | None = None
    """How many edges of a knowledge graph."""
    entities: tuple[str, ...] = ()
    """IRIs or names of nodes that the search started from: each once, in alphabetical order."""
    chunks: int | None = None
    """How many chunks of documents."""
    chunk_ids: tuple[str, ...] = ()
    """IRIs or names of chunks: each once, in alphabetical order. Of very many, only the first."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "entities", _sorted(self.entities))
        object.__setattr__(self, "chunk_ids", _sorted(self.chunk_ids))


@dataclass(frozen=True, slots=True)
class Focus(_Traced):
    """What a retrieval selected, in the order in which it did."""

    selections: tuple[Selection, ...] = ()


@dataclass(frozen=True, slots=True)
class Synthesis(_Traced):
    """What a retrieval answered; what an agent made of the results of its plan, or of what others found for it."""

    text: str | None = None
    digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the text."""


@dataclass(frozen=True, slots=True)
class PatternDecision(_Traced):
    """How the agent goes about its question."""

    pattern: str | None = None
    """Such as ``react``, ``plan-then-execute`` or ``supervisor``."""
    task_type: str | None = None
    """What kind of task it takes the question for."""


@dataclass(frozen=True, slots=True)
class Plan(_Traced):
    """What the agent means to do, step by step."""

    goals: tuple[str | None, ...] = ()
    """What each step is to achieve, in order; ``None`` where content was not recorded."""


@dataclass(frozen=True, slots=True)
class StepResult(_Traced):
    """What a step of the plan came to. Its iterations are those that are ``within`` it."""

    index: int
    """Which step of the plan, from 0."""
    goal: str | None = None
    text: str | None = None
    error: str | None = None
    """What went wrong, where the step failed or was cancelled."""
    sub_trace: str | None = None
    """IRI of the last node of the session that ran inside of it, if one did."""
    digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the text."""
    started: datetime | None = field(default=None, compare=False, kw_only=True)
    """Start of the step."""
    ended: datetime | None = field(default=None, compare=False, kw_only=True)
    """End of the step."""


@dataclass(frozen=True, slots=True)
class Decomposition(_Traced):
    """The parts that the agent gives others to do, or does one by one."""

    goals: tuple[str | None, ...] = ()
    """What each part is to achieve, in order; ``None`` where content was not recorded."""


@dataclass(frozen=True, slots=True)
class Finding(_Traced):
    """What a part of the work came to. Its iterations, if the agent did it by itself, are those ``within`` it."""

    index: int
    """Which part of the decomposition, from 0."""
    goal: str | None = None
    text: str | None = None
    error: str | None = None
    """What went wrong, where the part failed or was cancelled."""
    sub_trace: str | None = None
    """IRI of the last node of the session of the agent that did it."""
    digest: Digest | None = field(default=None, compare=False, kw_only=True)
    """Of the text."""
    started: datetime | None = field(default=None, compare=False, kw_only=True)
    """Start of the part."""
    ended: datetime | None = field(default=None, compare=False, kw_only=True)
    """End of the part."""


def in_line(number: int) -> tuple[int, ...]:
    """What an iteration of this number uses where nothing was told: the one before it; none, for the first."""
    return (number - 1,) if number > 1 else ()


def _sorted(texts: tuple[str, ...]) -> tuple[str, ...]:
    """A graph has neither order nor repetition."""
    return tuple(sorted(set(texts)))


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
