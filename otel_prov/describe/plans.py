"""Plans, delegated work, and the choice of how to work: the steps that only some agents' sessions have.

In TrustGraph's terms, 2.3.1 to 2.11.1 (``trustgraph/provenance/agent.py``), in every shape; the technical
specifications don't know them, so there they are told without labels, and their texts as ``tg:answer``, which is where
those specifications have the text of an answer. What they derive from is :mod:`otel_prov.describe.line`'s business.

What TrustGraph doesn't know of is added beside it: each step of a plan, done or not, is a part (``dcterms:isPartOf``)
of the plan and has its ``tg:planStep``, so that their order is known, which the plan alone doesn't tell; likewise each
part of delegated work. An iteration is a part of the step that it is for. What went wrong is ``tg:toolError``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from otel_prov.describe import uris
from otel_prov.describe import vocabulary as v
from otel_prov.describe.line import Line, Origin
from otel_prov.describe.measures import termination
from otel_prov.describe.nodes import each, node
from otel_prov.describe.quads import Literal, Quad
from otel_prov.steps import Decomposition, Finding, PatternDecision, Plan, Session, Step, StepResult, Synthesis

__all__ = ["SPECIFICATIONS", "TRUSTGRAPH", "Layout", "describe", "within"]

_LABELLED: Final = 60  # characters of a goal in the label of what it came to


class Layout(NamedTuple):
    """How the shapes differ."""

    content: str
    """What leads to a text."""
    is_trustgraphs: bool
    """Whether nodes have labels, texts are in the librarian, too, and an answer says why the agent stopped."""


TRUSTGRAPH: Final = Layout(v.TG_CONTENT, True)
SPECIFICATIONS: Final = Layout(v.TG_ANSWER, False)


def describe(step: Step, session: Session, line: Line, layout: Layout) -> Iterator[Quad]:
    """The quads of a step; none, if it is of another kind."""
    match step:
        case PatternDecision():
            return _decided(step, session.uri, layout)
        case Plan() | Decomposition():
            return _planned(step, session, layout)
        case StepResult() | Finding():
            return _result(step, session.uri, line.result(step), layout)
        case Synthesis():
            return _answered(step, session, line.answer(), layout)
    return iter(())


def _decided(step: PatternDecision, session: str, layout: Layout) -> Iterator[Quad]:
    """How the agent goes about its question."""
    texts = {
        v.RDFS_LABEL: f"Pattern: {step.pattern}" if layout.is_trustgraphs and step.pattern is not None else None,
        v.TG_PATTERN: step.pattern,
        v.TG_TASK_TYPE: step.task_type,
    }
    links = {v.PROV_DERIVED: session}
    return node(uris.pattern_decision(session), (v.PROV_ENTITY, v.PATTERN_DECISION), texts, links)


def _planned(step: Plan | Decomposition, session: Session, layout: Layout) -> Iterator[Quad]:
    """What there is to do."""
    of: type[StepResult] | type[Finding]
    if isinstance(step, Plan):
        uri, kind, goal, part, of = uris.plan(session.uri), v.PLAN, v.TG_PLAN_STEP, uris.STEP, StepResult
        label = f"Plan with {len(step.goals)} steps"
    else:
        uri, kind, goal, part = uris.decomposition(session.uri), v.DECOMPOSITION, v.TG_SUBAGENT_GOAL, uris.FINDING
        label, of = f"Decomposed into {len(step.goals)} research threads", Finding
    texts = {v.RDFS_LABEL: label if layout.is_trustgraphs else None}
    yield from node(uri, (v.PROV_ENTITY, kind), texts, {v.PROV_DERIVED: session.uri})
    yield from each(uri, goal, (Literal(text) for text in dict.fromkeys(step.goals) if text is not None))
    told = {result.index: result.goal for result in session.of(of)}
    for index, text in enumerate(step.goals):
        by_result = told.get(index) == text  # which tells it itself
        yield from node(uris.part(session.uri, part, index), (), {goal: None if by_result else text}, {v.PART_OF: uri})


def _result(step: StepResult | Finding, session: str, origin: Origin, layout: Layout) -> Iterator[Quad]:
    """What a step, or a part of the work, came to."""
    if isinstance(step, StepResult):
        part, kind, goal, label = uris.STEP, v.STEP_RESULT, v.TG_PLAN_STEP, "Step result"
    else:
        part, kind, goal, label = uris.FINDING, v.FINDING, v.TG_SUBAGENT_GOAL, "Finding"
    uri, has_label = uris.part(session, part, step.index), layout.is_trustgraphs and step.goal is not None
    texts = {
        v.RDFS_LABEL: f"{label}: {(step.goal or '')[:_LABELLED]}" if has_label else None,
        goal: step.goal,
        layout.content: step.text,
        v.TG_TOOL_ERROR: step.error,
    }
    types = (v.PROV_ENTITY, kind, v.ANSWER) if step.error is None else (v.PROV_ENTITY, kind, v.ANSWER, v.ERROR)
    has_document = layout.is_trustgraphs and step.text is not None
    yield from node(uri, types, texts, {v.TG_DOCUMENT: f"{uri}/doc" if has_document else None})
    yield from _from(uri, origin)


def _answered(step: Synthesis, session: Session, origin: Origin, layout: Layout) -> Iterator[Quad]:
    """What the agent made of results or findings."""
    uri = uris.stage(session.uri, uris.SYNTHESIS)
    texts = {
        v.RDFS_LABEL: "Synthesis" if layout.is_trustgraphs else None,
        layout.content: step.text,
        v.TG_TERMINATION_REASON: termination(session) if layout.is_trustgraphs else None,
    }
    has_document = layout.is_trustgraphs and step.text is not None
    links = {v.TG_DOCUMENT: f"{uri}/doc" if has_document else None}
    yield from node(uri, (v.PROV_ENTITY, v.SYNTHESIS, v.ANSWER), texts, links)
    yield from _from(uri, origin)


def within(uri: str, session: str, part: str | None) -> Iterator[Quad]:
    """What an iteration is for."""
    return node(uri, (), {}, {v.PART_OF: None if part is None else f"{session}/{part}"})


def _from(uri: str, origin: Origin) -> Iterator[Quad]:
    yield from each(uri, v.PROV_DERIVED, origin.derived)
    yield from each(uri, v.PROV_INFLUENCED, origin.influenced)
