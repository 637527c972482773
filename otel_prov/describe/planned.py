"""Plans, delegated work, and the choice of how to work, in anybody's graph: what :mod:`otel_prov.describe.plans` tells.

Such a node is known by its type and its IRI together. The order of a plan's steps is that of their IRIs; a step that
only the plan tells of, as TrustGraph's own agents leave those that they didn't come to, stands behind them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from otel_prov import names
from otel_prov.describe import uris
from otel_prov.describe import vocabulary as v
from otel_prov.describe.chain import Chain
from otel_prov.describe.graph import Graph
from otel_prov.steps import Decomposition, Finding, PatternDecision, Plan, Step, StepResult, Synthesis

__all__ = ["recognise"]

_RESULTS: Final = {v.STEP_RESULT: (uris.STEP, v.TG_PLAN_STEP), v.FINDING: (uris.FINDING, v.TG_SUBAGENT_GOAL)}
_WHOLES: Final = {
    v.PLAN: uris.PLAN,
    v.DECOMPOSITION: uris.DECOMPOSITION,
    v.PATTERN_DECISION: uris.PATTERN_DECISION,
    v.SYNTHESIS: uris.SYNTHESIS,
}
_AGENT: Final = names.session_uri("")


def recognise(places: Chain) -> Iterator[tuple[str, Step]]:
    """Each such step that a graph tells of, in whichever shape, with the IRI of its session."""
    graph = places.graph
    for node in graph.subjects:
        types = graph.types(node)
        if match := uris.PART.fullmatch(node):
            session, kind, index = match[1], match[3], int(match[4])
            if any(type in types and kind == part for type, (part, _) in _RESULTS.items()):
                yield session, _result(places, node, session, kind, index)
        elif match := uris.WHOLE.fullmatch(node):
            session, name = match[1], match[2]
            if any(type in types and name == whole for type, whole in _WHOLES.items()):
                yield from _whole(places, node, session, name)


def _whole(places: Chain, node: str, session: str, name: str) -> Iterator[tuple[str, Step]]:
    graph = places.graph
    if name == uris.PLAN:
        yield session, Plan(_goals(graph, node, session, uris.STEP, v.TG_PLAN_STEP))
    elif name == uris.DECOMPOSITION:
        yield session, Decomposition(_goals(graph, node, session, uris.FINDING, v.TG_SUBAGENT_GOAL))
    elif name == uris.PATTERN_DECISION:
        yield session, PatternDecision(graph.text(node, v.TG_PATTERN), graph.text(node, v.TG_TASK_TYPE))
    elif session in places.sessions or session.startswith(_AGENT):
        yield session, Synthesis(_content(graph, node))


def _result(places: Chain, node: str, session: str, kind: str, index: int) -> StepResult | Finding:
    graph = places.graph
    of: type[StepResult] | type[Finding] = StepResult
    whole, predicate = uris.plan(session), v.TG_PLAN_STEP
    if kind == uris.FINDING:
        of, whole, predicate = Finding, uris.decomposition(session), v.TG_SUBAGENT_GOAL
    told = graph.texts(node, predicate)
    meant = set(graph.texts(whole, predicate))
    own = [text for text in told if text not in meant] or told  # a plan may have been another one by then
    return of(
        index,
        max(own, default=None),
        _content(graph, node),
        graph.text(node, v.TG_TOOL_ERROR),
        places.sub_trace(node, session),
    )


def _goals(graph: Graph, node: str, session: str, part: str, predicate: str) -> tuple[str | None, ...]:
    """What there was to do, in order."""
    meant = graph.texts(node, predicate)
    parts = {
        node: int(match[4]) for node in graph.starting(f"{session}/{part}/") if (match := uris.PART.fullmatch(node))
    }
    ours = {each: index for each, index in parts.items() if node in graph.links(each, v.PART_OF)}
    numbered: dict[int, str | None] = {}
    for each, index in (ours or parts).items():
        told = graph.texts(each, predicate)
        as_meant = [text for text in told if text in meant]
        if ours or as_meant:
            numbered[index] = max(as_meant or told, default=None)
    goals = tuple(numbered[index] for index in sorted(numbered))
    return goals + tuple(text for text in meant if text not in goals)


def _content(graph: Graph, node: str) -> str | None:
    text = graph.text(node, v.TG_CONTENT)
    return graph.text(node, v.TG_ANSWER) if text is None else text
