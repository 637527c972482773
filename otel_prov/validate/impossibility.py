"""Constraints 51 to 56: what can't be, whatever else is known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from otel_prov.describe.vocabulary import PROV
from otel_prov.validate.cycles import components, way
from otel_prov.validate.instance import Instance, Reason
from otel_prov.validate.terms import is_unknown, listing, shown
from otel_prov.validate.uniqueness import Terms
from otel_prov.validate.violation import Violation
from otel_prov.validate.vocabulary import ACTIVITY, AGENT, ENTITY, NOUNS

__all__ = ["impossible"]

_OVERLAPPING: Final = {"wasDerivedFrom", "wasInfluencedBy"}
"""Relations whose identifiers constraint 53 lets be those of others."""


def impossible(instance: Instance, terms: Terms) -> Iterator[Violation]:
    """What an instance says that can't be, once what has to be the same is the same."""
    kinds = _merged(instance.kinds, terms)
    yield from _underspecified(instance)
    yield from _of_itself(instance, terms)
    yield from _identifiers(_merged(instance.relations, terms), kinds)
    for node, reasons in kinds.items():
        if ENTITY in reasons and ACTIVITY in reasons:
            both = f"an entity, {_why(reasons[ENTITY])}, and an activity, {_why(reasons[ACTIVITY])}"
            yield Violation(55, (node,), f"{shown(node)} is {both}")
    yield from _not_empty(instance, terms)


def _merged(said: dict[str, dict[str, Reason]], terms: Terms) -> dict[str, dict[str, Reason]]:
    merged: dict[str, dict[str, Reason]] = {}
    for node, reasons in said.items():
        for name, reason in reasons.items():
            merged.setdefault(terms[node], {}).setdefault(name, reason)
    return merged


def _why(reason: Reason) -> str:
    """The reason of a type, as constraint 50 (typing) has it."""
    term = "prov:" + reason.term.removeprefix(PROV)
    if not reason.side:
        return f"as its type {term} says"
    preposition = "from" if reason.side == "object" else "to"
    other = f" {preposition} {shown(reason.other)}" if reason.other else ""
    return f"as the {reason.side} of {term}{other}"


def _underspecified(instance: Instance) -> Iterator[Violation]:
    for relation, id, arguments in instance.statements:
        if relation == "wasDerivedFrom" and arguments[2] is None and (arguments[3] or arguments[4]):
            named = [term for term in arguments[3:] if term]
            sentence = (
                f"the derivation {shown(id)} of {shown(arguments[0] or '')} from {shown(arguments[1] or '')} names "
                f"the generation or usage {listing(named)}, but no activity (prov:hadActivity)"
            )
            yield Violation(51, _known(id, *arguments), sentence)


def _known(*terms: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for term in terms if term and not is_unknown(term)))


def _of_itself(instance: Instance, terms: Terms) -> Iterator[Violation]:
    """Constraint 52, after inference 19 (specialization is transitive)."""
    general: dict[str, list[str]] = defaultdict(list)
    for specific, other in instance.specializations:
        general[terms[specific]].append(terms[other])
    for component in components(general):
        start = min(component)
        onward = [target for target in general.get(start, ()) if target in component]
        if onward:
            cycle = [start, *way(general, onward[0], start, component)[:-1]] if onward[0] != start else [start]
            sentence = f"{shown(start)} is a specialization of itself"
            if len(cycle) > 1:
                sentence += f", by way of {listing(cycle[1:])}"
            yield Violation(52, tuple(cycle), sentence)


def _identifiers(relations: dict[str, dict[str, Reason]], kinds: dict[str, dict[str, Reason]]) -> Iterator[Violation]:
    for node, names in relations.items():
        several = sorted(NOUNS[name] for name in set(names) - _OVERLAPPING)
        if len(several) > 1:
            sentence = f"{shown(node)} can't be more than one of: {', '.join(several)}"
            yield Violation(53, (node,), sentence)
        for kind in (ENTITY, ACTIVITY, AGENT):
            if kind in kinds.get(node, {}):
                reason = _why(kinds[node][kind])
                sentence = (
                    f"{shown(node)} identifies a {NOUNS[min(names)]}, and can't be an {kind.lower()} as well, {reason}"
                )
                yield Violation(54, (node,), sentence)


def _not_empty(instance: Instance, terms: Terms) -> Iterator[Violation]:
    """Constraint 56, after inference 21 (what specializes an empty collection is one)."""
    specific: dict[str, list[str]] = defaultdict(list)
    for special, general in instance.specializations:
        specific[terms[general]].append(terms[special])
    waiting = [terms[collection] for collection in instance.empty]
    empty = set(waiting)
    while waiting:
        for found in specific.get(waiting.pop(), ()):
            if found not in empty:
                empty.add(found)
                waiting.append(found)
    for collection, member in instance.members:
        if terms[collection] in empty:
            sentence = f"{shown(collection)} is an empty collection, and can't have the member {shown(member)}"
            yield Violation(56, (collection, member), sentence)
