"""The shape ``question-analysis``: TrustGraph's second technical specification of agent provenance.

``docs/tech-specs/agent-explainability.zh-cn.md``, in Chinese, and what TrustGraph 2.1.16 and 2.1.17 wrote: a
``tg:Question``, its ``tg:Analysis`` and its ``tg:Conclusion``, all texts as literals. Its table of entity types names
``tg:AgentQuestion`` too, its code doesn't: it is written, and not needed to recognise a session.
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
    session=(v.QUESTION, v.AGENT_QUESTION, v.PROV_ACTIVITY),
    iteration=(v.ANALYSIS, v.PROV_ENTITY),
    final=(v.CONCLUSION, v.PROV_ENTITY),
)


def describe(session: Session) -> Iterator[tuple[Step, list[Quad]]]:
    """Each step of the session with its quads. This shape can't express a first observation with neither text nor
    error, which has none."""
    return literals.describe(session, _TYPES)


def recognise(chain: Chain) -> Iterator[tuple[str, Step]]:
    """Each step that a graph tells of in this shape, with the IRI of its session."""
    return literals.recognise(chain, _TYPES)
