"""What thinking and acting took: models, tokens, the tools that there were to choose from, lengths of time.

In TrustGraph's terms, in every shape (``trustgraph/provenance/agent.py`` in trustgraph-base 2.11.1). Lengths of time
and reasons of the end are told in the shape ``trustgraph`` alone; the reasons are not read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from otel_prov import names
from otel_prov.describe import vocabulary as v
from otel_prov.describe.graph import Graph
from otel_prov.describe.nodes import each, node
from otel_prov.describe.quads import Literal, Quad
from otel_prov.steps import Analysis, Conclusion, Decomposition, Plan, Session, Usage

__all__ = [
    "candidates",
    "recognised_candidates",
    "recognised_count",
    "recognised_usage",
    "termination",
    "usage",
]

_COUNT: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_REASONS: Final = {
    names.OUTCOME_FINAL: "final-answer",
    names.OUTCOME_MAX_ITERATIONS: "max-iterations",
    names.OUTCOME_ERROR: "error",
    names.OUTCOME_CANCELLED: "cancelled",
    names.OUTCOME_ABANDONED: "abandoned",
}
"""By the outcome of the session; TrustGraph's own write the first three."""


def usage(uri: str, took: Usage | None) -> Iterator[Quad]:
    """What was asked of a language model for something."""
    if took is None:
        return iter(())
    texts = {
        v.TG_IN_TOKEN: None if took.input_tokens is None else str(took.input_tokens),
        v.TG_OUT_TOKEN: None if took.output_tokens is None else str(took.output_tokens),
        v.TG_LLM_MODEL: took.model,
    }
    return node(uri, (), texts, {})


def candidates(uri: str, step: Analysis) -> Iterator[Quad]:
    """The tools that an iteration could choose from."""
    return each(uri, v.TG_TOOL_CANDIDATE, map(Literal, step.candidates))


def termination(session: Session) -> str | None:
    """Why an agent stopped; ``None`` while it goes on, or where that isn't known."""
    if session.outcome == names.OUTCOME_FINAL and not any(session.of(Conclusion)):
        if any(session.of(Plan)):
            return "plan-complete"
        if any(session.of(Decomposition)):
            return "subagents-complete"
    return _REASONS.get(session.outcome or "")


def recognised_usage(graph: Graph, uri: str) -> Usage | None:
    """What :func:`usage` has told."""
    tokens = (recognised_count(graph, uri, predicate) for predicate in (v.TG_IN_TOKEN, v.TG_OUT_TOKEN))
    took = Usage(graph.text(uri, v.TG_LLM_MODEL), *tokens)
    return None if took == Usage() else took


def recognised_candidates(graph: Graph, uri: str) -> tuple[str, ...]:
    """What :func:`candidates` has told."""
    return tuple(graph.texts(uri, v.TG_TOOL_CANDIDATE))


def recognised_count(graph: Graph, uri: str, predicate: str) -> int | None:
    """A number that is told of something, as of tokens or milliseconds; the largest, if several are."""
    return max((int(text) for text in graph.texts(uri, predicate) if _COUNT.fullmatch(text)), default=None)
