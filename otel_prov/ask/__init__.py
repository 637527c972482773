"""The questions that provenance is for: why this answer, what rests on that source, where two runs part, and SPARQL."""

from __future__ import annotations

from otel_prov.ask.diff import Difference, diff, parting
from otel_prov.ask.impact import Affected, Searched, impact
from otel_prov.ask.node import Node, parse
from otel_prov.ask.statements import Statements
from otel_prov.ask.why import Reason, why

__all__ = [
    "Affected",
    "Difference",
    "Node",
    "Reason",
    "Searched",
    "Statements",
    "diff",
    "impact",
    "parse",
    "parting",
    "why",
]
