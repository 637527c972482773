"""What is said to a person of a plan and its steps, and of work that was given to others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from otel_prov.show.iterations import Iteration
from otel_prov.show.lines import NOT_RECORDED, Row, Section
from otel_prov.show.links import span_url
from otel_prov.show.times import lasted, seconds
from otel_prov.steps import Decomposition, Finding, PatternDecision, Plan, Session, StepResult
from otel_prov.uris import DECOMPOSITION, FINDING, PLAN, STEP

__all__ = ["Part", "Place", "document", "in_order", "pattern", "place", "purpose", "section", "took"]

Part = Plan | Decomposition | StepResult | Finding
Place = tuple[int, int] | str
"""Where something ran inside of a session: number of an iteration, and which of its calls, (0, 1) outside of all; or
``plan``, ``decompose``, ``step/{i}``, ``finding/{i}``."""

_TITLES = {STEP: "Step", FINDING: "Part"}


def place(part: Part) -> str:
    """Where that ran which led to it."""
    match part:
        case Plan():
            return PLAN
        case Decomposition():
            return DECOMPOSITION
        case StepResult() | Finding():
            return part.place


def in_order(session: Session, iterations: list[Iteration]) -> Iterator[Iteration | Part]:
    """The iterations, with the plan or decomposition before those within it, and each result behind those that led to
    it. Steps and parts stand in their own order, not in that of iterations, which may take turns."""
    results = {place(part): part for part in session.parts}
    lanes: dict[str, list[Iteration]] = {name: [] for name in results}
    after: dict[str | None, list[Iteration]] = {}
    latest: str | None = None
    for iteration in iterations:
        if iteration.within is None:
            after.setdefault(latest, []).append(iteration)
        else:
            latest = iteration.within
            lanes.setdefault(latest, []).append(iteration)
    yield from after.get(None, [])
    yield from session.of(Plan)
    yield from session.of(Decomposition)
    for name in sorted(lanes, key=_rank):
        yield from lanes[name]
        if name in results:
            yield results[name]
        yield from after.get(name, [])


def _rank(within: str) -> tuple[bool, int, str]:
    """Steps first, by number."""
    kind, _, index = within.partition("/")
    return kind != STEP, int(index) if index.isdecimal() else 0, within


def section(part: Part, inner: Mapping[Any, list[Row]], missing: str | None) -> Section:
    """What there was to do, or what came of it; ``missing`` stands where that is waited for."""
    inside = tuple(inner.get(place(part), ()))
    if isinstance(part, Plan | Decomposition):
        label = "Step" if isinstance(part, Plan) else "Part"
        rows = [
            Row(f"{label} {number}", NOT_RECORDED if goal is None else goal)
            for number, goal in enumerate(part.goals, start=1)
        ]
        return Section("Plan" if isinstance(part, Plan) else "Decomposition", (*rows, *inside))
    goal = [] if part.goal is None else [Row("Goal", part.goal)]
    title, result = ("Step", "Result") if isinstance(part, StepResult) else ("Part", "Finding")
    seen = [(result, part.text, "bold"), ("Error", part.error, "red")]
    rows = [Row(label, text, style) for label, text, style in seen if text is not None]
    if missing and not rows and part.ended is None:
        rows.append(Row(result, missing, "yellow"))
    if part.span_id and (link := span_url(part.trace_id, part.span_id)):
        rows.append(Row("Span", part.span_id, "dim", link=link))
    return Section(f"{title} {part.index + 1}", (*goal, *inside, *rows))


def pattern(session: Session) -> str:
    """How the agent goes about its question, as it says."""
    decision = next(session.of(PatternDecision), PatternDecision())
    return ", ".join(filter(None, [decision.pattern, decision.task_type]))


def purpose(iteration: Iteration) -> Iterator[Row]:
    """What an iteration is for."""
    if iteration.within is not None:
        kind, _, index = iteration.within.partition("/")
        number = str(int(index) + 1) if index.isdecimal() else index
        yield Row("For", f"{_TITLES.get(kind, kind).lower()} {number}", "dim")


def took(iteration: Iteration) -> Iterator[Row]:
    """What thinking took, where a model was asked: ``gpt-4o, 1,200 → 80 tokens, 0.8s``."""
    if (usage := iteration.usage) is not None:
        counts = [usage.input_tokens, usage.output_tokens]
        read, wrote = ("?" if count is None else f"{count:,}" for count in counts)
        tokens = None if counts == [None, None] else f"{read} → {wrote} tokens"
        yield Row("Model", ", ".join(filter(None, [usage.model, tokens, lasted(iteration.thinking)])), "dim")


def document(session: Session, inside: Mapping[Any, dict[str, Any]]) -> dict[str, Any]:
    """The same as JSON; nothing for a session that has none of it. ``inside`` is what ran inside of each place."""
    found: dict[str, Any] = {}
    for decision in session.of(PatternDecision):
        found["pattern_decision"] = {"pattern": decision.pattern, "task_type": decision.task_type}
    wholes: list[Plan | Decomposition] = [*session.of(Plan), *session.of(Decomposition)]
    for told in wholes:
        found[type(told).__name__.lower()] = {"goals": list(told.goals), **inside.get(place(told), {})}
    for part in session.parts:
        name = "steps" if isinstance(part, StepResult) else "findings"
        found.setdefault(name, []).append({**_result(part), **inside.get(place(part), {})})
    return found


def _result(part: StepResult | Finding) -> dict[str, Any]:
    is_placed = part.span_id is not None
    url = span_url(part.trace_id, part.span_id)
    return {
        "index": part.index,
        "goal": part.goal,
        "result": part.text,
        "error": part.error,
        **({} if part.sub_trace is None else {"sub_trace": part.sub_trace}),
        "duration": seconds(part.started, part.ended),
        "span": {"trace_id": part.trace_id, "span_id": part.span_id, "url": url} if is_placed else None,
    }
