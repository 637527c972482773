"""What the validator says of a graph that is not valid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["NAMES", "Violation"]

NAMES: Final = {
    22: "key-object",
    23: "key-properties",
    24: "unique-generation",
    25: "unique-invalidation",
    26: "unique-wasStartedBy",
    27: "unique-wasEndedBy",
    28: "unique-startTime",
    29: "unique-endTime",
    42: "derivation-generation-generation-ordering",
    51: "impossible-unspecified-derivation-generation-use",
    52: "impossible-specialization-reflexive",
    53: "impossible-property-overlap",
    54: "impossible-object-property-overlap",
    55: "entity-activity-disjoint",
    56: "membership-empty-collection",
}
"""The constraints that a graph can break, by number, as PROV-CONSTRAINTS names them."""


@dataclass(frozen=True, order=True)
class Violation:
    """One constraint of PROV-CONSTRAINTS that a graph breaks."""

    constraint: int
    """Its number, a key of :data:`NAMES`."""
    nodes: tuple[str, ...]
    """What is concerned: IRIs bare, blank nodes as ``_:label``. Of a cycle all its nodes, each derived from, or else
    later than, the next one."""
    sentence: str
    """What is wrong, for people."""
    graph: str = ""
    """The named graph that it is in; empty for the default graph."""

    @property
    def name(self) -> str:
        """The constraint's name in PROV-CONSTRAINTS."""
        return NAMES[self.constraint]
