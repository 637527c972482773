"""The shape ``agent-session``: TrustGraph's first technical specification of agent provenance.

``docs/tech-specs/agent-explainability.md``, in English, "Provenance Model" and "Provenance Triple Generation": a
``tg:AgentSession``, its ``tg:AgentIteration`` and its ``tg:AgentFinal``, all texts as literals.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from otel_prov.describe import literals
from otel_prov.describe import vocabulary as v
from otel_prov.describe.chain import Chain
from otel_prov.describe.quads import Quad
from otel_prov.steps import Session, Step

_TYPES: Final = literals.Types(
    session=(v.AGENT_SESSION,),
    iteration=(v.AGENT_ITERATION,),
    final=(v.AGENT_FINAL,),
)


def describe(session: Session) -> Iterator[tuple[Step, list[Quad]]]:
    """Each step of the session with its quads. This shape can't express a first observation with neither text nor
    error, which has none."""
    return literals.describe(session, _TYPES)


def recognise(chain: Chain) -> Iterator[tuple[str, Step]]:
    """Each step that a graph tells of in this shape, with the IRI of its session."""
    return literals.recognise(chain, _TYPES)
