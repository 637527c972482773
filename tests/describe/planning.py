"""Random sessions of agents that plan, delegate, or both, as a running agent may leave them."""

from __future__ import annotations

from hypothesis import strategies as st

from otel_prov.names import session_uri
from otel_prov.steps import (
    Analysis,
    Conclusion,
    Decomposition,
    Finding,
    Observation,
    PatternDecision,
    Plan,
    Question,
    Session,
    Step,
    StepResult,
    Synthesis,
)

from .strategies import callers, candidates, ids, inner_nodes, maybe, questions, usages

decisions = st.builds(PatternDecision, maybe, maybe)
goals = st.lists(maybe, max_size=3).map(tuple)


@st.composite
def planned(draw: st.DrawFn, shape: str = "agent-session") -> Session:
    """A session that the shape can express; what a step is to achieve is what the plan says, where that says it."""
    steps: list[Step] = [draw(questions)] if draw(st.booleans()) else []
    steps += [draw(decisions)] if draw(st.booleans()) else []
    plan = Plan(draw(goals)) if draw(st.booleans()) else None
    decomposition = Decomposition(draw(goals)) if draw(st.booleans()) else None
    steps += [step for step in (plan, decomposition) if step]
    parts = [f"step/{i}" for i in range(3)] + [f"finding/{i}" for i in range(3)]
    lanes: dict[str | None, int] = {}
    for number in sorted(draw(st.sets(st.integers(1, 12), max_size=6))):
        within = draw(st.none() | st.sampled_from(parts))
        steps += draw(iterations(number, within, lanes.get(within), shape))
        lanes[within] = number
    for kind, whole in ((StepResult, plan), (Finding, decomposition)):
        for index in sorted(draw(st.sets(st.integers(0, 2), max_size=3))):
            meant = whole.goals[index] if whole and index < len(whole.goals) else draw(maybe)
            inner = draw(st.none() | inner_nodes)
            steps.append(kind(index, meant, draw(maybe), draw(maybe), inner))
    answers = [Synthesis(draw(maybe)), Conclusion(draw(maybe), draw(maybe), usage=draw(usages))]
    if not steps or draw(st.booleans()):
        steps.append(draw(st.sampled_from(answers)))
    caller = draw(st.none() | callers) if isinstance(steps[0], Question) else None
    return Session(session_uri(draw(ids)), tuple(steps), caller=caller)


@st.composite
def iterations(draw: st.DrawFn, number: int, within: str | None, before: int | None, shape: str) -> list[Step]:
    """An analysis within a step, and perhaps what came back. What it used is told, or is just the one before."""
    usual = (number - 1,) if number > 1 else ()
    if within is not None:
        usual = None if before is None else (before,)
    told = draw(st.none() | st.sets(st.integers(1, max(number - 1, 1)), max_size=2).map(sorted).map(tuple))
    uses = None if told == usual or number == 1 else told
    texts = draw(maybe), draw(maybe), draw(maybe)
    steps: list[Step] = [Analysis(number, *texts, uses, within=within, candidates=draw(candidates), usage=draw(usages))]
    if draw(st.booleans()):
        text = draw(maybe)
        steps.append(Observation(number, text, draw(maybe) if text is not None or shape == "trustgraph" else "gone"))
    return steps
