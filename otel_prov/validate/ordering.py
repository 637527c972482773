"""Constraints 30 to 49: a derivation goes from earlier to later, strictly, and nothing may lead back.

PROV-CONSTRAINTS orders events: starts, ends, generations, invalidations and usages. An instance is invalid if an event
comes strictly before itself. Only a derivation orders strictly (constraint 42), so each violation is a cycle through
one; and that leaves few events to look at:

- The generations of one entity happen at once (39), and each entity has one (inference 7); so do the starts of one
  activity (31, inference 8). One event stands for them all.
- Nothing comes after an end or an invalidation but ends and invalidations, so they are in no cycle. Therefore no graph
  breaks 30, 32, 35, 36, 38, 40, 44, 46, 47 or 49, nor the second halves of 33, 34 and 43.
- After a usage comes, besides those, only the generation of a derivation that names both (41). That entity's generation
  comes after the used one's anyway (42), and after the activity's start (inference 11, and 34).

What is left is, between generations and starts: 34, 42, 43, 45, 48. The tests compare this with all the rules, taken
literally.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from otel_prov.validate.cycles import components, way
from otel_prov.validate.instance import Instance
from otel_prov.validate.terms import is_unknown, shown
from otel_prov.validate.uniqueness import Terms
from otel_prov.validate.violation import Violation
from otel_prov.validate.vocabulary import ACTIVITY, ENTITY

__all__ = ["disorder"]

_STRICT: Final = 42


class _Event(NamedTuple):
    """The generation of an entity, or the start of an activity."""

    kind: str
    node: str

    def __str__(self) -> str:
        return f"the {'generation' if self.kind == ENTITY else 'start'} of {shown(self.node)}"


def disorder(instance: Instance, terms: Terms) -> Iterator[Violation]:
    """A violation for each set of events that come before each other, if one of them does so strictly.

    It shows one cycle of each, a shortest one through the first of its derivations.
    """
    edges = _edges(instance, terms)
    after: dict[_Event, list[_Event]] = defaultdict(list)
    for earlier, later in edges:
        after[earlier].append(later)
    place: dict[_Event, int] = {}
    members: list[set[_Event]] = []
    for number, component in enumerate(components(after)):
        members.append(component)
        place.update(dict.fromkeys(component, number))
    told = set()
    for (earlier, later), constraint in edges.items():
        knot = place[earlier]
        if constraint == _STRICT and knot == place[later] and knot not in told:
            told.add(knot)
            yield _cycle([earlier, *way(after, later, earlier, members[knot])], edges)


def _edges(instance: Instance, terms: Terms) -> dict[tuple[_Event, _Event], int]:
    """What comes before what, and by which constraint; the strict one, if it is one of several."""
    edges: dict[tuple[_Event, _Event], int] = {}
    kinds = {(terms[node], kind) for node, reasons in instance.kinds.items() for kind in reasons}

    def generation(entity: str | None) -> _Event:
        return _Event(ENTITY, terms[entity or ""])

    def start(activity: str | None) -> _Event:
        return _Event(ACTIVITY, terms[activity or ""])

    for relation, _, arguments in instance.statements:
        match relation, arguments:
            case "wasDerivedFrom", (derived, source, *_):
                edges[generation(source), generation(derived)] = _STRICT
            case "wasGeneratedBy", (entity, activity, _):
                edges.setdefault((start(activity), generation(entity)), 34)
            case "wasStartedBy", (activity, trigger, starter, _):
                edges.setdefault((generation(trigger), start(activity)), 43)
                edges.setdefault((start(starter), generation(trigger)), 34)  # inference 9
            case "wasEndedBy", (_, trigger, ender, _):
                edges.setdefault((start(ender), generation(trigger)), 34)  # inference 10
            case "wasAttributedTo", (entity, agent):
                for event in (generation(agent), start(agent)):
                    if (event.node, event.kind) in kinds:
                        edges.setdefault((event, generation(entity)), 48)
    for specific, general in instance.specializations:
        edges.setdefault((generation(general), generation(specific)), 45)
    return edges


def _cycle(events: list[_Event], edges: dict[tuple[_Event, _Event], int]) -> Violation:
    pairs = list(pairwise(events))
    steps = [
        f"{earlier} comes {'before' if edges[earlier, later] == _STRICT else 'no later than'} {later}"
        f" ({edges[earlier, later]})"
        for earlier, later in pairs
    ]
    nodes = dict.fromkeys(later.node for _, later in reversed(pairs))
    sentence = f"an event comes before itself: {', '.join(steps)}"
    return Violation(_STRICT, tuple(node for node in nodes if not is_unknown(node)), sentence)
