"""What TrustGraph's command line shows of a session, and no more: less than half of the triples.

Its writer stores a few hundred triples a second, so for many sessions fewer are a feature. Its command line needs
one type for each step, the chain, actions, arguments and documents; labels, further types and thoughts it never prints
(``trustgraph/api/explainability.py`` and ``cli/show_explain_trace.py`` of 2.11.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from otel_prov.describe import vocabulary as v
from otel_prov.describe.quads import Quad

__all__ = ["lean"]

_NEVER_SHOWN: Final = {
    v.RDFS_LABEL,
    v.TG_THOUGHT,
    v.TG_STEP_NUMBER,
    v.TG_LLM_DURATION,
    v.TG_TOOL_DURATION,
    v.TG_TOOL_CANDIDATE,
    v.TG_TERMINATION_REASON,
    v.TG_IN_TOKEN,
    v.TG_OUT_TOKEN,
    v.TG_LLM_MODEL,
    v.PART_OF,
    v.PROV_INFLUENCED,
}
_TYPES_NEVER_NEEDED: Final = {v.PROV_ENTITY, v.QUESTION, v.TOOL_USE, v.ANSWER}


def lean(quads: Sequence[Quad]) -> list[Quad]:
    """The quads without what is never shown."""
    thoughts = {quad.object for quad in quads if quad.predicate == v.TG_THOUGHT}
    return [
        quad
        for quad in quads
        if quad.subject not in thoughts
        and quad.predicate not in _NEVER_SHOWN
        and not (quad.predicate == v.RDF_TYPE and quad.object in _TYPES_NEVER_NEEDED)
    ]
